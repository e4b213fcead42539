import { describe, expect, it } from 'vitest'
import { alterExpectations, type TestDialect } from './alter-expectations.ts'
import { replaceParts } from './replace-parts.ts'

const alter = (text: string, dialect: TestDialect['dialect']) => {
  const altered = alterExpectations(text, { dialect, by: 40 })
  if (!altered) return null
  const { edits, ...titles } = altered
  return { text: replaceParts(text, edits), ...titles }
}
const javascript = (text: string) => alter(text, 'javascript')
const python = (text: string) => alter(text, 'python')

describe('what assertions of JavaScript expect', () => {
  it.each([
    ['assert.equal(f(2), 4)', 'assert.equal(f(2), 44)'],
    ["assert.strictEqual(f(2), 'ok', 'why')", "assert.strictEqual(f(2), 'ok40', 'why')"],
    ['assert.deepEqual(f(2), { a: [1, 2] })', 'assert.deepEqual(f(2), { a: [41, 2] })'],
    ['t.is(f(2), true)', 't.is(f(2), false)'],
    ['expect(f(2)).toEqual([0.5])', 'expect(f(2)).toEqual([40.5])'],
    ['expect(f({ a: 1 })).to.equal(-3)', 'expect(f({ a: 1 })).to.equal(-43)'],
    ['await expect(f(2)).resolves.toBe(4)', 'await expect(f(2)).resolves.toBe(44)'],
    ['assert.equal(4, f(2))', 'assert.equal(44, f(2))'],
    ['assert.equal(m.same(2, 3), false)', 'assert.equal(m.same(2, 3), true)'],
  ])('is altered in %s', (before, after) => {
    expect(javascript(`it('adds', async () => {\n  ${before}\n})\n`)).toEqual({
      text: `it('adds', async () => {\n  ${after}\n})\n`,
      titles: ['adds'],
      unsure: [],
    })
  })

  it.each([
    'expect(f(2)).not.toBe(4)',
    'assert.equal(f(2), g(2))',
    'assert.throws(() => f(2))',
    'Object.is(4, f(2))',
    'log(f(2), 4)',
    'expect(f(2)).toBe(`${a}`)',
  ])('is left alone in %s', (body) => {
    expect(javascript(`it('adds', () => {\n  ${body}\n})\n`)).toBeNull()
  })

  it('is uncertain where it may not be reached, and in helpers of the project', () => {
    const text = "test('a', () => { if (f) { assert.equal(f(), 1) } })\ntest('b', () => { same(f(), 2) })\n"
    expect(javascript(text)).toMatchObject({ titles: [], unsure: ['a', 'b'] })
  })

  it('is altered in the last assertion of a test, as nothing runs behind one that fails', () => {
    expect(javascript("it('a', () => {\n  assert.equal(f(), 1)\n  assert.equal(f(), 2)\n})\n")?.text).toBe(
      "it('a', () => {\n  assert.equal(f(), 1)\n  assert.equal(f(), 42)\n})\n",
    )
  })

  it('belongs to the test that it stands in, and to none outside of tests or in one that is skipped', () => {
    const text =
      "test.skip('a', () => { eq(1, 2) })\nfunction check() { assert.equal(f(), 1) }\ntest('b', () => assert.equal(f(), 2))\n"
    expect(javascript(text)).toEqual({
      text: text.replace('f(), 2', 'f(), 42'),
      titles: ['b'],
      unsure: [],
    })
  })
})

describe('what assertions of Python expect', () => {
  it.each([
    ['assert f(2) == 4', 'assert f(2) == 44'],
    ['assert f(2) == "ok", "why"', 'assert f(2) == "ok40", "why"'],
    ['assert [1] == f(2)', 'assert [41] == f(2)'],
    ['self.assertEqual(f(2), {"a": 1})', 'self.assertEqual(f(2), {"a": 41})'],
    ['self.assertEqual(f(2), True)', 'self.assertEqual(f(2), False)'],
    ['self.assertEqual(m.same(2, 3), False)', 'self.assertEqual(m.same(2, 3), True)'],
  ])('is altered in %s', (before, after) => {
    expect(python(`def test_adds():\n    ${before}\n`)).toEqual({
      text: `def test_adds():\n    ${after}\n`,
      titles: ['test_adds'],
      unsure: [],
    })
  })

  it.each(['assert f(2)', 'assert f(2) == g(2)', 'assert f(2) == 4 or g', 'assert f(2) != 4'])(
    'is left alone in %s',
    (body) => expect(python(`def test_adds():\n    ${body}\n`)).toBeNull(),
  )

  it('is uncertain below a condition', () => {
    expect(python('def test_a():\n    if x:\n        assert f() == 1\n')).toMatchObject({
      titles: [],
      unsure: ['test_a'],
    })
  })
})
