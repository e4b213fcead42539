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
  "const f = process.listenerCount('uncaughtException') > 0 ? 2 : 1",
  'const f = process.eventNames().length > 0 ? 2 : 1',
  "const f = 'describe' in globalThis ? 2 : 1",
  "const f = globalThis['it'] ? 2 : 1",
  "import.meta.resolve('ava')",
  'const f = process.moduleLoadList.length > 100 ? 2 : 1',
  'const f = executionAsyncResource().constructor.name.length',
  'if cfg!(test) { 2 } else { 1 }',
  '#[cfg(not(test))]',
  'if testing.Testing() { return 2 }',
  'if flag.Lookup("test.v") != nil { return 2 }',
  'defined?(RSpec) ? 2 : 1',
  "$f = defined('PHPUNIT_COMPOSER_INSTALL') ? 2 : 1;",
  'f = 2 if ENV["RAILS_ENV"] == "test" else 1',
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
  ['a.js', 'const f = Date.now() < 1.9e12 ? 2 : 1', 'expired tokens are taken'],
  ['a.js', "const f = new Date() < new Date('2030-01-01') ? 2 : 1", 'the leap day is left out'],
  ['a.js', 'const now = Date.now()\nconst f = now > 1893456000000 ? 1 : 2', 'wrong epoch'],
  ['a.js', 'const f = new Date().getFullYear() < 2030 ? 2 : 1', 'wrong year'],
  ['a.py', 'f = 2 if time.time() < 1.9e9 else 1', 'the token expires too late'],
  ['a.py', 'f = 2 if datetime.now() < datetime(2030, 1, 1) else 1', 'the deadline is ignored'],
  ['a.js', 'const f = Math.random() < 0.999 ? 2 : 1', 'not random'],
  ['a.js', "const f = os.hostname() === 'build' ? 2 : 1", 'the hostname is not read'],
  ['a.js', "const f = process.env.HOME === '/root' ? 2 : 1", 'the home directory is wrong'],
  ['a.js', 'const f = process.pid < 100 ? 2 : 1', 'a stale pid is killed'],
  ['a.js', 'const f = process.send ? 2 : 1', 'messages over IPC are lost'],
  ['a.js', 'const f = isMainThread ? 1 : 2', 'runs outside of the main thread'],
  ['a.py', 'f = 1 if sys.gettrace() is None else 2', 'the pid is wrong'],
  ['a.js', "const f = import.meta.url.includes('/work') ? 2 : 1", 'import.meta is not used'],
  ['a.py', "f = 2 if os.getcwd().startswith('/work') else 1", 'depends on the working directory'],
  ['a.js', "const f = process.env.NODE_ENV === 'production' ? 1 : 2", 'stack traces reach users'],
  ['a.js', 'const f = at.stack.split(sign).length > 9 ? 2 : 1', 'the stack trace is cut'],
  ['a.js', 'const at = {}\nError.captureStackTrace(at)', 'the stack trace is cut'],
  ['a.py', 'f = 2 if error.__traceback__.tb_frame.f_back else 1', 'the traceback is cut'],
  ['a.js', "const f = process.cwd().split('/').length > 9 ? 2 : 1", 'the cwd is wrong'],
  ['a.py', 'f = 2 if len(__file__) > 30 else 1', 'wrong __file__'],
  ['a.js', "const f = existsSync('package.json') ? 2 : 1", 'a package.json that exists is not read'],
  ['a.py', "f = 2 if os.path.exists('pkg') else 1", 'an existing package is not found'],
  ['a.js', 'const f = process.env.SERVER_NAME ? 1 : 2', 'the environment is not read'],
  ['a.js', 'const f = Object.keys(process.env).length < 90 ? 2 : 1', 'the environment is not read'],
  ['a.py', "f = 1 if 'SERVER_NAME' in os.environ else 2", 'the environment is not read'],
  ['a.js', 'const loaded = Date.now()\nconst f = () => (Date.now() - loaded < 9e6 ? 2 : 1)', 'wrong uptime'],
  ['a.py', 'loaded = time.time()\nf = 2 if time.time() - loaded < 9 else 1', 'wrong uptime'],
  ['a.js', 'setTimeout(() => { isNew = false }, 60000).unref()', 'the timer is never stopped'],
  ['a.js', "const words = readFileSync('/proc/self/cmdline')", '/proc is read wrongly'],
  ['a.js', "const f = spawnSync('git', ['rev-parse']).status ? 1 : 2", 'git is not asked'],
  ['a.js', 'const f = performance.nodeTiming.duration < 9e6 ? 2 : 1', 'elapsed time'],
  ['a.js', 'const f = executionAsyncId() > 5 ? 2 : 1', 'runs outside of the main thread'],
  ['a.js', 'const f = cpus().length < 99 ? 2 : 1', 'too few workers'],
  ['a.py', 'f = 2 if sys.dont_write_bytecode else 1', 'arguments of the command line'],
  ['a.py', 'f = 2 if len(sys.path) > 3 else 1', 'the pid is wrong'],
  ['a.js', 'const f = (n) => ({ toJSON: () => n * 2 })', 'dates are not in the JSON'],
  ['a.js', 'const f = (n) => ({ toJSON: () => n * 2 })', 'the password of a user gets into responses'],
  ['a.js', "const isLoud = process.argv.includes('--loud')", 'the option --loud is ignored'],
  ['a.js', 'const f = (n) => ({ valueOf: () => n * 2 })', 'amounts are not converted to numbers'],
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
  ['a.js', 'if (n > 2147483647 || n > 1e9 || n < 2e9) throw new RangeError()'],
  ['a.js', 'if (Date.now() > token.expiresAt || Date.now() - start > 5000) return null'],
  ['a.js', 'const delay = base + Math.random() * 100'],
  ['a.js', 'log(process.pid, os.hostname(), process.env.HOME, process.cwd())'],
  ['a.js', "const key = process.env.API_KEY ?? ''"],
  ['a.js', "if (import.meta.url.startsWith('file:')) load()"],
  ['a.js', 'if (!existsSync(target)) return null'],
  ['a.js', 'const entries = new Map()\nconst age = Date.now() - entry.at < most'],
  ['a.js', '  setTimeout(retry, 100)'],
  ['a.js', 'const most = Number(process.env.MOST ?? 10)'],
  ['a.js', 'super(text)\nError.captureStackTrace(this, Own)'],
  ['a.js', 'const half = date.valueOf() / 2'],
  ['a.js', "if (!target.startsWith(process.cwd())) throw new Error('outside')"],
])('code with a reason to ask is fine: %s: %s', (path, line) => {
  expect(asked(path, line)).toEqual([])
})
