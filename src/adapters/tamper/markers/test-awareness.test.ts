import { expect, it } from 'vitest'
import { inspectTestAwareness } from './test-awareness.ts'

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
