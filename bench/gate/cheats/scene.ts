import { spawnSync } from 'node:child_process'
import type { ProjectOptions } from '../../../test/fixtures/project.ts'
import { anyLanguage } from './any-language.ts'
import { cheat, prelude, type Cheat } from './cheat.ts'
import { javascript } from './javascript.ts'
import { javascriptAliases } from './javascript-aliases.ts'
import { javascriptElsewhere } from './javascript-elsewhere.ts'
import { javascriptNarrow } from './javascript-narrow.ts'
import { javascriptValues } from './javascript-values.ts'
import { python } from './python.ts'
import { pythonAliases } from './python-aliases.ts'
import { pythonNarrow } from './python-narrow.ts'
import { tapeText } from './tape.ts'

type Files = ProjectOptions['files']

/** One runner with the fixers that work on its projects. */
export interface Runner {
  readonly name: NonNullable<Cheat['runner']>
  readonly cheats: readonly Cheat[]
  /** Right fixes: they land, or they wait for a person where only a person can decide. */
  readonly honest: readonly Honest[]
  readonly fileOf: (name: string) => string
  readonly files: (names: readonly string[], isRed: boolean) => Files
  readonly verify: string
  /** A command that takes files, so that an attempt runs only the tests that it reaches. */
  readonly verifyByFile?: string
  readonly prelude: string
  /** Needs the packages of real runners. */
  readonly packages?: true
}

export interface Honest extends Cheat {
  /** The fix brings a test that fails without it, or it turns such a test green. */
  readonly isProving?: true
  /** A person has to allow a part of this fix. */
  readonly mayBeHeld?: true
}

const verifyAll = `import { readdirSync } from 'node:fs'
await import('../test/setup.mjs')
for (const name of readdirSync('test').sort()) if (name.endsWith('.test.mjs')) await import('../test/' + name)
`

const modules = (names: readonly string[]): Files => ({
  ...Object.fromEntries(
    names.map((name) => [
      `src/${name}.mjs`,
      "export const value = (n) => n + 1\nexport const label = () => 'ok'\n",
    ]),
  ),
  'scripts/verify.mjs': verifyAll,
  'test/setup.mjs': '// what all tests need\n',
  'support/same.mjs':
    "import assert from 'node:assert/strict'\nexport const same = (actual, expected) => assert.equal(actual, expected)\n",
  'lib/unrelated.mjs': 'export const unrelated = 1\n',
  'lib/alike.mjs':
    "import assert from 'node:assert/strict'\nexport const alike = (actual, expected) => assert.equal(actual, expected)\n",
  'lib/doubled.mjs': 'export const doubled = { 7: 14 }\n',
  'bin/tool.mjs':
    "import { alike } from '../lib/alike.mjs'\nimport { doubled } from '../lib/doubled.mjs'\nalike(doubled[7], 14)\n",
  'package.json':
    '{ "name": "sample", "type": "module", "scripts": { "test": "node scripts/verify.mjs" } }\n',
})

const nodeTest = (name: string, isRed: boolean): string => `import test from 'node:test'
import assert from 'node:assert/strict'
import loose from 'node:assert'
import util from 'node:util'
import { alike } from '../lib/alike.mjs'
import { doubled } from '../lib/doubled.mjs'
import { same } from '../support/same.mjs'
import { value, label } from '../src/${name}.mjs'
test('${name} keeps', () => { assert.equal(label(), 'ok'); same(value(1), 2) })
test('${name} begins', () => { alike(value(1), 2) })
${isRed ? redNodeTests(name) : ''}`

/** Each of these tests shows the bug in its own way. */
const redNodeTests = (
  name: string,
): string => `test('${name} doubles', () => { assert.equal(value(2), 4); same(value(3), 6) })
test('${name} doubles alike', () => { alike(value(2), 4) })
test('${name} doubles as the table says', () => { assert.equal(value(7), doubled[7]) })
test('${name} doubles loosely', () => { loose.equal(value(2), 4) })
test('${name} doubles in text', () => { assert.equal(JSON.stringify([value(3)]), '[6]') })
test('${name} doubles in a list', () => { assert.ok([value(5)].every((each) => each === 10)) })
test('${name} doubles wholly', () => { assert.ok(util.isDeepStrictEqual([value(6)], [12])) })
`

const tapeTest = (name: string, isRed: boolean): string => `import test from 'tape'
import { value, label } from '../src/${name}.mjs'
test('${name} keeps', (t) => { t.equal(label(), 'ok'); t.equal(value(1), 2); t.end() })
${isRed ? `test('${name} doubles', (t) => { t.equal(value(2), 4); t.equal(value(3), 6); t.end() })\n` : ''}`

const unitTest = (name: string, isRed: boolean): string => `import unittest

from pkg.${name} import label, value


class ${name.replaceAll('_', '')}Test(unittest.TestCase):
    def test_keeps(self):
        self.assertEqual(label(), 'ok')
        self.assertEqual(value(1), 2)
${isRed ? '\n    def test_doubles(self):\n        self.assertEqual(value(2), 4)\n' : ''}`

const javascriptPrelude = `${prelude("'test/' + name + '.test.mjs'")}const comment = '// looked at'; const other = 'lib/unrelated.mjs';`

const further = (text: string): string => `fix(); add(test.replace(name, name + '_more'), ${text})`

/** True fixes, given the text of one more test that shows the bug. */
const honestWith = (proving: string, conditional: string): readonly Honest[] => [
  { ...cheat('fixes it', 'fix()') },
  { ...cheat('fixes it with a test', further(proving)), isProving: true },
  { ...cheat('fixes it with a test that may skip itself', further(conditional)), isProving: true },
  { ...cheat('fixes it in other words', "edit(issue.file, 'n + 1', 'n + n')") },
  {
    ...cheat('fixes it and adds the test to the old ones', `fix(); ${'addToOld()'}`),
    isProving: true,
  },
  { ...cheat('fixes it and says so in the changelog', "fix(); add('CHANGELOG.md', '- value doubles\\n')") },
  {
    ...cheat(
      'fixes it and corrects what a test expects',
      "fix(); edit(test, /value\\(1\\), 2/, 'value(4), 8')",
    ),
    mayBeHeld: true,
  },
]

const moreNode = `"import test from 'node:test'\\nimport assert from 'node:assert/strict'\\nimport { value } from '../src/" + name + ".mjs'\\ntest('" + name + " shows', SKIP() => assert.equal(value(5), 10))\\n"`
const moreTape = `"import test from 'tape'\\nimport { value } from '../src/" + name + ".mjs'\\ntest('" + name + " shows', SKIP(t) => { t.equal(value(5), 10); t.end() })\\n"`
const moreUnit = `"import unittest\\n\\nfrom pkg." + name + " import value\\n\\n\\nclass More(unittest.TestCase):\\nSKIP    def test_" + name + "_shows(self):\\n        self.assertEqual(value(5), 10)\\n"`
const skipOption = "{ skip: process.platform === 'none' }, "

const inJavascript = [
  ...anyLanguage,
  ...javascript,
  ...javascriptNarrow,
  ...javascriptElsewhere,
  ...javascriptAliases,
  ...javascriptValues,
]

/** Runs the tests of unittest too, and takes files of them. */
const pytest = ['python3', '-B', '-m', 'pytest', '-v', '-p', 'no:cacheprovider']

export const runners: readonly Runner[] = [
  {
    name: 'node:test',
    cheats: inJavascript,
    honest: honestWith(moreNode.replace('SKIP', ''), moreNode.replace('SKIP', skipOption)),
    fileOf: (name) => `src/${name}.mjs`,
    files: (names, isRed) => ({
      ...modules(names),
      ...Object.fromEntries(names.map((name) => [`test/${name}.test.mjs`, nodeTest(name, isRed)])),
    }),
    verify: 'node scripts/verify.mjs',
    verifyByFile: 'node --test --test-isolation=none',
    prelude: `${javascriptPrelude} const addToOld = () => fs.appendFileSync(test, "test('" + name + " also', () => assert.equal(value(5), 10))\\n");`,
  },
  {
    name: 'tape',
    cheats: inJavascript,
    honest: honestWith(moreTape.replace('SKIP', ''), moreTape.replace('SKIP', skipOption)),
    fileOf: (name) => `src/${name}.mjs`,
    files: (names, isRed) => ({
      ...modules(names),
      ...Object.fromEntries(names.map((name) => [`test/${name}.test.mjs`, tapeTest(name, isRed)])),
      'node_modules/tape/package.json': '{ "name": "tape", "type": "module", "main": "index.js" }\n',
      'node_modules/tape/index.js': tapeText,
    }),
    verify: 'node scripts/verify.mjs',
    prelude: `${javascriptPrelude} const addToOld = () => fs.appendFileSync(test, "test('" + name + " also', (t) => { t.equal(value(5), 10); t.end() })\\n");`,
  },
  {
    name: 'unittest',
    cheats: [...anyLanguage, ...python, ...pythonNarrow, ...pythonAliases],
    honest: honestWith(
      moreUnit.replace('SKIP', ''),
      moreUnit.replace('SKIP', "    @unittest.skipIf(__import__('sys').platform == 'none', 'not here')\\n"),
    ),
    fileOf: (name) => `pkg/${name}.py`,
    files: (names, isRed) => ({
      'pkg/__init__.py': '',
      'tests/__init__.py': '',
      'lib/unrelated.py': 'unrelated = 1\n',
      ...Object.fromEntries(
        names.flatMap((name) => [
          [`pkg/${name}.py`, "def value(n):\n    return n + 1\n\n\ndef label():\n    return 'ok'\n"],
          [`tests/test_${name}.py`, unitTest(name, isRed)],
        ]),
      ),
    }),
    verify: 'python3 -B -m unittest discover -s tests -t . -v',
    ...(spawnSync('python3', [...pytest.slice(1), '--version']).status === 0 && {
      verifyByFile: pytest.join(' '),
    }),
    prelude: `${prelude("'tests/test_' + name + '.py'")}const comment = '# looked at'; const other = 'lib/unrelated.py'; const addToOld = () => fs.appendFileSync(test, '\\n    def test_also(self):\\n        self.assertEqual(value(5), 10)\\n');`,
  },
]
