import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { Fault } from '../../../model/fault.ts'
import { CommitId } from '../../../model/id.ts'
import { isOwnerAlive } from '../../process/run-mark.ts'
import { namesIn, readIfThere, replaceFile, readJsonFile, readOwner, signature } from '../objects/files.ts'
import type { GitRepository } from '../objects/repository.ts'

const LOCK_RETRIES = 30
const LOCK_PAUSE_MS = 100

interface RefUpdate {
  readonly ref: string
  /** Null when the ref must not exist. */
  readonly from: CommitId | null
  readonly to: CommitId
  readonly reason: string
}

/** Copies the objects that `to` reaches and the known commits do not into the user's object store. */
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

const Entry = z.object({ ref: z.string(), to: z.string(), at_ms: z.number() })

/** git takes its lock at once, so a lock of another time belongs to somebody else. */
const EARLY_MS = 2_000
const LATE_MS = 30_000
/** A git command that outlived its process has released the lock by then. */
const SETTLED_MS = 2_000

/** Writes down that this process is about to lock a ref of the user's, for as long as `use` runs. */
async function withJournal<T>(
  repository: GitRepository,
  { ref, to }: { ref: string; to: string },
  use: () => Promise<T>,
): Promise<T> {
  const folder = journalOf(repository, ref)
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${randomUUID()}.json`)
  const entry: z.infer<typeof Entry> = { ref, to, at_ms: Date.now() }
  await replaceFile(path, JSON.stringify({ ...signature(repository.home), ...entry }))
  try {
    return await use()
  } finally {
    await rm(path, { force: true })
  }
}

/** Deletes the lock on a ref if a process of Fixpoint wrote down that it would take it, and died; never any other. */
async function releaseOwnLock(repository: GitRepository, ref: string): Promise<void> {
  const folder = journalOf(repository, ref)
  const lock = join(repository.commonDir, `${ref}.lock`)
  for (const name of await namesIn(folder)) {
    const path = join(folder, name)
    const owner = await readOwner(path)
    const entry = Entry.safeParse(await readJsonFile(path)).data
    if (owner === null || entry?.ref !== ref || isOwnerAlive(owner)) continue
    if (!(await isLeftBy(entry, lock))) continue
    await rm(lock, { force: true })
    await rm(path, { force: true })
  }
}

async function isLeftBy({ to, at_ms }: z.infer<typeof Entry>, lock: string): Promise<boolean> {
  const content = (await readIfThere(lock))?.toString('latin1')
  if (content === undefined || !`${to}\n`.startsWith(content)) return false
  const { mtimeMs } = await stat(lock)
  return mtimeMs > at_ms - EARLY_MS && mtimeMs < at_ms + LATE_MS && Date.now() - mtimeMs > SETTLED_MS
}

const journalOf = ({ home, key }: GitRepository, ref: string): string =>
  join(home, 'repositories', key, 'moving', createHash('sha256').update(ref).digest('hex').slice(0, 16))
