import type { Program } from '../program.ts'

export const program: Program = {
  name: 'closure-in-loop',
  source: `export function counters(count) {
  const made = []
  for (var at = 0; at < count; at += 1) made.push(() => at)
  return made
}
export const call = (functions) => functions.map((each) => each())
`,
  test: {
    keeps: `assert.equal(m.counters(2).length, 2); assert.deepEqual(m.call([() => 1]), [1])`,
    shows: `assert.deepEqual(m.counters(3).map((each) => each()), [0, 1, 2])`,
  },
  heldBack: `assert.deepEqual(m.counters(5).map((each) => each()), [0, 1, 2, 3, 4])`,
  fix: ['var at', 'let at'],
  partial: ['() => at)', '() => at - 1)'],
  overfit: ['made.push(() => at)', 'made.push([() => 0, () => 1, () => 2][at] ?? (() => at))'],
  breaks: [
    `each())
`,
    `each)
`,
  ],
}
