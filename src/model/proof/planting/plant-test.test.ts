import { describe, expect, it } from 'vitest'
import { plantTests } from './plant-test.ts'

const key = '0123456789abcdef0123456789abcdef01234567'
/** Without the file's own tests, which is what is planted where those cannot be altered. */
const plant = (path: string, text: string) => plantTests({ path, text }, key).at(-1) ?? null

describe('where a planted test stands', () => {
  it.each(['src/sum.test.ts', 'tests/test_sum.py', 'pkg/sum_test.go'])(
    'is in the place of %s, so that no code can tell it by its name',
    (path) => expect(plant(path, "package pkg\ntest('ab', f)")?.path).toBe(path),
  )

  it('is nowhere in a language whose tests nobody can write, or in a file without a test', () => {
    expect(plant('src/sum_test.rs', '#[test]')).toBeNull()
    expect(plant('test/helper.mjs', 'export const a = 1')).toBeNull()
    expect(plant('pkg/sum_test.go', '// no package')).toBeNull()
  })
})

describe('what a planted test does', () => {
  it('loads all that the test beside it loads, over several lines too, and nothing else of it', () => {
    const text =
      "import { test } from 'node:test'\nimport {\n  a,\n  b,\n} from '../src/a.mjs'\n\nconst c = 1\ntest('a', () => a())\n"
    const { text: written = '' } = plant('test/a.test.mjs', text) ?? {}
    expect(written).toContain(
      "import { test } from 'node:test'\nimport {\n  a,\n  b,\n} from '../src/a.mjs'\nimport plain01234567",
    )
    expect(written).not.toContain('const c')
  })

  it('uses require where the test beside it does', () => {
    const text =
      "const { it } = require('node:test')\nconst {\n  a,\n} = require('../src/a')\nit('a', () => {})\n"
    const { text: written = '' } = plant('test/a.test.js', text) ?? {}
    expect(written).toMatch(/const \{\n {2}a,\n\} = require\('\.\.\/src\/a'\)/)
    expect(written).toMatch(/const plain01234567 = require\('node:assert'\)/)
    expect(written).toMatch(/^it\('keeps 01234567', /m)
  })

  it.each([
    [
      'expect of a runner',
      "import { expect, it } from 'vitest'\nit('a', () => expect(1).toBe(1))",
      /expect\(\d+\)\.toBe\(\d+\)/,
    ],
    [
      'expect of chai',
      "import { expect } from 'chai'\nit('a', () => expect(1).to.equal(1))",
      /expect\(\d+\)\.to\.equal\(\d+\)/,
    ],
    [
      'assertions of Node',
      "import { it } from 'node:test'\nit('a', () => {})",
      /strict01234567\.deepEqual\(/,
    ],
    ['tape', "import test from 'tape'\ntest('a', (t) => t.end())", /t\.fail\(/],
    [
      'a method of the runner',
      "const runner = require('node:test')\nrunner.test('a', () => {})",
      /^runner\.test\('keeps 01234567'/m,
    ],
  ])('fails by %s', (_, text, expected) => {
    expect(plant('test/a.test.mjs', text)?.text).toMatch(expected)
  })

  it('bears the titles of the tests that it stands for, and those with a number', () => {
    const { titles = [] } =
      plant('test/a.test.mjs', "import { it } from 'node:test'\nit('adds', f)\nit('takes away', f)") ?? {}
    expect(titles.slice(0, 4)).toEqual(['adds', 'takes away', 'adds 2', 'takes away 2'])
    const go = plant('pkg/sum_test.go', 'package pkg\nfunc TestSum(t *testing.T) {}\n')
    expect(go?.titles).toEqual(['TestSum'])
  })

  it('fails once under each of its titles', () => {
    const { text = '', titles = [] } =
      plant('test/a.test.mjs', "import { it } from 'node:test'\nit('a', () => {})") ?? {}
    expect(new Set(titles).size).toBe(titles.length)
    for (const title of titles) expect(text.split(`'${title}'`)).toHaveLength(2)
  })

  it('is a class where the tests of Python are, else functions', () => {
    const unit = plant(
      'tests/test_a.py',
      'import unittest\nfrom pkg.a import (\n  f,\n)\n\nclass A(unittest.TestCase):\n    pass\n',
    )
    expect(unit?.text).toMatch(
      /from pkg\.a import \(\n {2}f,\n\)\n[^]*class A\(unittest\.TestCase\)[^]*self\.assertEqual\(/,
    )
    expect(plant('tests/test_a.py', 'from pkg.a import f\ndef test_a(): pass\n')?.text).toMatch(
      /^def test_a_2\(\):\n {4}assert \d+ == \d+$/m,
    )
  })
})

describe('the best planted test', () => {
  it('has the tests of the file with other expectations, then new ones under titles with a number', () => {
    const text =
      "import { it } from 'node:test'\nimport { f } from '../src/f.mjs'\nit('adds', () => {\n  assert.equal(f(2), 4)\n})\n"
    const [best] = plantTests({ path: 'test/a.test.mjs', text }, key)
    expect(best?.text).toMatch(
      /^import \{ it \}[^]*it\('adds', \(\) => \{\n {2}assert\.equal\(f\(2\), \d\d\)\n\}\)/,
    )
    expect(best?.titles.slice(0, 3)).toEqual(['adds', 'adds 2', 'adds 3'])
    expect(best?.unsure).toEqual([])
  })

  it('adds a class of its own to those of Python', () => {
    const text =
      'import unittest\nfrom a import f\n\n\nclass A(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(2), 4)\n'
    const [best] = plantTests({ path: 'tests/test_a.py', text }, key)
    expect(best?.text).toMatch(/^class A\([^]*self\.assertEqual\(f\(2\), \d\d\)[^]*^class AMore\(/m)
    expect(best?.titles.slice(0, 2)).toEqual(['test_f', 'test_f_2'])
  })

  it.each([
    [
      'a matcher that the file uses',
      "it('a', () => { expect(f()).toBeNull() })",
      /expect\(\d+\)\.toBeNull\(/,
    ],
    ['no matcher that it does not use', "it('a', () => { expect(f()).toBe(g) })", /^(?![^]*toBeNull)/],
  ])('fails by %s', (_, text, expected) => {
    expect(plantTests({ path: 'test/a.test.mjs', text }, key)[0]?.text).toMatch(expected)
  })
})

describe('a planted test of another language', () => {
  it('is a group of RSpec under the name of the one it stands for', () => {
    const text = "require_relative '../lib/cart'\n\nRSpec.describe Cart do\n  it 'adds' do\n  end\nend\n"
    const found = plant('spec/cart_spec.rb', text)
    expect(found?.text).toMatch(
      /^require_relative '\.\.\/lib\/cart'\nRSpec\.describe Cart do\n {2}it 'adds' do\n/,
    )
    expect(found?.titles.slice(0, 2)).toEqual(['adds', 'adds 2'])
    expect(plant('spec/spec_helper.rb', text)).toBeNull()
  })

  it('is a class of PHPUnit with what the one it stands for uses', () => {
    const text =
      '<?php\nnamespace App\\Tests;\n\nuse App\\Cart;\nuse PHPUnit\\Framework\\TestCase;\n\nfinal class CartTest extends TestCase\n{\n    public function testAdds(): void {}\n}\n'
    const found = plant('tests/CartTest.php', text)
    expect(found?.text).toMatch(
      /^<\?php\nnamespace App\\Tests;\nuse App\\Cart;\n[^]*class CartTest extends TestCase \{\n {4}public function testAdds\(\)/,
    )
    expect(found?.titles.slice(0, 2)).toEqual(['testAdds', 'testAddsAgain2'])
  })
})
