import type { Program } from '../program.ts'

export const program: Program = {
  name: 'missing-await',
  source: `export async function total(read, names) {
  let sum = 0
  for (const name of names) sum += read(name)
  return sum
}
export const sorted = (names) => [...names].sort()
`,
  test: {
    keeps: `assert.equal(await m.total(async () => 1, []), 0); assert.deepEqual(m.sorted(['b', 'a']), ['a', 'b'])`,
    shows: `assert.equal(await m.total(async (name) => name.length, ['a', 'bb']), 3)`,
  },
  heldBack: `assert.equal(await m.total(async () => 5, ['a', 'b']), 10)`,
  fix: ['sum += read(name)', 'sum += await read(name)'],
  partial: ['sum += read(name)', 'sum = await read(name)'],
  overfit: ['sum += read(name)', 'sum += name.length'],
  breaks: ['[...names].sort()', '[...names]'],
}
