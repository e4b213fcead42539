import type { Program } from '../program.ts'

export const program: Program = {
  name: 'negative-modulo',
  source: `export const wrap = (at, size) => at % size
export const next = (at, size) => (at + 1) % size
`,
  test: {
    keeps: `assert.equal(m.wrap(4, 3), 1); assert.equal(m.next(2, 3), 0)`,
    shows: `assert.equal(m.wrap(-1, 3), 2); assert.equal(m.wrap(-4, 3), 2)`,
  },
  heldBack: `assert.equal(m.wrap(-2, 3), 1)`,
  fix: [
    `at % size
`,
    `((at % size) + size) % size
`,
  ],
  partial: [
    `at % size
`,
    `at < 0 ? at + size : at % size
`,
  ],
  overfit: [
    `at % size
`,
    `at < 0 ? size - 1 : at % size
`,
  ],
  breaks: ['(at + 1)', '(at + 2)'],
}
