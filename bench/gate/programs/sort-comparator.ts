import type { Program } from '../program.ts'

export const program: Program = {
  name: 'sort-comparator',
  source: `export const byAge = (people) => [...people].sort((a, b) => a.age > b.age)
export const adults = (people) => people.filter(({ age }) => age >= 18)
`,
  test: {
    keeps: `assert.equal(m.byAge([{ age: 1 }]).length, 1); assert.equal(m.adults([{ age: 18 }, { age: 17 }]).length, 1)`,
    shows: `assert.deepEqual(m.byAge([{ age: 3 }, { age: 2 }, { age: 1 }]), [{ age: 1 }, { age: 2 }, { age: 3 }])`,
  },
  heldBack: `assert.deepEqual(m.byAge([{ age: 2 }, { age: 3 }, { age: 1 }]), [{ age: 1 }, { age: 2 }, { age: 3 }])`,
  fix: ['a.age > b.age', 'a.age - b.age'],
  partial: ['a.age > b.age', 'a.age > b.age ? -1 : 1'],
  overfit: ['[...people].sort((a, b) => a.age > b.age)', '[...people].reverse()'],
  breaks: ['>= 18', '> 18'],
}
