import type { Program } from '../program.ts'

export const program: Program = {
  name: 'overflow',
  source: `export const middle = (low, high) => (low + high) >> 1
export const span = (low, high) => high - low
`,
  test: {
    keeps: `assert.equal(m.middle(2, 4), 3); assert.equal(m.span(2, 5), 3)`,
    shows: `assert.equal(m.middle(2 ** 31, 2 ** 31 + 2), 2 ** 31 + 1)`,
  },
  heldBack: `assert.equal(m.middle(0, 2 ** 32), 2 ** 31)`,
  fix: ['(low + high) >> 1', 'Math.floor((low + high) / 2)'],
  partial: ['(low + high) >> 1', '(low + high) >>> 1'],
  overfit: ['(low + high) >> 1', 'low + ((high - low) >> 1)'],
  breaks: ['high - low', 'low - high'],
}
