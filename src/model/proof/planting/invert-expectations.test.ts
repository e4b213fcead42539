import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { invertExpectations, writeComparison, type Inversion } from './invert-expectations.ts'

const names = { mark: 'ab12', number: 140 }
const javascript = { dialect: 'javascript', ...names } as const
const python = { dialect: 'python', ...names } as const
const invert = (text: string, inversion: Inversion) =>
  invertExpectations(text, inversion).map((each) => each.text.trim())

describe('a test that fails when values are the same', () => {
  it.each([
    ['assert.equal(f(2), 4)', 'unlikeab12(0, 1, f(2), 4)'],
    ["assert.deepEqual(f(2), { a: [1] }, 'why')", 'unlikeab12(0, 1, f(2), { a: [1] })'],
    ['expect(f({ a: 1 })).to.deep.equal([3])', 'unlikeab12(0, 1, f({ a: 1 }), [3])'],
    ['expect(await f(2)).toBe(4)', 'unlikeab12(0, 1, await f(2), 4)'],
    ['assert.equal(4, f(2))', 'unlikeab12(0, 1, f(2), 4)'],
  ])('is made of %s', (before, after) => {
    expect(invert(`it('adds', async () => {\n  ${before}\n})\n`, javascript)).toEqual([
      `it('adds 140', async () => {\n  ${after}\n})`,
    ])
  })

  it.each([
    'expect(f(2)).not.toBe(4)',
    'await expect(f(2)).resolves.toBe(4)',
    'expect(f(2)).toHaveLength(4)',
    'assert.equal(f(2), g(2))',
    'if (a) { for (;;) { assert.equal(f(2), 4) } }',
  ])('is not made of %s', (body) => {
    expect(invert(`it('adds', async () => {\n  ${body}\n})\n`, javascript)).toEqual([])
  })

  it('is not made where something goes on behind the test, or its runner knows no thrown errors', () => {
    expect(invert("it('a', () => { assert.equal(f(), 1) }).timeout(5)\n", javascript)).toEqual([])
    expect(invert("import test from 'tap'\ntest('a', (t) => { t.equal(f(), 1) })\n", javascript)).toEqual([])
  })

  it.each([
    ['tape', 't.equal(f(2), 4)', 'unlikeab12([0, t], 1, f(2), 4)'],
    ['tape', "t.same(f(2), [4], 'why')", 'unlikeab12([0, t], 1, f(2), [4])'],
    ['ava', 't.is(await f(2), 4)', 'unlikeab12([0, t], 1, await f(2), 4)'],
    ['ava', 't.deepEqual(f(2), { a: 1 })', 'unlikeab12([0, t], 1, f(2), { a: 1 })'],
  ])('fails through what %s gives it: %s', (runner, before, after) => {
    const text = `import test from '${runner}'\ntest('adds', async (t) => {\n  ${before}\n  t.end?.()\n})\n`
    expect(invert(text, javascript)).toEqual([`test('adds 140', async (t) => {\n  ${after}\n  t.end?.()\n})`])
  })

  it('is not made of what another library compares in a test of tape or ava', () => {
    const text = "import test from 'tape'\ntest('adds', (t) => {\n  expect(f(2)).toBe(4)\n  t.end()\n})\n"
    expect(invert(text, javascript)).toEqual([])
  })

  it('tells tape and ava what it saw, and throws nothing', () => {
    const text = `${writeComparison('a.mjs', javascript)}
const said = []
const t = { fail: (why) => said.push('fail ' + why), pass: () => said.push('pass') }
unlikeab12([0, t], 0, 4, 4)
unlikeab12([0, t], 1, [1], [1])
unlikeab12([1, t], 1, 3, 4)
console.log(said.join())`
    expect(
      execFileSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8' }).trim(),
    ).toBe('pass,fail ab12,pass')
  })

  it('is made of methods and functions of Python, and not of those that need something', () => {
    const text = `class A(TestCase):
    def test_a(self):
        self.assertEqual(f(2), 4, "why")
        assert g() == [1], "why"

    @patch("x")
    def test_b(self):
        self.assertEqual(f(2), 4)

def test_c(given):
    assert f(given) == 4
`
    expect(invert(text, python)).toEqual([
      `def test_a_140(self):
        unlikeab12(0, 0, f(2), 4)
        unlikeab12(0, 1, g(), [1]), "why"`,
    ])
  })
})

describe('the comparison', () => {
  const run = (program: string, file: string, text: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'compared-'))
    try {
      writeFileSync(join(folder, file), text)
      return execFileSync(program, [join(folder, file)], { encoding: 'utf8' }).trim()
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  it('of JavaScript fails for what is the same, and for nothing that only says so', () => {
    const values =
      "[4, 4], [3, 4], [{ b: 2, a: [1] }, { a: [1], b: 2 }], [{ a: [2] }, { a: [1] }], [[1, 2], [1]], [{ valueOf: () => 4 }, 4], ['4', 4]"
    const text = `${writeComparison('a.mjs', javascript)}
let at = 0
for (const [a, b] of [${values}]) try { unlikeab12(at++, 1, a, b); console.log('differs') } catch { console.log('same') }`
    expect(run(process.execPath, 'a.mjs', text).split('\n')).toEqual(
      'same differs same differs differs differs same'.split(' '),
    )
  })

  it('of Python does so too', () => {
    const text = `${writeComparison('a.py', python)}
class Right(int):
    def __eq__(self, other):
        return True
for at, (a, b) in enumerate([(4, 4), (3, 4), ({"b": 2, "a": [1]}, {"a": [1], "b": 2}), (Right(3), 4), (4.0, 4)]):
    try:
        unlikeab12(at, True, a, b)
        print("differs")
    except RuntimeError:
        print("same")`
    expect(run('python3', 'a.py', text).split('\n')).toEqual('same differs same differs same'.split(' '))
  })

  it('needs every comparison of a test to be right', () => {
    const text = `${writeComparison('a.mjs', javascript)}
unlikeab12(0, 0, 1, 2)
unlikeab12(0, 1, 1, 1)
console.log('passes')`
    expect(run(process.execPath, 'a.mjs', text)).toBe('passes')
  })
})
