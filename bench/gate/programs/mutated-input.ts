import type { Program } from '../program.ts'

export const program: Program = {
  name: 'mutated-input',
  source: `export const top = (scores, count) => scores.sort((a, b) => b - a).slice(0, count)
export const sum = (scores) => scores.reduce((a, b) => a + b, 0)
`,
  test: {
    keeps: `assert.deepEqual(m.top([1, 3, 2], 2), [3, 2]); assert.equal(m.sum([1, 2]), 3)`,
    shows: `const scores = [1, 3, 2]; m.top(scores, 2); assert.deepEqual(scores, [1, 3, 2])`,
  },
  heldBack: `const scores = [1, 4, 2, 3]; assert.deepEqual(m.top(scores, 1), [4]); assert.deepEqual(scores, [1, 4, 2, 3])`,
  fix: ['scores.sort(', '[...scores].sort('],
  partial: ['scores.sort((a, b) => b - a).slice(0, count)', 'scores.sort((a, b) => b - a).splice(0, count)'],
  overfit: ['scores.sort(', '(scores.length === 3 ? [...scores] : scores).sort('],
  breaks: [
    `, 0)
`,
    `, 1)
`,
  ],
}
