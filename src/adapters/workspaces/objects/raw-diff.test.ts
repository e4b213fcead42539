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
    `:100644 100644 ${a} ${b} M\t"\\ta\\tb"\n:100644 100644 ${a} ${a} R100\t:old\tnew\n:000000 100644 ${a} ${b} A\t"\\303\\251"\n` +
    '1\t2\t"\\ta\\tb"\n' +
    '0\t0\t:old => new\n' +
    '-\t-\t"\\303\\251"\n'
  const patch = 'diff --git "a/\\ta\\tb" "b/\\ta\\tb"\n'
  const { changes, text } = parseCountedDiff(Buffer.from(`${output}\n${patch}`))
  expect(changes.map(({ change, counts }) => [change.path.toString(), change.status, counts])).toEqual([
    ['\ta\tb', 'M', { isBinary: false, additions: 1, deletions: 2 }],
    ['new', 'R', { isBinary: false, additions: 0, deletions: 0 }],
    ['é', 'A', { isBinary: true, additions: 0, deletions: 0 }],
  ])
  expect(changes[1]?.change.oldPath?.toString()).toBe(':old')
  expect(text.toString()).toBe(patch)
  expect(parseCountedDiff(Buffer.from(output)).text.toString()).toBe('')
  expect(parseCountedDiff(Buffer.alloc(0))).toEqual({ changes: [], text: Buffer.alloc(0) })
})
