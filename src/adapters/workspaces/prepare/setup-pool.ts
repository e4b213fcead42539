import { mkdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { CommitId, TreeId } from '../../../model/id.ts'
import { readIfThere, replaceFile } from '../git/files.ts'
import { nameOfBytes, splitNul } from '../git/names.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import { checkOut, type CheckedOut } from '../working-tree/check-out.ts'
import { discard } from '../working-tree/remove.ts'
import { writeThrowAwayGit } from '../working-tree/throw-away-git.ts'
import { withLock } from './lock.ts'

export interface SetupCommand {
  readonly run: string
  readonly timeoutMs: number
}

/** Runs a configured command to its end; `exitCode` is null when it did not end by itself. */
export type RunSetup = (request: {
  readonly run: string
  readonly cwd: string
  readonly timeoutMs: number
}) => Promise<{ readonly exitCode: number | null; readonly output: string }>

/** What a setup command made in a pristine checkout, and git does not track. */
export type SetUp =
  | { readonly status: 'done'; readonly root: string; readonly made: readonly string[] }
  | { readonly status: 'failed'; readonly reason: string }

export const poolFolder = (home: string): string => join(home, 'pool')

const Done = z.object({ made: z.array(z.string()).readonly() })
const LOCK_SLACK_MS = 60_000

/** Finds in the pool what the command makes of this tree's lock files, or runs it once for all processes. */
export async function setUpOnce(
  repository: GitRepository,
  { setup, runSetup }: { setup: SetupCommand; runSetup: RunSetup },
  { key, tree, head }: { key: string; tree: TreeId; head: CommitId },
): Promise<SetUp> {
  const { home } = repository
  const folder = join(poolFolder(home), key)
  const checkedOut = { tree: join(folder, 'tree'), index: join(folder, 'index') }
  await mkdir(poolFolder(home), { recursive: true })
  const lock = { home, path: `${folder}.lock`, waitMs: setup.timeoutMs + LOCK_SLACK_MS }
  return (
    (await findDone(folder, checkedOut)) ??
    withLock(lock, async () => {
      const done = await findDone(folder, checkedOut)
      if (done !== null) return done
      await discard(home, folder)
      await checkOut(repository.owned, checkedOut, tree)
      await writeThrowAwayGit(repository, checkedOut, { head, excluded: [] })
      const ended = await runSetup({ ...setup, cwd: checkedOut.tree })
      if (ended.exitCode !== 0) {
        await discard(home, folder)
        return { status: 'failed', reason: failureOf(setup, ended) }
      }
      const made = await listMade(repository, checkedOut)
      await replaceFile(join(folder, 'done.json'), JSON.stringify({ made }))
      return { status: 'done', root: checkedOut.tree, made }
    })
  )
}

async function findDone(folder: string, { tree }: CheckedOut): Promise<SetUp | null> {
  const path = join(folder, 'done.json')
  const content = await readIfThere(path)
  if (content === null) return null
  // Its age says when it was last of use.
  const now = Date.now() / 1000
  await utimes(path, now, now)
  return { status: 'done', root: tree, ...Done.parse(JSON.parse(content.toString('utf8'))) }
}

async function listMade({ owned }: GitRepository, { tree, index }: CheckedOut): Promise<string[]> {
  const env = { GIT_INDEX_FILE: index, GIT_WORK_TREE: tree }
  const { stdout } = await owned.run(['ls-files', '-o', '-z', '--directory', '--no-empty-directory'], { env })
  return splitNul(stdout).map((path) => nameOfBytes(path.at(-1) === 0x2f ? path.subarray(0, -1) : path))
}

function failureOf(
  setup: SetupCommand,
  { exitCode, output }: { exitCode: number | null; output: string },
): string {
  const end =
    exitCode === null ? `did not end within ${setup.timeoutMs} ms or was killed` : `ended with ${exitCode}`
  return `workspace.setup (${setup.run}) ${end}${output.trim() === '' ? '' : `:\n${output.trim()}`}`
}
