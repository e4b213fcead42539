import type { Program } from '../program.ts'

export const program: Program = {
  name: 'not-a-number',
  source: `export const average = (values) => values.reduce((a, b) => a + b, 0) / values.length
export const largest = (values) => Math.max(...values)
`,
  test: {
    keeps: `assert.equal(m.average([2, 4]), 3); assert.equal(m.largest([1, 5]), 5)`,
    shows: `assert.equal(m.average([NaN, 4]), 4); assert.equal(m.average([]), 0)`,
  },
  heldBack: `assert.equal(m.average([4, NaN, 2]), 3)`,
  fix: [
    'values.reduce((a, b) => a + b, 0) / values.length',
    'values.filter(Number.isFinite).reduce((a, b, _at, all) => a + b / all.length, 0)',
  ],
  partial: [
    'values.reduce((a, b) => a + b, 0) / values.length',
    'values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length',
  ],
  overfit: [
    'values.reduce((a, b) => a + b, 0) / values.length',
    'values.length === 0 ? 0 : Number.isNaN(values[0]) ? values[1] : values.reduce((a, b) => a + b, 0) / values.length',
  ],
  breaks: ['Math.max', 'Math.min'],
}
