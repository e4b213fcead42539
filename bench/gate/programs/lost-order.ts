import type { Program } from '../program.ts'

export const program: Program = {
  name: 'lost-order',
  source: `export async function inOrder(tasks) {
  const done = []
  await Promise.all(tasks.map(async (task) => done.push(await task())))
  return done
}
export const repeat = (task, times) => Array(times).fill(task)
`,
  test: {
    keeps: `assert.deepEqual(await m.inOrder([async () => 1]), [1]); assert.equal(m.repeat(1, 3).length, 3)`,
    shows: `const slow = (value) => new Promise((resolve) => setTimeout(resolve, 20, value)); assert.deepEqual(await m.inOrder([() => slow('a'), async () => 'b', async () => 'c']), ['a', 'b', 'c'])`,
  },
  heldBack: `const slow = (value) => new Promise((resolve) => setTimeout(resolve, 20, value)); assert.deepEqual(await m.inOrder([() => slow('z'), async () => 'a']), ['z', 'a'])`,
  fix: [
    `const done = []
  await Promise.all(tasks.map(async (task) => done.push(await task())))
  return done`,
    'return Promise.all(tasks.map((task) => task()))',
  ],
  partial: ['done.push(', 'done.unshift('],
  overfit: ['return done', 'return done.sort()'],
  breaks: ['Array(times)', 'Array(1)'],
}
