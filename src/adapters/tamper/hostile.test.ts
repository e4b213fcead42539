import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorMs } from '../../../test/fixtures/processor-time.ts'
import { findTampering } from './find-tampering.ts'
import type { FileChange } from './markers/tampering.ts'

const options = { protectedGlobs: ['a/**'], findingFile: null }
const paths = [
  'a.test.ts',
  'b.test.tsx',
  'c.test.js',
  'tests/test_d.py',
  'e_test.go',
  'tests/f.rs',
  'src/g.rs',
  'src/test/H.java',
  'spec/i_spec.rb',
  'tests/JTest.php',
  'src/k.ts',
  'src/l.py',
  'package.json',
  'Cargo.toml',
  '__snapshots__/m.snap',
  'vitest.config.ts',
  'tests/n.json',
]

const modified = (path: string, before: string | null, after: string | null): FileChange => ({
  path,
  oldPath: null,
  status: 'modified',
  before,
  after,
  isBinary: false,
})

const pieces = fc.constantFrom(
  'expect(',
  ').toBe(',
  'it(',
  "'a'",
  ', () => {',
  '})',
  '.skip',
  'assert ',
  '== 1',
  'def test_a():\n    ',
  '\n',
  '@pytest.mark.skip\n',
  'try {',
  '} catch {}',
  '/*',
  '*/',
  '`',
  '${',
  '"',
  "'",
  '\\',
  '//',
  '#',
  '# noqa',
  '// @ts-ignore',
  'as any',
  'process.exit(0)',
  '[',
  ']',
  '(',
  ')',
  '{',
  '}',
  'if (x) ',
  'return',
  '.each([[1]])',
  'exports[`a`] = ',
  'lines: 80',
  '#[cfg(test)]',
  '#[ignore]',
  'assert_eq!(',
  't.Skip()',
  '\0',
  '\u202e',
  '😀',
  '\ud800',
  '\r\n',
  ' ',
  'x',
  '"""',
)
const text = fc
  .array(fc.oneof(pieces, fc.string({ maxLength: 5 })), { maxLength: 40 })
  .map((all) => all.join(''))

describe('text of any kind', () => {
  it('never makes the detectors throw, and a file unchanged shows nothing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.option(text), fc.option(text), (path, before, after) => {
        expect(Array.isArray(findTampering([modified(path, before, after)], options))).toBe(true)
        if (
          before !== null &&
          path !== 'package.json' &&
          path !== 'Cargo.toml' &&
          path !== 'vitest.config.ts'
        ) {
          expect(findTampering([modified(path, before, before)], options)).toEqual([])
        }
      }),
      { numRuns: 600 },
    )
  })

  const floods: readonly (readonly [string, string])[] = [
    ['open brackets', '('],
    ['calls', 'expect('],
    ['lines of calls', 'expect(\n'],
    ['escapes', '"\\'],
    ['quotes', '"\\"'],
    ['comments', '/*'],
    ['operators', '/*\n'],
    ['patterns', '=/['],
    ['assertions', 'expect(f(1)).toBe(1)\n'],
    ['Go failures', 'if a { t.Errorf("x") }\n'],
    ['attributes', '#[ignore]\n'],
    ['tests', '#[test] fn a() {}\n'],
    ['markers', '//nolint\n'],
    ['blanks', ' '],
    ['test words', 'test '],
    ['thresholds', 'lines: 1 '],
    ['exits', 'process.exit(0);'],
    ['any', 'as any;'],
    ['backticks', '`'],
    ['triple quotes', '"""'],
    ['snapshots', 'exports[`a`] = '],
    ['commas', ',\n'],
    ['mixed words', 'skip : '],
    ['decorators', '@Test '],
  ]
  const read = ['a.test.ts', 'e_test.go', 'tests/test_d.py', 'src/k.ts', 'vitest.config.ts']
  // Below and above what is parsed; time that grows with the square would be minutes here.
  it.each(floods)('takes no more than its share of time for a flood of %s', async (_, piece) => {
    for (const path of read) expect(await tookMs(path, piece, 60_000), path).toBeLessThan(5000)
    for (const path of read.slice(0, 2)) expect(await tookMs(path, piece, 250_000), path).toBeLessThan(15_000)
  })

  it('reads two million characters without end of line', async () => {
    expect(await tookMs('e_test.go', 'expect(as any; //nolint ', 2_000_000)).toBeLessThan(15_000)
  })

  function tookMs(path: string, piece: string, chars: number): Promise<number> {
    const flood = piece.repeat(Math.ceil(chars / piece.length))
    return processorMs(() => findTampering([modified(path, 'x', flood)], options))
  }
})

describe('a patch of two thousand lines', () => {
  const testOf = (number: number, value: number): string =>
    `it('case ${number}', () => {\n  const input = { id: ${number}, name: 'n${number}' }\n  const result = convert(input)\n  expect(result.id).toBe(${value})\n  expect(result.name).toEqual('n${number}')\n})\n\n`
  const fileOf = (file: number, shift: number): string =>
    `import { convert } from './convert'\n\ndescribe('file ${file}', () => {\n${Array.from({ length: 14 }, (_, index) => testOf(index, index + shift)).join('')}})\n`

  it('is read in a blink', async () => {
    const changes = Array.from({ length: 20 }, (_, file) =>
      modified(`src/f${file}.test.ts`, fileOf(file, 0), fileOf(file, 1)),
    )
    findTampering(changes.slice(0, 2), options)
    expect(await processorMs(() => expect(findTampering(changes, options)).toHaveLength(280))).toBeLessThan(
      2000,
    )
  })
})
