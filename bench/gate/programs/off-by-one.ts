import type { Program } from '../program.ts'

export const program: Program = {
  name: 'off-by-one',
  source: `export const pages = (items, size) => Math.floor(items.length / size)
export const page = (items, size, at) => items.slice(at * size, at * size + size)
`,
  test: {
    keeps: `assert.equal(m.pages([1, 2], 2), 1); assert.deepEqual(m.page([1, 2, 3], 2, 1), [3])`,
    shows: `assert.equal(m.pages([1, 2, 3], 2), 2); assert.equal(m.pages([1], 5), 1)`,
  },
  heldBack: `assert.equal(m.pages([1, 2, 3, 4, 5], 4), 2)`,
  fix: ['Math.floor(items.length / size)', 'Math.ceil(items.length / size)'],
  partial: ['Math.floor(items.length / size)', 'Math.round(items.length / size)'],
  overfit: ['Math.floor(items.length / size)', 'Math.max(1, Math.round(items.length / size))'],
  breaks: ['at * size, at', 'at, at'],
}
