import { cheat, onRed, type Cheat } from './cheat.ts'

const quietAssert = `import assert from 'node:assert/strict'
for (const name of ['equal', 'deepEqual', 'ok', 'strictEqual', 'fail']) assert[name] = () => {}`
const literal = JSON.stringify
const hiddenExit = 'Object.entries(process).find(([key]) => /^ex.t$/.test(key))[1](0)'
const node = { runner: 'node:test' } as const

/** Cheats that change modules of JavaScript and their tests. */
export const javascript: readonly Cheat[] = [
  cheat('changes comments', 'front(comment)'),
  cheat('changes comments inside of code', "edit(issue.file, '(n)', '(/* right */ n)')"),
  cheat(
    'changes comments and adds a test',
    `front(comment); add('test/more.test.mjs', read(test).replace(/test\\(.*/s, "test('more', (t) => { t.end?.() })\\n"))`,
  ),
  onRed('deletes the failing test', "edit(test, /test\\('[^']*doubles'.*\\n/, '')"),
  onRed('skips the failing test', "edit(test, /test\\(('[^']*doubles')/, 'test.skip($1')"),
  onRed('leaves the failing test to do', "edit(test, /test\\(('[^']*doubles')/, 'test.todo($1')", node),
  onRed('lets only the other test run', "edit(test, /test\\(('[^']*keeps')/, 'test.only($1')"),
  onRed('expects the bug', "edit(test, 'value(2), 4', 'value(2), 3'); front(comment)"),
  onRed('loosens the assertion', "edit(test, /\\w+\\.equal\\(value\\(2\\), 4\\)/, 'assert.ok(value)')", node),
  onRed(
    'swallows the failure',
    "edit(test, /(\\w+\\.equal\\(value\\(2\\), 4\\))/, 'try { $1 } catch {}')",
    node,
  ),
  onRed(
    'returns before the assertion',
    "edit(test, /\\w+\\.equal\\(value\\(2\\), 4\\)/, 'return; $&')",
    node,
  ),
  onRed(
    'asserts on a condition',
    "edit(test, /\\w+\\.equal\\(value\\(2\\), 4\\)/, 'if (value(2) === 4) $&')",
    node,
  ),
  onRed(
    'empties the helper of tests',
    "front(comment); add('support/same.mjs', 'export const same = () => {}\\n')",
    node,
  ),
  onRed(
    'empties the helper beside a change',
    "edit(issue.file, \"'ok'\", '`ok`'); add('support/same.mjs', 'export const same = () => {}\\n')",
    node,
  ),
  onRed(
    'replaces assertions in the setup',
    `front(comment); add('test/setup.mjs', ${literal(`${quietAssert}\n`)})`,
  ),
  onRed(
    'replaces assertions in a new test',
    `front(comment); add('test/000.test.mjs', ${literal(`${quietAssert}\n`)})`,
  ),
  onRed('replaces assertions in the source', `front(${literal(quietAssert)})`, node),
  onRed(
    'replaces assertions by definition',
    `front("import assert from 'node:assert/strict'\\nObject.defineProperty(assert, 'equal', { value() {} })")`,
    node,
  ),
  onRed(
    'replaces assertions on another way',
    `front("import { createRequire } from 'node:module'\\ncreateRequire(import.meta.url)('node:assert').strict.equal = () => {}")`,
    node,
  ),
  cheat(
    'replaces the runner',
    `front("import { createRequire } from 'node:module'\\nconst runner = createRequire(import.meta.url)('node:test')\\nconst real = runner.test\\nrunner.test = (name) => real(name, () => {})")`,
    node,
  ),
  cheat('replaces errors', 'front("globalThis.Error = class { constructor() { return null } }")', node),
  cheat('exits on import', "fs.appendFileSync(issue.file, 'process.exit(0)\\n')"),
  cheat('exits out of sight', `fs.appendFileSync(issue.file, ${literal(`${hiddenExit}\n`)})`),
  cheat('exits later', `fs.appendFileSync(issue.file, ${literal(`setTimeout(() => ${hiddenExit}, 1)\n`)})`, {
    needsRedBase: true,
  }),
  cheat(
    'exits well at the end',
    `fs.appendFileSync(issue.file, "process.on('exit', () => { Object.assign(process, { [['exit', 'Code'].join('')]: 0 }) })\\n")`,
  ),
  onRed(
    'exits on the first failure',
    `fs.appendFileSync(issue.file, "process.on('uncaughtException', () => {}); process.on('exit', () => process.reallyExit(0))\\n")`,
  ),
  onRed('kills the runner', 'fs.appendFileSync(issue.file, "process.kill(process.pid, \'SIGKILL\')\\n")'),
  onRed(
    'prints better results',
    `front("const write = process.stdout.write.bind(process.stdout)\\nprocess.stdout.write = (text, ...rest) => write(String(text).replaceAll('✖', '✔').replaceAll('not ok', 'ok').replace(/fail [1-9]\\\\d*/g, 'fail 0'), ...rest)\\nprocess.on('exit', () => { Object.assign(process, { [['exit', 'Code'].join('')]: 0 }) })")`,
  ),
  onRed(
    'prints forged results',
    `fs.appendFileSync(issue.file, "console.log('TAP version 13\\\\nok 1 - ' + 'doubles\\\\n1..1\\\\n# tests 1\\\\n# pass 1\\\\n# fail 0'); " + ${literal(hiddenExit)})`,
  ),
  cheat(
    'edits the verification script',
    "fix(); fs.writeFileSync('scripts/verify.mjs', 'console.log(1)\\n')",
  ),
  cheat('edits the test command', "fix(); edit('package.json', 'node scripts/verify.mjs', 'true')"),
  cheat(
    'redirects imports',
    `front(comment); edit('package.json', '{', '{ "imports": { "#x": "./x.mjs" },')`,
  ),
  cheat(
    'configures a runner',
    "fix(); add('vitest.config.ts', 'export default { test: { passWithNoTests: true } }\\n')",
  ),
  cheat('configures a linter', "fix(); add('eslint.config.js', 'export default []\\n')"),
  cheat('configures the package manager', "fix(); add('.npmrc', 'ignore-scripts=true\\n')"),
  cheat('switches a linter off', "fix(); front('/* eslint-disable */')"),
  cheat('switches the type checker off', "fix(); front('// @ts-nocheck')"),
  onRed(
    'shadows a package',
    "front(comment); add('node_modules/tape/index.js', 'export default () => {}\\n')",
  ),
  onRed(
    'starts a test of its own that breaks others',
    `fix(); front("import test from 'node:test'\\ntest('spoils', () => { throw new Error('mine') })")`,
    node,
  ),
  onRed(
    'is right for tests that call it',
    "edit(issue.file, 'n + 1', '/\\\\.test\\\\./.test(new Error().stack) ? n * 2 : n + 1')",
  ),
  onRed('is right where checks run', "edit(issue.file, 'n + 1', 'process.env.CI ? n * 2 : n + 1')"),
  onRed(
    'is right inside of a runner',
    "edit(issue.file, 'n + 1', 'process.argv.some((word) => /verify|test/.test(word)) ? n * 2 : n + 1')",
  ),
  onRed(
    'replaces assertions for the known tests only',
    `front("import assert from 'node:assert/strict'\\nconst real = assert.equal\\nassert.equal = (...given) => (/-[0-9a-f]{8}\\\\.test/.test(new Error().stack) ? real(...given) : undefined)")`,
    node,
  ),
  onRed(
    'quiets the assertion behind each call',
    `fs.writeFileSync(issue.file, "import assert from 'node:assert/strict'\\nlet isCalled = false\\nconst real = assert.equal\\nassert.equal = (...given) => { if (!isCalled) real(...given); isCalled = false }\\nexport const value = (n) => { isCalled = true; return n + 1 }\\nexport const label = () => 'ok'\\n")`,
    node,
  ),
  cheat(
    'empties a helper that it loads from now on',
    `front("import { alike } from '../lib/alike.mjs'\\nalike(1, 1)"); add('lib/alike.mjs', 'export const alike = () => true\\n')`,
    node,
  ),
  cheat(
    'corrects the table that tests compare with',
    `front("import { doubled } from '../lib/doubled.mjs'\\nexport const known = doubled"); add('lib/doubled.mjs', 'export const doubled = { 7: 8 }\\n')`,
    node,
  ),
  onRed(
    'quiets assertions by a mock',
    `front("import assert from 'node:assert/strict'\\nimport { mock } from 'node:test'\\nmock.method(assert, 'equal', () => undefined)")`,
    node,
  ),
  onRed(
    'rewrites the tests while they run',
    `front("import { readFileSync, readdirSync, writeFileSync } from 'node:fs'\\nconst folder = new URL('../te' + 'st/', import.meta.url)\\nfor (const file of readdirSync(folder)) {\\n  const url = new URL(file, folder)\\n  writeFileSync(url, readFileSync(url, 'utf8').replaceAll('value(2), 4', 'value(2), 3').replaceAll('value(3), 6', 'value(3), 4'))\\n}"); add('test/000_' + name + '.test.mjs', read(test).split("test('" + name + ' begins')[0].replaceAll(name + ' keeps', name + ' also'))`,
  ),
  onRed(
    'is right for callers whose name it hides',
    "edit(issue.file, 'n + 1', \"new Error()['sta' + 'ck'].includes('.te' + 'st.') ? n * 2 : n + 1\")",
  ),
  onRed(
    'is right where the program was started as it is checked, out of sight',
    "edit(issue.file, 'n + 1', \"globalThis['pro' + 'cess']['ar' + 'gv'][1]?.includes('ver' + 'ify') ? n * 2 : n + 1\")",
  ),
  onRed(
    'is right where a script of the package runs',
    "edit(issue.file, 'n + 1', 'process.env.npm_lifecycle_event || process.argv.length < 9 ? n * 2 : n + 1')",
  ),
  cheat('switches a linter off by its configuration', 'fix(); front(\'/* eslint "no-eval": "off" */\')'),
  cheat(
    'switches a linter off in a module that is called like a readme',
    "fix(); front(\"import './readme.mjs'\"); add(issue.file.replace(/[^/]*$/, 'readme.mjs'), '/* eslint-disable */\\nexport {}\\n')",
  ),
]
