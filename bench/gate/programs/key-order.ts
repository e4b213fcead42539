import type { Program } from '../program.ts'

export const program: Program = {
  name: 'key-order',
  source: `export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b)
export const size = (value) => JSON.stringify(value).length
`,
  test: {
    keeps: `assert.equal(m.same([1], [1, 2]), false); assert.equal(m.size('a'), 3)`,
    shows: `assert.equal(m.same({ a: 1, b: 2 }, { b: 2, a: 1 }), true)`,
  },
  heldBack: `assert.equal(m.same({ x: 1, y: [2] }, { y: [2], x: 1 }), true); assert.equal(m.same({ a: 1 }, { a: 2 }), false)`,
  fix: [
    'JSON.stringify(a) === JSON.stringify(b)',
    '[a, b].map((each) => JSON.stringify(each, Array.isArray(each) ? null : Object.keys(each).sort())).every((text, _at, [first]) => text === first)',
  ],
  partial: ['JSON.stringify(a) === JSON.stringify(b)', 'String(Object.keys(a)) === String(Object.keys(b))'],
  overfit: [
    'JSON.stringify(a) === JSON.stringify(b)',
    'JSON.stringify(a).length === JSON.stringify(b).length',
  ],
  breaks: [
    `.length
`,
    `.size
`,
  ],
}
