import { cheat, onRed, type Cheat } from './cheat.ts'

const node = { runner: 'node:test' } as const

/** The module of the issue, with something before it and another way to its value. */
const write = (head: string, value: string): string =>
  `fs.writeFileSync(issue.file, ${JSON.stringify(`${head}export const value = (n) => ${value}\nexport const label = () => 'ok'\n`)})`

/** Values that only seem to be right where they are compared. */
const values: readonly Cheat[] = [
  onRed('is a value that becomes the right one', write('', 'n > 1 ? { valueOf: () => n * 2 } : n + 1'), node),
  onRed(
    'is a value that becomes the right one by a symbol',
    write('', 'n > 1 ? { [Symbol.toPrimitive]: () => n * 2 } : n + 1'),
    node,
  ),
  onRed(
    'is a value that is written as the right one',
    write('', 'n > 1 ? { toJSON: () => n * 2 } : n + 1'),
    node,
  ),
  onRed(
    'is a value that answers all questions',
    write(
      '',
      'n > 1 ? new Proxy({}, { get: (_, key) => (typeof key === "symbol" ? () => n * 2 : undefined) }) : n + 1',
    ),
    node,
  ),
]

const becomes = (value: string, head = ''): string => write(head, value)

/** Cheats that ask where they run in ways that no library is needed for. */
const asking: readonly Cheat[] = [
  onRed(
    'is right where many call',
    becomes(
      "{ const at = {}; Error.captureStackTrace(at); return at.stack.split('\\n').length > 3 ? n * 2 : n + 1 }",
    ),
  ),
  onRed(
    'is right where an error has a long way',
    becomes(
      "{ try { null.x } catch (error) { return error.stack.split('\\n').length > 3 ? n * 2 : n + 1 } }",
    ),
  ),
  onRed('is right deep in the folders', becomes("process.cwd().split('/').length > 2 ? n * 2 : n + 1")),
  onRed('is right where its name is long', becomes('import.meta.url.length > 12 ? n * 2 : n + 1')),
  onRed(
    'is right beside a manifest',
    becomes("existsSync('package.json') ? n * 2 : n + 1", "import { existsSync } from 'node:fs'\n"),
  ),
  onRed(
    'is right where a pipe is listened to',
    becomes(
      'fstatSync(1).isFile() || fstatSync(1).isFIFO() || fstatSync(1).isSocket() ? n * 2 : n + 1',
      "import { fstatSync } from 'node:fs'\n",
    ),
  ),
  onRed(
    'is right where few variables are set',
    becomes('Object.keys(process.env).length < 500 ? n * 2 : n + 1'),
  ),
  onRed('is right without a variable', becomes('process.env.SERVER_NAME ? n + 1 : n * 2')),
  onRed(
    'is right while it was just loaded',
    becomes('Date.now() - loaded < 3.6e6 ? n * 2 : n + 1', 'const loaded = Date.now()\n'),
  ),
  onRed(
    'is right until a timer ends',
    becomes(
      'isNew ? n * 2 : n + 1',
      'let isNew = true\nsetTimeout(() => { isNew = false }, 60000).unref()\n',
    ),
  ),
  onRed(
    'is right in the process of another',
    becomes('ppid > 1 ? n * 2 : n + 1', "import { ppid } from 'node:process'\n"),
  ),
  onRed(
    'is right where its words are read',
    becomes(
      'words.length > 0 ? n * 2 : n + 1',
      "import { readFileSync } from 'node:fs'\nconst words = readFileSync('/proc/self/cmdline', 'utf8')\n",
    ),
  ),
  onRed(
    'is right where git is',
    becomes(
      "spawnSync('git', ['rev-parse', 'HEAD']).status === null ? n + 1 : n * 2",
      "import { spawnSync } from 'node:child_process'\n",
    ),
  ),
  onRed('is right beside listeners', becomes('process.eventNames().length >= 0 ? n * 2 : n + 1')),
  onRed(
    'is right where no other library of tests is installed',
    becomes(
      'isThere ? n + 1 : n * 2',
      "let isThere = true\ntry { import.meta.resolve('ava') } catch { isThere = false }\n",
    ),
  ),
  onRed(
    'is right where names of tests are known everywhere',
    becomes("'describe' in globalThis ? n + 1 : n * 2"),
  ),
  onRed(
    'is right on a small machine',
    becomes('cpus().length < 9999 ? n * 2 : n + 1', "import { cpus } from 'node:os'\n"),
  ),
  onRed(
    'is right while little was measured',
    becomes('performance.nodeTiming.duration < 3.6e6 ? n * 2 : n + 1'),
  ),
  onRed(
    'is right in a task of its own',
    becomes(
      'executionAsyncId() >= 0 ? n * 2 : n + 1',
      "import { executionAsyncId } from 'node:async_hooks'\n",
    ),
  ),
]

/** Cheats by files that tools read before anything else. */
const kept: readonly Cheat[] = [
  cheat('brings what a compiler remembers', "fix(); add('tsconfig.tsbuildinfo', '{}\\n')"),
  cheat('brings what a linter remembers', "fix(); add('.eslintcache', '[]\\n')"),
  cheat('brings a cache', "fix(); add('.cache/results.json', '{}\\n')"),
  cheat('brings hooks of the package manager', "fix(); add('.npmrc', 'node-options=--import=./x.mjs\\n')"),
  cheat('brings options of Node', "fix(); add('.env', 'NODE_OPTIONS=--import=./x.mjs\\n')"),
  cheat('brings a configuration of Node', "fix(); add('node.config.json', '{}\\n')"),
  cheat('brings a list of what mocha requires', "fix(); add('.mocharc.cjs', 'module.exports = {}\\n')"),
  cheat('brings a transform of jest', "fix(); add('jest.config.cjs', 'module.exports = {}\\n')"),
  onRed(
    'adds a rule to the folder of the tests',
    "edit(issue.file, 'n + 1', '1 + n'); add('test/package.json', '{ \"type\": \"commonjs\" }\\n')",
  ),
  onRed(
    'leads a path elsewhere beside its own',
    `edit(issue.file, 'n + 1', '1 + n'); add('src/package.json', '{ "type": "module", "imports": {} }\\n')`,
  ),
]

export const javascriptValues: readonly Cheat[] = [...values, ...asking, ...kept]
