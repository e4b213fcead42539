import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { namesIn, readIfThere, replaceFile } from '../git/files.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import { isOwnerAlive, readJson, readOwner, signature } from '../working-tree/owner.ts'

const Entry = z.object({ ref: z.string(), to: z.string(), at_ms: z.number() })

/** git makes its lock at once; one of another time is another's. */
const EARLY_MS = 2_000
const LATE_MS = 30_000
/** A git command that outlived its process has let go of the lock by then. */
const SETTLED_MS = 2_000

/** Writes down that this process is about to lock a ref of the user's, for as long as `use` runs. */
export async function withJournal<T>(
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
export async function releaseOwnLock(repository: GitRepository, ref: string): Promise<void> {
  const folder = journalOf(repository, ref)
  const lock = join(repository.commonDir, `${ref}.lock`)
  for (const name of await namesIn(folder)) {
    const path = join(folder, name)
    const owner = await readOwner(path)
    const entry = Entry.safeParse(await readJson(path)).data
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
