import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Revision } from '../src/model/attempt/attempt.ts'
import { makeRepository, openFixture, type FixtureRepository } from '../test/fixtures/repositories.ts'
import type { Figure } from './figure.ts'
import { median } from './statistics.ts'

export const title = 'Workspaces of a repository with 25,000 files, used one after the other'

const FILES = 25_000
const ROUNDS = 5

export async function run(): Promise<readonly Figure[]> {
  const repository = makeRepository()
  try {
    const revisions = addCommits(repository)
    const { workspaces } = await openFixture(repository)
    const times = { worktree: [] as number[], open: [] as number[], capture: [] as number[] }
    // The first one is made from nothing.
    for (let round = 0; round <= ROUNDS; round += 1) {
      times.worktree.push(await measure(() => changeWorktree(repository, 'add', '--detach', 'large')))
      changeWorktree(repository, 'remove', '--force')
      const { commit: head, tree } = revisions[round % revisions.length] as Revision
      const id = `round-${round}`
      const open = await measure(() => workspaces.open({ id, tree, head }))
      if (round > 0) times.open.push(open)
      const path = join(repository.home, 'workspaces', id, 'tree')
      appendFileSync(join(path, nameOf(round)), 'changed\n')
      times.capture.push(await measure(() => workspaces.capture({ id, path, tree }, tree)))
      await workspaces.close(id)
    }
    const worktreeMs = median(times.worktree)
    return [
      {
        name: 'opening another workspace',
        value: median(times.open) / worktreeMs,
        limit: 0.3,
        unit: `× git worktree add, which takes ${Math.round(worktreeMs)} ms`,
      },
      { name: 'capturing a change of one file', value: median(times.capture), limit: 400, unit: 'ms' },
    ]
  } finally {
    repository.dispose()
  }
}

async function measure(work: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const nameOf = (index: number): string => `packages/p${index % 100}/src/m${index % 1000}/module-${index}.ts`

/** Two commits: all files, and one of them changed. */
function addCommits(repository: FixtureRepository): readonly Revision[] {
  const data = (text: string): string => `data ${text.length}\n${text}`
  const textOf = (index: number): string => `export const value${index} = ${index}\n`.repeat(1 + (index % 60))
  const commit = (message: string, files: readonly string[]): string[] => [
    'commit refs/heads/large',
    `committer Ada <ada@example.com> 0 +0000\n${data(message)}`,
    ...files,
  ]
  const files = Array.from(
    { length: FILES },
    (_, index) => `M 644 inline ${nameOf(index)}\n${data(textOf(index))}`,
  )
  const changed = `M 644 inline ${nameOf(77)}\n${data('export const changed = true\n')}`
  const input = [...commit('large', files), ...commit('changed', [changed]), ''].join('\n')
  execFileSync('git', ['fast-import', '--quiet'], { cwd: repository.root, env: repository.env, input })
  return ['large~1', 'large'].map((name) => ({
    commit: repository.git('rev-parse', name),
    tree: repository.git('rev-parse', `${name}^{tree}`),
  })) as Revision[]
}

function changeWorktree(
  repository: FixtureRepository,
  verb: string,
  option: string,
  revision?: string,
): void {
  const path = join(repository.folder, 'worktree')
  repository.git('worktree', verb, option, path, ...(revision === undefined ? [] : [revision]))
}
