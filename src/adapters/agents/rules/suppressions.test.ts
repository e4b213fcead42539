import { expect, it } from 'vitest'
import { codeFiles } from '../../../../test/fixtures/code-files.ts'
import { Fault } from '../../../model/fault.ts'
import { builtInRules } from './built-in-rules.ts'
import { parseRules } from './parse-rules.ts'
import { reviewFiles } from './review-files.ts'

const { signal } = new AbortController()

async function review(
  files: Readonly<Record<string, string>>,
  {
    paths = [],
    exclude = [],
  }: { readonly paths?: readonly string[]; readonly exclude?: readonly string[] } = {},
) {
  const asked = { files: codeFiles(files), paths, exclude }
  const { found, coverage } = await reviewFiles(asked, builtInRules, signal)
  return {
    found: found.map(({ file, match }) => `${file}:${match.line}`),
    aside: coverage.aside,
    suppressed: coverage.suppressed,
  }
}

it('the rules agent leaves out what a comment with a reason asks to leave out, and nothing without a reason', async () => {
  const { found } = await review({
    'a.js': [
      'f(a.length < 0) // fixpoint-ignore js/negative-length: the API says -1',
      '// fixpoint-ignore eslint/use-isnan: shown to pupils',
      'f(a === NaN)',
      'f(a.length < 0) // fixpoint-ignore js/negative-length',
      'f(a === NaN) // fixpoint-ignore js/negative-length: another rule',
      '',
    ].join('\n'),
  })
  expect(found).toEqual(['a.js:4', 'a.js:5'])
})

it('the rules agent honours the comments that people wrote for other linters, for rules of our own as well', async () => {
  const { found, suppressed } = await review({
    'a.js':
      'f(a.length < 0) // eslint-disable-line\n// eslint-disable-next-line\nf(a.length < 0)\nf(a.length < 0)\n',
    'a.py': [
      'd = {1: 2, 1: 3}  # noqa',
      'e = {1: 2, 1: 3}  # NOSONAR',
      'f = {1: 2, 1: 3}',
      'g = {1: 2, 1: 3}  # nosec',
      'num = one  # type: ignore',
      '# noinspection PyUnresolvedReferences',
      'num = two',
      '',
    ].join('\n'),
  })
  // nosec is about security, and says nothing about a key that stands there twice.
  expect(found).toEqual(['a.js:4', 'a.py:3', 'a.py:4'])
  expect(suppressed).toBe(6)
})

it('the rules agent takes a comment that names another problem for what it says', async () => {
  const { found } = await review({
    'a.js':
      "f(a.length < 0) // eslint-disable-line no-console\nthrow 'no' // eslint-disable-line no-throw-literal\n",
    'b.js': "/* eslint-disable no-throw-literal -- old API */\nthrow 'no'\n",
    'a.py':
      'try: a()\nexcept: pass  # pylint: disable=bare-except\ntry: a()\nexcept: pass  # pylint: disable=C0103\n',
  })
  expect(found.filter((each) => !/a\.py:[13]/.test(each))).toEqual(['a.js:1', 'a.py:4'])
})

it('the rules agent sets tests and examples aside unless they are asked for, and says so', async () => {
  const files = { 'src/a.js': 'f(a === NaN)\n', 'test/b.js': 'f(a === NaN)\n' }
  expect(await review(files)).toEqual({
    found: ['src/a.js:1'],
    aside: [{ file: 'test/b.js', why: 'not asked for: a test' }],
    suppressed: 0,
  })
  expect(await review(files, { paths: ['test'] })).toEqual({
    found: ['test/b.js:1'],
    aside: [],
    suppressed: 0,
  })
  expect(await review(files, { paths: ['test/b.js'] })).toEqual({
    found: ['test/b.js:1'],
    aside: [],
    suppressed: 0,
  })
})

it('the rules agent leaves out what the configuration excludes, whoever asks', async () => {
  const files = { 'src/old/a.js': 'f(a === NaN)\n', 'src/b.js': 'f(a === NaN)\n' }
  expect(await review(files, { paths: ['src/old/a.js', 'src/b.js'], exclude: ['src/old/**'] })).toEqual({
    found: ['src/b.js:1'],
    aside: [{ file: 'src/old/a.js', why: 'left out by review.exclude' }],
    suppressed: 0,
  })
})

it('the rules agent switches rules off and sets their severity, and refuses what is no rule', () => {
  const setup = { files: [], exclude: [] }
  const rules = parseRules({ ...setup, levels: { 'eslint/use-isnan': 'off', 'js/negative-length': 'info' } })
  expect(rules.some(({ id }) => id === 'eslint/use-isnan')).toBe(false)
  expect(rules.find(({ id }) => id === 'js/negative-length')?.severity).toBe('info')
  expect(() => parseRules({ ...setup, levels: { 'js/nothing': 'off' } })).toThrow(Fault)
  expect(() => parseRules({ ...setup, levels: { 'nothing/*': 'off' } })).toThrow(Fault)
  const grouped = parseRules({ ...setup, levels: { 'eslint/*': 'off', 'eslint/use-isnan': 'info' } })
  expect(grouped.filter(({ id }) => id.startsWith('eslint/')).map(({ id }) => id)).toEqual([
    'eslint/use-isnan',
  ])
  expect(grouped.some(({ id }) => id === 'js/negative-length')).toBe(true)
})

it("the rules agent honours Pylint's comment that stands alone above a handler", async () => {
  const handler = (comment: string) => `try:\n    open("a")\n${comment}\nexcept:\n    print(1)\n`
  const { found, suppressed } = await review({
    'a.py': handler('# pylint: disable=bare-except'),
    'b.py': handler('# pylint: disable=unused-import'),
  })
  expect(found).toEqual(['b.py:4'])
  expect(suppressed).toBe(1)
})

it('the rules agent takes a name that is missing in more than two places for one that is given to them', async () => {
  const files = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}.py`, 'logger.info("a")\n']))
  expect((await review(files(2))).found).toEqual(['0.py:1', '1.py:1'])
  expect((await review(files(3))).found).toEqual([])
})
