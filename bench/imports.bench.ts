import { createImports } from '../src/adapters/imports/index.ts'
import { makeRepository, openFixture } from '../test/fixtures/repositories.ts'
import type { Figure } from './figure.ts'
import { median } from './statistics.ts'

export const title = 'The import graph of a tree of 4,000 modules, against reading their contents from git'

const FILES = 4000
const ROUNDS = 5

const moduleOf = (index: number): string =>
  `import { value as next } from './module-${(index + 1) % FILES}.ts'\n/** It's the ${index}th. */\n${`export const value${index} = (a) => a.replace(/["']/g, \`\${a}\`)\n`.repeat(40)}`

export async function run(): Promise<readonly Figure[]> {
  const repository = makeRepository(
    Object.fromEntries(
      Array.from({ length: FILES }, (_, index) => [`src/module-${index}.ts`, moduleOf(index)]),
    ),
  )
  try {
    const { trees } = await openFixture(repository)
    const revision = await trees.resolve('HEAD')
    if (!revision) throw new Error('there is no commit')
    const { signal } = new AbortController()
    const paths = [...(await trees.list(revision.tree))]
    const times = { read: [] as number[], graph: [] as number[] }
    for (let round = 0; round <= ROUNDS; round += 1) {
      const read = await measure(() => trees.readMany(revision.tree, paths))
      const graph = await measure(() => createImports(trees).graphOf(revision.tree, signal))
      // The first run of each import warms caches, and is not counted.
      if (round > 0) [times.read, times.graph].forEach((list, at) => list.push(at === 0 ? read : graph))
    }
    return [
      { name: 'the graph', value: median(times.graph) / median(times.read), limit: 5, unit: '× reading' },
    ]
  } finally {
    repository.dispose()
  }
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
