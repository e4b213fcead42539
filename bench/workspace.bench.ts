import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Revision } from '../src/model/attempt/attempt.ts'
import { makeRepository, openFixture, type FixtureRepository } from '../test/fixtures/repositories.ts'
import type { Figure } from './figure.ts'
import { addLargeCommits, nameOf } from './large-repository.ts'
import { median } from './statistics.ts'

export const title = 'Workspaces of a repository with 25,000 files, used one after the other'

const ROUNDS = 5

export async function run(): Promise<readonly Figure[]> {
  const repository = makeRepository()
  try {
    const revisions = addLargeCommits(repository)
    const { workspaces } = await openFixture(repository)
    const times = { worktree: [] as number[], open: [] as number[], capture: [] as number[] }
    // The first workspace is made from nothing.
    for (let round = 0; round <= ROUNDS; round += 1) {
      times.worktree.push(await measure(() => addWorktree(repository)))
      repository.git('worktree', 'remove', '--force', worktreeOf(repository))
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

const worktreeOf = ({ folder }: FixtureRepository): string => join(folder, 'worktree')

const addWorktree = (repository: FixtureRepository): unknown =>
  repository.git('worktree', 'add', '--detach', worktreeOf(repository), 'large')
