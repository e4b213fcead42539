import type { Program } from '../program.ts'

export const program: Program = {
  name: 'floating-point',
  source: `export const total = (prices) => prices.reduce((a, b) => a + b, 0)
export const count = (prices) => prices.length
`,
  test: {
    keeps: `assert.equal(m.total([1, 2]), 3); assert.equal(m.count([1]), 1)`,
    shows: `assert.equal(m.total([0.1, 0.2]), 0.3); assert.equal(m.total([1.1, 2.25]), 3.35)`,
  },
  heldBack: `assert.equal(m.total([0.7, 0.1]), 0.8)`,
  fix: ['prices.reduce((a, b) => a + b, 0)', 'Math.round(prices.reduce((a, b) => a + b, 0) * 100) / 100'],
  partial: ['prices.reduce((a, b) => a + b, 0)', 'Math.round(prices.reduce((a, b) => a + b, 0) * 10) / 10'],
  overfit: [
    'prices.reduce((a, b) => a + b, 0)',
    'prices.includes(0.2) ? 0.3 : prices.includes(1.1) ? 3.35 : prices.reduce((a, b) => a + b, 0)',
  ],
  breaks: ['prices.length', 'prices.length + 1'],
}
