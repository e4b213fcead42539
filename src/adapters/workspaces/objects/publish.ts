import { setTimeout as delay } from 'node:timers/promises'
import { Fault } from '../../../model/fault.ts'
import { CommitId } from '../../../model/id.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import { releaseOwnLock, withJournal } from './ref-journal.ts'

const LOCK_RETRIES = 30
const LOCK_PAUSE_MS = 100

export interface RefUpdate {
  readonly ref: string
  /** Null when the ref must not exist. */
  readonly from: CommitId | null
  readonly to: CommitId
  readonly reason: string
}

/** Copies into the user's object store what `to` reaches and the known commits do not. */
export async function copyObjects(
  { owned, objectDirs, sharedRepository }: GitRepository,
  to: CommitId,
  known: readonly CommitId[],
): Promise<void> {
  const revisions = [to, ...new Set(known.map((commit) => `^${commit}`))].join('\n')
  // Written through the owned directory's configuration: none of the user's is read, but for the file modes they share.
  const shared = sharedRepository === null ? [] : ['-c', `core.sharedRepository=${sharedRepository}`]
  await owned.pipe(
    ['pack-objects', '--revs', '--stdout', '-q'],
    { stdin: `${revisions}\n` },
    {
      git: owned,
      args: [...shared, 'unpack-objects', '-q'],
      options: { env: { GIT_OBJECT_DIRECTORY: objectDirs[0] ?? '' } },
    },
  )
}

/** What a ref of the user's points to, links between refs not followed; null when there is none. */
export async function readRef({ users }: GitRepository, ref: string): Promise<CommitId | null> {
  const found = await users.run(['rev-parse', '--verify', '--quiet', '--end-of-options', ref], {
    answers: [1, 128],
  })
  return found.exitCode === 0 ? CommitId.parse(found.stdout.toString('latin1').trim()) : null
}

/** Moves a ref by compare-and-swap; false when it is not where it was said to be. A lock of others is waited for, briefly. */
export async function swapRef(repository: GitRepository, update: RefUpdate): Promise<boolean> {
  const { ref, from, to, reason } = update
  const args = ['update-ref', '--no-deref', '-m', reason, ref, to, from ?? '0'.repeat(to.length)]
  for (let tries = 0; ; tries++) {
    try {
      const env = reflogIdentity(repository)
      await withJournal(repository, update, () => repository.users.run(args, { env }))
      return true
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const actual = await readRef(repository, ref)
      if (actual === to) return true
      if (actual !== from) return false
      if (error.code !== 'busy' || tries >= LOCK_RETRIES) throw error
      await releaseOwnLock(repository, ref)
      await delay(LOCK_PAUSE_MS)
    }
  }
}

/** Deletes a ref of ours from the user's repository; one that is not there is fine. */
export async function dropRef({ users }: GitRepository, ref: string): Promise<void> {
  await users.run(['update-ref', '--no-deref', '-d', ref])
}

const reflogIdentity = ({ identity }: GitRepository): Record<string, string> => ({
  GIT_COMMITTER_NAME: identity.name,
  GIT_COMMITTER_EMAIL: identity.email,
})
