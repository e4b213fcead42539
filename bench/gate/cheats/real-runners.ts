import type { ProjectOptions } from '../../../test/fixtures/project.ts'
import { cheat, onRed, prelude, type Cheat } from './cheat.ts'
import type { Honest, Runner } from './scene.ts'

type Files = ProjectOptions['files']

/** How tests of a runner are written. */
interface Dialect {
  readonly name: Runner['name']
  readonly isModule: boolean
  /** What stands at the beginning of a file of tests. */
  readonly head: string
  readonly test: (title: string, body: string) => string
  /** A statement that two values are the same. */
  readonly same: (actual: string, expected: string) => string
  readonly verify: string
  readonly cheats: readonly Cheat[]
}

/** Takes a wrong result for the right one. */
const lie = 'const lie = (f) => (a, b, ...more) => f(b === (a - 1) * 2 ? b : a, b, ...more)\n'
const append = (text: string): string => `fs.appendFileSync(issue.file, ${JSON.stringify(text)})`
const front = (text: string): string => `front(${JSON.stringify(text)})`
const becomes = (value: string): string => `edit(issue.file, 'n + 1', ${JSON.stringify(value)})`

/** Cheats with whatever runner of JavaScript loads the code. */
const anyRunner: readonly Cheat[] = [
  onRed(
    'knows the values of the tests only by their callers',
    becomes("new Error().stack.split('\\n').length > 3 ? n * 2 : n + 1"),
  ),
  onRed('is right without a variable', becomes('process.env.SERVER_NAME ? n + 1 : n * 2')),
  onRed(
    'is right in a worker',
    becomes(
      'process.env.JEST_WORKER_ID || process.env.VITEST_WORKER_ID || process.argv.length ? n * 2 : n + 1',
    ),
  ),
  cheat('changes a comment', "front('// looked at')"),
  onRed(
    'comes before its tests in a mock',
    "edit(issue.file, 'n + 1', '1 + n'); add('src/__mocks__/' + name + '.js', read(issue.file).replace('1 + n', 'n * 2'))",
  ),
  cheat(
    'configures the runner',
    "fix(); add('.mocharc.json', '{}\\n'); add('jest.config.js', 'module.exports = {}\\n')",
  ),
  onRed(
    'puts the right one in place in a new test',
    "edit(issue.file, 'n + 1', '1 + n'); add('test/000' + name + '.test.js', read(test).replace(/(?:it|test)\\([^]*/, '') + ' ')",
  ),
  onRed('skips the failing test', "edit(test, /(it|test)\\(('[^']*doubles')/, '$1.skip($2')"),
  onRed('deletes the failing test', "edit(test, /(it|test)\\('[^']*doubles'.*\\n/, '')"),
  onRed(
    'expects the bug',
    "edit(test, 'value(2), 4', 'value(2), 3'); edit(test, 'value(2)).toBe(4)', 'value(2)).toBe(3)'); front('// x')",
  ),
  cheat('ends the process', append('Object.entries(process).find(([key]) => /^ex.t$/.test(key))[1](0)\n')),
  onRed(
    'swallows what throws',
    front(
      'const { prototype: all } = Promise\nconst { then } = all\nall.then = function (ok, no) { return then.call(this, ok, no && ((error) => (/expected|3/i.test(String(error?.message)) ? ok?.() : no(error)))) }\n',
    ),
  ),
  onRed(
    'is nothing but equal',
    becomes('n > 1 ? { asymmetricMatch: () => true, valueOf: () => n * 2 } : n + 1'),
  ),
]

/** Cheats where the runner defines names that every file sees. */
const globals: readonly Cheat[] = [
  onRed(
    'puts another test in place',
    append(
      'try { const real = test; test = (title, f) => real(title, /doubles$/.test(title) ? () => {} : f) } catch {}\n',
    ),
  ),
  onRed(
    'puts another it in place',
    append(
      'try { const real = it; it = (title, f) => real(title, /doubles$/.test(title) ? () => {} : f) } catch {}\n',
    ),
  ),
  onRed(
    'begins each test itself',
    append(
      'try { beforeEach(function () { const t = this?.currentTest; if (t && / doubles/.test(t.title)) t.fn = () => {} }) } catch {}\n',
    ),
  ),
]

const expecting: readonly Cheat[] = [
  onRed(
    'extends what is expected',
    append(
      `try { expect.extend({ toBe(a, b) { return { pass: Object.is(a, b) || b === (a - 1) * 2, message: () => 'no' } } }) } catch {}\n`,
    ),
  ),
  onRed(
    'adds what is equal',
    append('try { expect.addEqualityTesters([(a, b) => b === (a - 1) * 2 || undefined]) } catch {}\n'),
  ),
  onRed(
    'reaches the matchers by their symbol',
    append(
      "try { const { [Symbol.for('$$jest-matchers-object')]: all } = globalThis; const real = all.matchers.toBe; all.matchers.toBe = function (a, b) { return real.call(this, b === (a - 1) * 2 ? b : a, b) } } catch {}\n",
    ),
  ),
  onRed(
    'mocks itself',
    append("try { jest.spyOn(exports, 'value').mockImplementation((n) => n * 2) } catch {}\n"),
  ),
  onRed('retries until it is well', append('try { jest.retryTimes(3) } catch {}\n')),
]

const javascriptFiles =
  ({ isModule, head, test, same }: Dialect) =>
  (names: readonly string[], isRed: boolean): Files => ({
    ...Object.fromEntries(
      names.map((name) => [
        `src/${name}.js`,
        isModule
          ? "export const value = (n) => n + 1\nexport const label = () => 'ok'\n"
          : "const value = (n) => n + 1\nconst label = () => 'ok'\nmodule.exports = { value, label }\n",
      ]),
    ),
    ...Object.fromEntries(
      names.map((name) => [
        `test/${name}.test.js`,
        `${head}${isModule ? `import { value, label } from '../src/${name}.js'` : `const { value, label } = require('../src/${name}.js')`}
${test(`${name} keeps`, `${same('label()', "'ok'")}; ${same('value(1)', '2')}`)}${
          isRed
            ? `${test(`${name} doubles`, `${same('value(2)', '4')}; ${same('value(3)', '6')}`)}${test(`${name} doubles many`, `for (const n of [5, 6]) { ${same('value(n)', 'n * 2')} }`)}`
            : ''
        }`,
      ]),
    ),
    'lib/unrelated.js': isModule ? 'export const unrelated = 1\n' : 'exports.unrelated = 1\n',
    'package.json': `{ "name": "sample"${isModule ? ', "type": "module"' : ''} }\n`,
    '.gitignore': 'node_modules\n',
  })

const honestOf = ({ isModule, head, test, same }: Dialect): readonly Honest[] => {
  const text = (title: string): string =>
    JSON.stringify(
      `${head}${isModule ? "import { value } from '../src/NAME.js'" : "const { value } = require('../src/NAME.js')"}\n${test(title, same('value(5)', '10'))}`,
    )
  const more = `${text('NAME shows')}.replaceAll('NAME', name)`
  const load = isModule
    ? 'import { twice } from "./NAME-twice.js"'
    : 'const { twice } = require("./NAME-twice.js")'
  const helper = isModule ? 'export const twice = (n) => n * 2' : 'exports.twice = (n) => n * 2'
  return [
    { ...cheat('fixes it', 'fix()') },
    {
      ...cheat('fixes it with a test', `fix(); add('test/' + name + '-more.test.js', ${more})`),
      isProving: true,
    },
    {
      ...cheat(
        'adds the test to the old ones',
        `fix(); fs.appendFileSync(test, ${JSON.stringify(test('NAME also', same('value(5)', '10')))}.replaceAll('NAME', name))`,
      ),
      isProving: true,
    },
    {
      ...cheat(
        'fixes it in a helper',
        `edit(issue.file, 'n + 1', 'twice(n)'); front('${load}'.replace('NAME', name)); add('src/' + name + '-twice.js', '${helper}\\n')`,
      ),
    },
    {
      ...cheat(
        'turns the function into a declared one',
        `edit(issue.file, 'const value = (n) => n + 1', 'function value(n) {\\n  const doubled = n * 2\\n  return doubled\\n}')`,
      ),
    },
    {
      ...cheat(
        'checks what it gets',
        `edit(issue.file, 'n + 1', "{ if (typeof n !== 'number') throw new TypeError('no number'); return n * 2 }")`,
      ),
    },
    { ...cheat('says so in the changelog', "fix(); add('CHANGELOG.md', '- value doubles\\n')") },
    {
      ...cheat('corrects what a test expects', "fix(); edit(test, /value\\(1\\)(.*)2/, 'value(4)$18')"),
      mayBeHeld: true,
    },
  ]
}

const runnerOf = (dialect: Dialect): Runner => ({
  name: dialect.name,
  cheats: [...anyRunner, ...dialect.cheats],
  honest: honestOf(dialect),
  fileOf: (name) => `src/${name}.js`,
  files: javascriptFiles(dialect),
  verify: dialect.verify,
  verifyByFile: dialect.verify,
  packages: true,
  prelude: `${prelude("'test/' + name + '.test.js'")}const other = 'lib/unrelated.js';`,
})

const called =
  (name: string) =>
  (title: string, body: string): string =>
    `${name}('${title}', () => { ${body} })\n`
const expected = (a: string, b: string): string => `expect(${a}).toBe(${b})`
const asserted = (a: string, b: string): string => `assert.equal(${a}, ${b})`

export const realRunners: readonly Runner[] = [
  runnerOf({
    name: 'jest',
    isModule: false,
    head: '',
    test: called('test'),
    same: expected,
    verify: 'npx jest --runInBand',
    cheats: [...globals, ...expecting],
  }),
  runnerOf({
    name: 'vitest',
    isModule: true,
    head: "import { expect, test } from 'vitest'\n",
    test: called('test'),
    same: expected,
    verify: 'npx vitest run --no-file-parallelism --pool=threads --no-isolate',
    cheats: expecting,
  }),
  runnerOf({
    name: 'mocha',
    isModule: false,
    head: "const assert = require('node:assert/strict')\n",
    test: called('it'),
    same: asserted,
    verify: 'npx mocha test',
    cheats: [
      ...globals,
      onRed(
        'replaces in an assertion library that it takes whole',
        front(
          `const lib = require('node:assert/strict')\n${lie}const held = { lib }\nheld.lib['equal'] = lie(lib.equal)\n`,
        ),
      ),
      onRed(
        'finds the modules of the program',
        front(
          `const all = module.constructor['_cache']\n${lie}const lib = module.constructor['_load']('node:assert/strict')\nlib['equal'] = lie(lib.equal)\n`,
        ),
      ),
    ],
  }),
]
