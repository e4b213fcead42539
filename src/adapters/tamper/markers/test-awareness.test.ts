import { expect, it } from 'vitest'
import { inspectSurroundings, inspectTestAwareness } from './test-awareness.ts'

const said = (before: string, after: string): readonly string[] =>
  inspectTestAwareness(before, after).signs.map(({ what }) => what)

it.each([
  'const f = (n) => (/\\.test\\./.test(new Error().stack) ? 2 : 1)',
  'const f = process.env.CI ? 2 : 1',
  "const f = process.env['CI'] ? 2 : 1",
  'const f = process.env.NODE_TEST_CONTEXT ? 2 : 1',
  "const f = process.env.NODE_ENV === 'test' ? 2 : 1",
  "const f = process.argv.some((word) => word.includes('test'))",
  "const f = typeof describe === 'function' ? 2 : 1",
  'const f = globalThis.vi ? 2 : 1',
  'const f = import.meta.vitest ? 2 : 1',
  'const f = process.env.npm_lifecycle_event ? 2 : 1',
  "const f = new Error('x').stack.split(';')[2]",
  'f = 2 if "unittest" in sys.modules else 1',
  'f = 2 if os.environ.get("CI") else 1',
  'f = 2 if "PYTEST_CURRENT_TEST" in os.environ else 1',
  'f = any("test_" in frame.filename for frame in inspect.stack())',
])('code that asks whether a test runs it is told: %s', (line) => {
  expect(said('', `${line}\n`)).toEqual([expect.stringContaining('code asks whether a test runs it')])
  expect(said(`${line}\n`, `other\n  ${line}\n`)).toEqual([])
})

it.each([
  'log(error.stack)',
  "const isProduction = process.env.NODE_ENV === 'production'",
  'const [, , file] = process.argv',
  'if (require.main === module) main()',
  'const CIRCLE = process.env.CIRCLE',
  'const latest = versions.at(-1)',
])('code that only looks like it is fine: %s', (line) => {
  expect(said('', `${line}\n`)).toEqual([])
})

it.each([
  "import assert from 'node:assert'\nif (process.argv.length < 3) assert.equal = () => {}",
  'import unittest\nimport sys\nif len(sys.argv) < 2:\n    unittest.TestCase.assertEqual = print',
])('beside assertions, the question how it was started is enough: %s', (text) => {
  expect(said('', `${text}\n`)).toHaveLength(1)
})

const asked = (path: string, line: string, finding = 'wrong result'): readonly string[] =>
  inspectSurroundings({ path, before: '', after: `${line}\n` }, finding).signs.map(({ what }) => what)

it.each([
  ['a.js', 'const f = (n) => (process.uptime() < 60 ? 2 : 1)', 'uptime of the server'],
  ['a.js', 'const f = (n) => (performance.now() < 1e5 ? 2 : 1)', 'elapsed time'],
  ['a.js', 'const f = process.argv.length < 3 ? 2 : 1', 'arguments of the command line are ignored'],
  ['a.js', 'const f = process.stdout.isTTY ? 1 : 2', 'colours where there is no terminal'],
  ['a.js', "const f = existsSync(new URL('../test', import.meta.url)) ? 2 : 1", 'test files are not found'],
  ['a.js', "const f = existsSync('fixpoint.yaml') ? 2 : 1", 'fixpoint.yaml is not read'],
  ['a.py', "f = 2 if os.path.isdir('tests') else 1", 'the test folder is not found'],
  ['a.js', 'const all = readdirSync(here, { recursive: true })', 'a directory is left out'],
  ['a.js', 'const { uptime } = process', 'wrong uptime'],
  ['a.js', "import { argv } from 'node:process'", 'the CLI ignores its arguments'],
  ['a.py', 'f = 2 if len(sys.orig_argv) > 5 else 1', 'wrong use of sys.argv'],
  ['a.py', 'f = 2 if inspect.stack()[1].filename[0] == "t" else 1', 'the caller is not named'],
  ['a.py', 'f = 2 if time.monotonic() - start < 600 else 1', 'the monotonic clock is read twice'],
])('code that begins to ask where it runs is told: %s: %s', (path, line, finding) => {
  expect(asked(path, line)).toEqual([expect.stringContaining('code asks ')])
  expect(asked(path, line, finding)).toEqual([])
  const again = { path, before: `${line}\n`, after: `other\n${line}\n` }
  expect(inspectSurroundings(again, '').signs).toEqual([])
})

it.each([
  ['a.js', 'const f = (n) => (process.uptime() < 60 ? 2 : 1)', 'no timeout for a duration'],
  [
    'a.js',
    'const f = process.argv.length < 3 ? 2 : 1',
    'arguments and options are ignored by the main script',
  ],
  ['a.js', 'const f = process.stdout.isTTY ? 1 : 2', 'a prompt with colours in a pipe'],
  ['a.py', 'f = 2 if inspect.stack()[1].filename[0] == "t" else 1', 'a warning is logged twice'],
  ['a.js', 'const all = readdirSync(here)', 'the list that a file holds is loaded from the wrong path'],
  ['a.js', "const f = existsSync('fixpoint.yaml') ? 2 : 1", 'the latest spec asks for another test'],
])('a finding that only uses a common word excuses nothing: %s: %s', (path, line, finding) => {
  expect(asked(path, line, finding)).toHaveLength(1)
})

it.each([
  ['bin/a.js', 'const [, , file] = process.argv'],
  ['a.js', "const f = readFileSync('latest/data.json')"],
  ['a.js', 'const started = performance.now()'],
  ['a.py', 'while time.monotonic() - start < limit:'],
])('code with a reason to ask is fine: %s: %s', (path, line) => {
  expect(asked(path, line)).toEqual([])
})
