import { expect, test } from 'vitest'
import { parseCountedDiff, parseRawDiff } from './raw-diff.ts'

const [a, b] = ['a'.repeat(40), 'b'.repeat(40)]

test('a raw diff gives modes, objects, and both names of a rename', () => {
  const output = `:100644 100755 ${a} ${b} M\0x y\0:100644 100644 ${a} ${a} R100\0old\nname\0new\0`
  expect(parseRawDiff(Buffer.from(output))).toEqual([
    {
      oldMode: '100644',
      mode: '100755',
      oldOid: a,
      oid: b,
      status: 'M',
      oldPath: null,
      path: Buffer.from('x y'),
    },
    {
      oldMode: '100644',
      mode: '100644',
      oldOid: a,
      oid: a,
      status: 'R',
      oldPath: Buffer.from('old\nname'),
      path: Buffer.from('new'),
    },
  ])
  expect(parseRawDiff(Buffer.alloc(0))).toEqual([])
})

test('line counts stand with their changes, through renames, binary files and odd names', () => {
  const output =
    `:100644 100644 ${a} ${b} M\0\ta\tb\0:100644 100644 ${a} ${a} R100\0:old\0new\0:000000 100644 ${a} ${b} A\0c\0` +
    '1\t2\t\ta\tb\0' +
    '0\t0\t\0:old\0new\0' +
    '-\t-\tc\0'
  const found = parseCountedDiff(Buffer.from(output))
  expect(found.map(({ change, counts }) => [change.path.toString(), change.status, counts])).toEqual([
    ['\ta\tb', 'M', { isBinary: false, additions: 1, deletions: 2 }],
    ['new', 'R', { isBinary: false, additions: 0, deletions: 0 }],
    ['c', 'A', { isBinary: true, additions: 0, deletions: 0 }],
  ])
  expect(parseCountedDiff(Buffer.alloc(0))).toEqual([])
})
