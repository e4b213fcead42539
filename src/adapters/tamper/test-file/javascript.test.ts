import { describe, expect, it } from 'vitest'
import { findTampering } from '../find-tampering.ts'
import type { TamperingKind } from '../markers/tampering.ts'

const options = { protectedGlobs: [], findingFile: null }

function kindsOf(before: string, after: string, path = 'src/sum.test.ts'): TamperingKind[] {
  const change = { path, oldPath: null, status: 'modified' as const, before, after, isBinary: false }
  return findTampering([change], options).map(({ kind }) => kind)
}

/** A test around one statement. */
const one = (body: string, head = "it('adds', () => {"): string =>
  `import { add } from './sum'\n\n${head}\n  ${body}\n})\n`

describe('honest changes of JavaScript tests', () => {
  const inTest: readonly (readonly [string, string, string])[] = [
    ['nothing but formatting', 'expect(add(1, 2)).toBe(3)', 'expect(\n    add(1, 2),\n  ).toBe(3);'],
    ['other quotes', "expect(name()).toBe('a')", 'expect(name()).toBe("a")'],
    ['a trailing comma', 'expect(f()).toEqual({ a: [1, 2] })', 'expect(f()).toEqual({\n "a": [1, 2,],\n})'],
    [
      'a renamed variable',
      'const r = add(1, 2)\n  expect(r).toBe(3)',
      'const sum = add(1, 2)\n  expect(sum).toBe(3)',
    ],
    [
      'a renamed parameter',
      'expect(list.map((x) => x + 1)).toEqual([2])',
      'expect(list.map(n => n + 1)).toEqual([2])',
    ],
    ['toBeTruthy → toBe(3)', 'expect(add(1, 2)).toBeTruthy()', 'expect(add(1, 2)).toBe(3)'],
    ['toBeDefined → toEqual', 'expect(f()).toBeDefined()', 'expect(f()).toEqual({ a: 1 })'],
    [
      'toMatchObject with more',
      'expect(f()).toMatchObject({ a: 1 })',
      'expect(f()).toMatchObject({ a: 1, b: 2 })',
    ],
    ['toEqual → toStrictEqual', 'expect(f()).toEqual({ a: 1 })', 'expect(f()).toStrictEqual({ a: 1 })'],
    [
      'any(Number) → a number',
      'expect(f()).toEqual({ a: expect.any(Number) })',
      'expect(f()).toEqual({ a: 3 })',
    ],
    ['toThrow with a message', 'expect(() => f()).toThrow()', "expect(() => f()).toThrow('boom')"],
    [
      'a wider error made narrow',
      'expect(() => f()).toThrow(Error)',
      'expect(() => f()).toThrow(RangeError)',
    ],
    ['a higher bound', 'expect(f()).toBeGreaterThan(1)', 'expect(f()).toBeGreaterThan(10)'],
    ['a boolean made a value', "expect(s.includes('a')).toBe(true)", "expect(s).toBe('abc')"],
    ['assert.ok → equality', 'assert.ok(add(1, 2))', 'assert.strictEqual(add(1, 2), 3)'],
    ['an added await', 'expect(load()).toBe(1)', 'expect(await load()).toBe(1)'],
    ['a promise resolved', 'expect(load()).toBe(1)', 'await expect(load()).resolves.toBe(1)'],
    ['length by its own matcher', 'expect(xs.length).toBe(2)', 'expect(xs).toHaveLength(2)'],
    ['null by its own matcher', 'expect(f()).toBe(null)', 'expect(f()).toBeNull()'],
    ['a value inlined', "const want = 'x'\n  expect(f()).toBe(want)", "expect(f()).toBe('x')"],
    ['another assertion', 'expect(f()).toBe(1)', 'expect(f()).toBe(1)\n  expect(g()).toBe(2)'],
    ['a comment', 'expect(f()).toBe(1)', '// it.skip would be wrong here\n  expect(f()).toBe(1)'],
    ['a changed message', "assert.equal(f(), 1, 'one')", "assert.equal(f(), 1, 'it is one')"],
    [
      'a condition that throws',
      'expect(f()).toBe(1)',
      "if (!g()) throw new Error('no g')\n  expect(f()).toBe(1)",
    ],
    [
      'a type escape in a test',
      'expect(f(1)).toBe(1)',
      'expect(f(1 as any)).toBe(1)\n  expect(f(1)).toBe(1)',
    ],
  ]
  it.each(inTest)('sees nothing in %s', (_, before, after) => {
    expect(kindsOf(one(before), one(after))).toEqual([])
  })

  const a = "it('a', () => {\n  expect(f(1)).toBe(1)\n})\n"
  const b = "it('b', () => {\n  expect(f(2)).toBe(2)\n})\n"
  const wholeFiles: readonly (readonly [string, string, string])[] = [
    ['a new test', a, a + b],
    ['a moved test', a + b, b + a],
    ['a test put into a suite', a + b, `describe('f', () => {\n${a}${b}})\n`],
    ['a renamed test', a, a.replace("'a'", "'gives what it got'")],
    ['a test with another title quote', a, a.replaceAll("'", '"')],
    ['an unskipped test', a.replace('it(', 'it.skip('), a],
    ['a test that stays skipped', a.replace('it(', 'it.skip(') + b, b + a.replace('it(', 'it.skip(')],
    ['two tests made one', a + b, "it('f', () => {\n  expect(f(1)).toBe(1)\n  expect(f(2)).toBe(2)\n})\n"],
    [
      'a row more in the table',
      "it.each([[1, 1]])('%i', (x, y) => { expect(f(x)).toBe(y) })",
      "it.each([[1, 1], [2, 2]])('%i', (x, y) => { expect(f(x)).toBe(y) })",
    ],
    [
      'a suppression in a new test',
      a,
      `${a}it('refuses', () => {\n  // @ts-expect-error wrong on purpose\n  expect(() => f('x')).toThrow('x')\n})\n`,
    ],
    ['a higher timeout', a.replace('})', '}, 1000)'), a.replace('})', '}, 5000)')],
    [
      'an assertion moved into a helper',
      a,
      "function check() {\n  expect(f(1)).toBe(1)\n}\nit('a', () => {\n  check()\n})\n",
    ],
    ['a new import', a, `import { f } from './f'\n${a}`],
  ]
  it.each(wholeFiles)('sees nothing in %s', (_, before, after) => {
    expect(kindsOf(before, after)).toEqual([])
  })
})

describe('weakened JavaScript tests', () => {
  const loosened: readonly (readonly [string, string])[] = [
    ['expect(add(1, 2)).toBe(3)', 'expect(add(1, 2)).toBe(4)'],
    ['expect(add(1, 2)).toBe(3)', 'expect(add(1, 2)).toBeTruthy()'],
    ['expect(add(1, 2)).toBe(3)', 'expect(add(1, 2)).toBeDefined()'],
    ['expect(add(1, 2)).toBe(3)', 'expect(add(1, 2)).not.toBe(4)'],
    ['expect(add(1, 2)).toBe(3)', 'expect(add(1, 2)).toBeGreaterThan(0)'],
    ['expect(add(1, 2)).toBe(3)', 'expect(add(1, 2)).toBeCloseTo(3)'],
    ['expect(add(1, 2)).toBe(3)', 'expect(add(1, 2)).toEqual(expect.any(Number))'],
    ['expect(add(1, 2)).toBe(3)', 'expect(add(1, 2))'],
    ['expect(add(1, 2)).toBe(3)', 'expect(3).toBe(3)'],
    ['expect(add(1, 2)).toBe(3)', 'expect(true).toBe(true)'],
    ['expect(add(1, 2)).toBe(3)', 'expect(fake(1, 2)).toBe(3)'],
    ['expect(f().total).toBe(3)', 'expect(f().count).toBe(3)'],
    ['expect(f()).toEqual({ a: 1 })', 'expect(f()).toMatchObject({ a: 1 })'],
    ['expect(f()).toStrictEqual({ a: 1 })', 'expect(f()).toEqual({ a: 1 })'],
    ['expect(f()).toMatch(/^abc$/)', 'expect(f()).toMatch(/.*/)'],
    ["expect(f).toThrow('boom')", 'expect(f).toThrow()'],
    ["expect(f).toThrow('boom')", 'expect(f).not.toThrow()'],
    ['expect(f()).toBeTruthy()', 'expect(f()).toBeFalsy()'],
    ['expect(f()).toBeTruthy()', 'expect(f()).toBe(0)'],
    ['expect(f()).toBeGreaterThan(10)', 'expect(f()).toBeGreaterThan(5)'],
    ['expect(f()).toBeGreaterThan(10)', 'expect(f()).toBeGreaterThanOrEqual(10)'],
    ['expect(spy).toHaveBeenCalledWith(1)', 'expect(spy).toHaveBeenCalled()'],
    ['assert.strictEqual(f(), 1)', 'assert.equal(f(), 1)'],
    ['assert.strictEqual(f(), 1)', 'assert.ok(f())'],
    ['assert.equal(f(), 1)', 'assert.equal(f(), 2)'],
    ['assert(f() === 1)', 'assert(f())'],
    ['t.is(f(), 1)', 't.truthy(f())'],
    ['expect(f()).to.equal(1)', 'expect(f()).to.exist'],
    ['f().should.equal(1)', 'f().should.equal(2)'],
    ["request(app).get('/').expect(200)", "request(app).get('/').expect(500)"],
    ['const want = 3\n  expect(f()).toBe(want)', 'const want = 4\n  expect(f()).toBe(want)'],
    ['const r = f(2)\n  expect(r).toBe(3)', 'const r = 3\n  expect(r).toBe(3)'],
    ['expect(f()).toBe(1)', 'try { expect(f()).toBe(1) } catch {}'],
    ['expect(f()).toBe(1)', 'try { expect(f()).toBe(1) } catch (error) { console.log(error) }'],
    ['await expect(f()).resolves.toBe(1)', 'await expect(f()).resolves.toBe(1).catch(() => {})'],
    ['expect(f()).toBe(1)', 'if (process.env.CI) { expect(f()).toBe(1) }'],
  ]
  it.each(loosened)('tells that %s became %s', (before, after) => {
    expect(kindsOf(one(before), one(after))).toEqual(['assertion_loosened'])
  })

  const deleted: readonly (readonly [string, string])[] = [
    ['expect(f()).toBe(1)\n  expect(g()).toBe(2)', 'expect(g()).toBe(2)'],
    ['expect(f()).toBe(1)', '// expect(f()).toBe(1)'],
    ['expect(f()).toBe(1)', 'f()'],
    ['assert.equal(f(), 1)', ''],
    ['expect.assertions(1)\n  expect(f()).toBe(1)', 'expect(f()).toBe(1)'],
    ['t.is(f(), 1)', 't.pass'],
  ]
  it.each(deleted)('tells that an assertion of %s is gone', (before, after) => {
    expect(kindsOf(one(before), one(after))).toEqual(['assertion_deleted'])
  })

  const skipped: readonly string[] = [
    "it.skip('adds', () => {",
    "it.only('adds', () => {",
    "it.todo('adds', () => {",
    "it.fails('adds', () => {",
    "it.failing('adds', () => {",
    "xit('adds', () => {",
    "fit('adds', () => {",
    "it.skipIf(true)('adds', () => {",
    "it('adds', { skip: true }, () => {",
    "it('adds', { todo: 'later' }, () => {",
    "it('adds', (t) => { t.skip();",
    "it('adds', function () { this.skip();",
    "it('adds', () => { return;",
    "it('adds', () => { if (process.env.CI) return;",
  ]
  it.each(skipped)('tells that %s does not run', (head) => {
    expect(kindsOf(one('expect(f()).toBe(1)'), one('expect(f()).toBe(1)', head))).toEqual(['test_skipped'])
  })

  const a = "it('a', () => {\n  expect(f(1)).toBe(1)\n})\n"
  const b = "it('b', () => {\n  expect(f(2)).toBe(2)\n})\n"
  const whole: readonly (readonly [string, string, string, readonly TamperingKind[]])[] = [
    ['a removed test', a + b, a, ['test_deleted']],
    ['a test in a comment', a + b, `${a}/*\n${b}*/\n`, ['test_deleted']],
    [
      'a skipped suite',
      `describe('f', () => {\n${a}})`,
      `describe.skip('f', () => {\n${a}})`,
      ['test_skipped'],
    ],
    ['a new skipped suite around', a, `describe.skip('f', () => {\n${a}})`, ['test_skipped']],
    ['a test without a body', a, "it('a')\n", ['test_skipped', 'assertion_deleted']],
    ['a new skipped test', a, `${a}it.skip('c', () => {})\n`, ['test_skipped']],
    [
      'a lost row',
      "it.each([[1], [2]])('%i', (x) => { expect(f(x)).toBe(x) })",
      "it.each([[1]])('%i', (x) => { expect(f(x)).toBe(x) })",
      ['assertion_deleted'],
    ],
    [
      'a changed row',
      "it.each([[1, 2]])('%i', (x, y) => { expect(f(x)).toBe(y) })",
      "it.each([[1, 3]])('%i', (x, y) => { expect(f(x)).toBe(y) })",
      ['assertion_loosened'],
    ],
    [
      'a changed template row',
      'it.each`\n a | b\n ${1} | ${2}\n`("x", ({ a, b }) => { expect(f(a)).toBe(b) })',
      'it.each`\n a | b\n ${1} | ${9}\n`("x", ({ a, b }) => { expect(f(a)).toBe(b) })',
      ['assertion_loosened'],
    ],
    [
      'a lowered minimum',
      `const MIN_SCORE = 0.9\n${a}`,
      `const MIN_SCORE = 0.5\n${a}`,
      ['threshold_lowered'],
    ],
    ['an exit in a test', a, `${a}process.exit(0)\n`, ['exit_on_import']],
    [
      'a suppression in an old test',
      a,
      a.replace('  expect', '  // @ts-ignore\n  expect'),
      ['suppression_added'],
    ],
  ]
  it.each(whole)('tells of %s', (_, before, after, kinds) => {
    expect(kindsOf(before, after)).toEqual(kinds)
  })

  it('says what was done and where', () => {
    const change = {
      path: 'a.test.ts',
      oldPath: null,
      status: 'modified' as const,
      before: one('expect(add(1, 2)).toBe(3)'),
      after: one('expect(add(1, 2)).toBeTruthy()'),
      isBinary: false,
    }
    expect(findTampering([change], { ...options, findingFile: 'a.test.ts' })).toEqual([
      {
        path: 'a.test.ts',
        line: 4,
        kind: 'assertion_loosened',
        what: 'an assertion was changed: expect(add(1, 2)).toBe(3) → expect(add(1, 2)).toBeTruthy() (the finding is in this file)',
      },
    ])
  })

  it('reads a file that does not parse by patterns, and says so', () => {
    const broken = "it('a', () => {\n  expect(f(1)).toBe(1)\n  expect(g()).toBe(2)\n  const ( = 1\n})\n"
    const change = {
      path: 'a.test.ts',
      oldPath: null,
      status: 'modified' as const,
      before: broken,
      after: broken.replace('  expect(g()).toBe(2)\n', ''),
      isBinary: false,
    }
    expect(findTampering([change], options)).toEqual([
      {
        path: 'a.test.ts',
        line: 3,
        kind: 'assertion_deleted',
        what: 'an assertion was removed: expect(g()).toBe(2) (the file could not be parsed; read by patterns)',
      },
    ])
  })
})
