import { expect, it } from 'vitest'
import { createImportGraph, type ImportGraph } from '../../../model/proof/import-graph.ts'
import { testsAbout, type TestText } from './tests-about.ts'

const test = (path: string, text: string): TestText => ({ path, text })
const unread: ImportGraph = createImportGraph(new Map())
const graphOf = (imports: Readonly<Record<string, readonly string[]>>): ImportGraph =>
  createImportGraph(new Map(Object.entries(imports)))

it.each([
  ['src/cart.mjs', 'adds', "import { add } from '../src/cart.mjs'\ntest('adds', () => {})"],
  ['src/cart.ts', 'cart > adds #2', "const { add } = require('../src/cart')\ntest('adds', () => {})"],
  [
    'shop/cart.py',
    'tests/test_cart.py::TestCart::test_add[1-2]',
    'from shop.cart import add\ndef test_add(): pass',
  ],
  ['src/cart/index.ts', 'adds', "import { add } from '../src/cart'\ntest('adds', () => {})"],
])('where nobody reads imports, the text says that a red test is one of %s: %s', (file, name, text) => {
  const tests = [test('test/sample', text)]
  expect(testsAbout({ file, others: ['src/other.mjs'] }, [name], { tests, graph: unread })).toEqual([name])
})

it.each([
  [
    'another file is loaded',
    'src/cart.mjs',
    "import { add } from '../src/my-cart.mjs'\ntest('adds', () => {})",
  ],
  ['the name is only spoken of', 'src/cart.mjs', "// about the cart\ntest('adds', () => {})"],
  ['the name says nothing', 'src/index.ts', "import { add } from '../src/index.ts'\ntest('adds', () => {})"],
])('where nobody reads imports, it is not one: %s', (_name, file, text) => {
  const tests = [test('test/sample', text)]
  expect(testsAbout({ file, others: [] }, ['adds'], { tests, graph: unread })).toEqual([])
})

const files = { 'src/cart.js': [], 'src/assert.js': [], 'src/index.js': ['src/cart.js', 'src/assert.js'] }

it('a file that is called like a module of the platform takes no tests away from the others', () => {
  const tests = [test('test/cart.js', "import assert from 'node:assert'\ntest('adds', () => {})")]
  const graph = graphOf({ ...files, 'test/cart.js': ['src/cart.js'] })
  const about = (file: string, other: string) =>
    testsAbout({ file, others: [other] }, ['adds'], { tests, graph })
  expect(about('src/cart.js', 'src/assert.js')).toEqual(['adds'])
  expect(about('src/assert.js', 'src/cart.js')).toEqual([])
})

it('a test that loads the file through a barrel is one of it; with several suspects, the one it is named after', () => {
  const tests = [test('test/cart.test.js', "import { add } from '../src/index.js'\ntest('adds', () => {})")]
  const graph = graphOf({ ...files, 'test/cart.test.js': ['src/index.js'] })
  const about = (file: string, others: readonly string[]) =>
    testsAbout({ file, others }, ['adds'], { tests, graph })
  expect(about('src/cart.js', [])).toEqual(['adds'])
  expect(about('src/cart.js', ['src/assert.js'])).toEqual(['adds'])
  expect(about('src/assert.js', ['src/cart.js'])).toEqual([])
})

it.each([
  ['a template', 'test(`adds ${n}`, () => {})', 'adds 3'],
  ['a table', "test.each(cases)('%s', () => {})", 'adds 3'],
  ['a variable', 'for (const { name } of cases) test(name, () => {})', 'adds 3'],
  ['nothing that is known', 'define(cases)', 'module.test[0]'],
])('a title that is made of %s belongs to the files that could have made it', (_how, text, name) => {
  const tests = [test('test/all.js', text), test('test/other.js', "test('else', () => {})")]
  const graph = graphOf({ ...files, 'test/all.js': ['src/cart.js'], 'test/other.js': [] })
  expect(testsAbout({ file: 'src/cart.js', others: [] }, [name], { tests, graph })).toEqual([name])
})

it.each([
  ['a template', 'test(`x`, async () => { await import(`../src/${name}.js`) })', true],
  ['parts', "test('x', () => { require('../src/' + name) })", true],
  ['a variable', "test('x', async () => { await import(file) })", true],
  ['plain text', "test('x', async () => { await import('../src/other.js') })", false],
  ['plain text with attributes', "test('x', () => import('./a.json', { with: { type: 'json' } }))", false],
])('a test that makes the name of what it loads of %s may load any file: %s', (_how, text, isAny) => {
  const tests = [test('test/all.js', text)]
  const graph = graphOf({ ...files, 'test/all.js': [] })
  const about = testsAbout({ file: 'src/cart.js', others: [] }, ['x'], { tests, graph })
  expect(about).toEqual(isAny ? ['x'] : [])
})

it('a test that loads the files of several issues, and is named after none of them, is one of each', () => {
  const tests = [test('test/all.test.js', "import '../src/index.js'\ntest('adds', () => {})")]
  const graph = graphOf({ ...files, 'test/all.test.js': ['src/index.js'] })
  for (const [file, other] of [
    ['src/cart.js', 'src/assert.js'],
    ['src/assert.js', 'src/cart.js'],
  ] as const)
    expect(testsAbout({ file, others: [other] }, ['adds'], { tests, graph })).toEqual(['adds'])
})

it('a title that stands in another file of tests is not one of it', () => {
  const tests = [
    test('test/cart.js', "test('adds', () => {})"),
    test('test/other.js', "test('is red', () => {})"),
  ]
  const graph = graphOf({ ...files, 'test/cart.js': ['src/cart.js'], 'test/other.js': [] })
  expect(testsAbout({ file: 'src/cart.js', others: [] }, ['is red'], { tests, graph })).toEqual([])
})

it.each(['tests/test_a.py > test_adds', 'tests.test_a > ATest > test_adds'])(
  'a name that tells its file is not of another file with the same title: %s',
  (name) => {
    const text = 'def test_adds(): pass\n'
    const tests = [test('tests/test_a.py', text), test('tests/test_b.py', text)]
    const graph = graphOf({
      'tests/test_a.py': ['a.py'],
      'tests/test_b.py': ['b.py'],
      'a.py': [],
      'b.py': [],
    })
    expect(testsAbout({ file: 'a.py', others: [] }, [name], { tests, graph })).toEqual([name])
    expect(testsAbout({ file: 'b.py', others: [] }, [name], { tests, graph })).toEqual([])
  },
)
