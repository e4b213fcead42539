import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Fault } from '../../../model/fault.ts'
import { JsonSplitter, formatPath, type Shape } from './json-splitter.ts'

const limits = { maxValueBytes: 1_000, maxDepth: 50 }
const fail = (what: string, offset: number) => new Fault('input_invalid', `${what} (byte ${offset})`)

/** Everything that the splitter hands over, by path. */
function split(text: string | Uint8Array, shape: Shape, cuts: readonly number[] = [], given = limits) {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const taken: [string, unknown][] = []
  const left: string[] = []
  const visitor = {
    take: (path: readonly (string | number)[], value: unknown) => void taken.push([formatPath(path), value]),
    leave: (path: readonly (string | number)[]) => void left.push(formatPath(path)),
  }
  const splitter = new JsonSplitter(shape, visitor, { ...given, fail })
  const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  for (const [index, start] of borders.slice(0, -1).entries()) {
    // One buffer for all chunks, as a source may do it.
    const chunk = Uint8Array.from(bytes.subarray(start, borders[index + 1]))
    splitter.push(chunk)
    chunk.fill(0x58)
  }
  splitter.end()
  return { taken, left }
}

const list: Shape = { fields: { list: { items: 'take' } } }
const whole = { maxValueBytes: 1_000_000, maxDepth: 500 }

describe('the JSON splitter', () => {
  it('gives the same values as JSON.parse, wherever the chunks are cut', () => {
    const documents = fc.array(fc.jsonValue({ depthSize: 'small' }), { maxLength: 8 })
    fc.assert(
      fc.property(
        documents,
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.constantFrom(0, 1, 2),
        (values, cuts, indent) => {
          const text = JSON.stringify({ before: values, list: values, 'after "': values }, null, indent)
          const expected = (JSON.parse(text) as { list: unknown[] }).list
          expect(split(text, list, cuts, whole).taken.map(([, value]) => value)).toEqual(expected)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('hands over what stands before a fault, item by item, whatever the fault is', () => {
    for (const broken of [
      '[1,{"a":2},{"a":tru},{"a":4}]',
      '[1,{"a":2} {"a":3}]',
      '[1,{"a":2},',
      '[1,{"a":2},{"a":3]',
    ]) {
      const taken: [string, unknown][] = []
      const visitor = {
        take: (path: readonly (string | number)[], value: unknown) =>
          void taken.push([formatPath(path), value]),
        leave: () => {},
      }
      const splitter = new JsonSplitter(list, visitor, { ...limits, fail })
      const read = () => {
        splitter.push(Buffer.from(`{"list":${broken}`))
        splitter.end()
      }
      expect(read, broken).toThrow(Fault)
      expect(taken, broken).toEqual([
        ['list[0]', 1],
        ['list[1]', { a: 2 }],
      ])
    }
  })

  it('names the item that is no JSON among many, with its place', () => {
    const items = Array.from({ length: 40 }, (_, index) => (index === 20 ? '{"a":tru}' : '{"a":1}'))
    const offset = '{"list":['.length + 20 * '{"a":1},'.length
    expect(() => split(`{"list":[${items.join(',')}]}`, list)).toThrow(
      new RegExp(`at list\\[20\\] \\(byte ${offset}\\)$`),
    )
  })

  it('takes a top-level value of any kind', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.nat(), { maxLength: 5 }), (value, cuts) => {
        const text = JSON.stringify(value)
        expect(split(text, 'take', cuts, whole).taken).toEqual([['', JSON.parse(text)]])
      }),
    )
  })

  it('refuses every file that was cut off', () => {
    const text = '{"a":[1,{"b":"x\\"y"}],"list":[{"c":"ü"},-1.5e3,null,true,"z"]}'
    const bytes = Buffer.from(text)
    for (let end = 0; end < bytes.length; end += 1) {
      expect(() => split(bytes.subarray(0, end), list), text.slice(0, end)).toThrow(Fault)
    }
    expect(split(text, list).taken).toHaveLength(5)
  })

  it('refuses or reads what JSON.parse refuses or reads, byte by byte', () => {
    const text = '{"a":{"b":[]},"list":[{"c":1},"z"]}'
    const mutation = fc.record({ at: fc.nat(text.length - 1), byte: fc.constantFrom(...'{}[],:"\\ 0tx') })
    fc.assert(
      fc.property(mutation, ({ at, byte }) => {
        const broken = text.slice(0, at) + byte + text.slice(at + 1)
        const parsed = attempt(() => JSON.parse(broken) as { list?: unknown })
        const taken = attempt(() => split(broken, list).taken.map(([, value]) => value))
        const isList = parsed !== 'refused' && Array.isArray(parsed.list)
        expect(taken).toEqual(parsed === 'refused' ? parsed : isList ? parsed.list : taken)
      }),
      { numRuns: 500 },
    )
  })

  it('tells when an entered list or object has ended', () => {
    const shape: Shape = { fields: { runs: { items: { fields: { list: { items: 'take' } } } } } }
    expect(split('{"runs":[{"list":[1]},{}]}', shape)).toEqual({
      taken: [['runs[0].list[0]', 1]],
      left: ['runs[0].list', 'runs[0]', 'runs[1]', 'runs', ''],
    })
  })

  it('skips a byte order mark, also when it is cut in two', () => {
    expect(split('\uFEFF{"list":[1]}', list, [1, 2]).taken).toEqual([['list[0]', 1]])
  })

  it('reads null in place of a list as nothing', () => {
    expect(split('{"list":null}', list).taken).toEqual([])
  })

  it('skips long values that nobody asked for', () => {
    expect(split(`{"x":"${'y'.repeat(5_000)}","list":[1]}`, list, [9, 3_000]).taken).toEqual([['list[0]', 1]])
  })

  it.each([
    ['{"list":"x"}', 'holds text where a list is expected, at list (byte 8)'],
    ['[1]', 'holds a list where an object is expected (byte 0)'],
    ['{"list":[1,]}', 'is not valid JSON'],
    ['{"list":[1 2]}', 'is not valid JSON, at list[0] (byte 11)'],
    ['{"list":[{"a":}]}', 'is not valid JSON'],
    ['{"list":[]} {}', 'goes on after its end (byte 12)'],
    ['{"list":[1]', 'is cut off: the file ends too early, at list (byte 11)'],
    [`{"list":["${'x'.repeat(1_100)}"]}`, 'holds one value of more than 0 MB, at list[0] (byte 9)'],
    [`{"list":[${'['.repeat(60)}${']'.repeat(60)}]}`, 'nests deeper than 50 levels, at list[0] (byte 9)'],
    [`{"deep":${'['.repeat(1_000_000)}`, 'nests deeper than 50 levels, at deep (byte 8)'],
  ])('refuses %.30s and says where', (text, message) => {
    expect(() => split(text, list, [5])).toThrow(message)
  })
})

function attempt<Value>(action: () => Value): Value | 'refused' {
  try {
    return action()
  } catch {
    return 'refused'
  }
}
