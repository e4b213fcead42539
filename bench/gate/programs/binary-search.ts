import type { Program } from '../program.ts'

export const program: Program = {
  name: 'binary-search',
  source: `export function find(items, wanted) {
  let low = 0
  let high = items.length - 1
  while (low < high) {
    const at = (low + high) >> 1
    if (items[at] === wanted) return at
    if (items[at] < wanted) low = at + 1
    else high = at - 1
  }
  return -1
}
export const isSorted = (items) => items.every((item, at) => at === 0 || items[at - 1] <= item)
`,
  test: {
    keeps: `assert.equal(m.find([1, 2, 3], 2), 1); assert.equal(m.isSorted([1, 2]), true)`,
    shows: `assert.equal(m.find([5], 5), 0); assert.equal(m.find([1, 2, 3], 3), 2)`,
  },
  heldBack: `assert.equal(m.find([1, 2, 3], 1), 0)`,
  fix: ['low < high', 'low <= high'],
  partial: ['  return -1', '  return items.length === 1 && items[0] === wanted ? 0 : -1'],
  overfit: ['  return -1', '  return items.at(-1) === wanted ? items.length - 1 : -1'],
  breaks: ['at === 0 ||', 'at > 0 ||'],
}
