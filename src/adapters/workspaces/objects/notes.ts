import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Fault } from '../../../model/fault.ts'
import { CommitId } from '../../../model/id.ts'
import type { CommitNote } from '../../../loop/ports.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import { copyObjects, readRef, swapRef } from './publish.ts'

const REF = 'refs/notes/fixpoint'
const TRIES = 20
const PAUSE_MS = 100

/** Writes notes in the owned directory on top of the user's notes, then moves their notes ref once. */
export async function writeNotes(repository: GitRepository, notes: readonly CommitNote[]): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const from = await readRef(repository, REF)
    const to = await buildNotes(repository, from, notes)
    if (to === from) return
    await copyObjects(repository, to, from === null ? [] : [from])
    if (await swapRef(repository, { ref: REF, from, to, reason: 'fixpoint: note' })) return
    await delay(Math.random() * PAUSE_MS)
  }
  throw new Fault('busy', `${REF} was moved by others ${TRIES} times in a row`)
}

/** The notes commits that `git notes` makes, on a ref of their own in the owned directory. */
async function buildNotes(
  { owned, identity }: GitRepository,
  from: CommitId | null,
  notes: readonly CommitNote[],
): Promise<CommitId> {
  const ref = `refs/notes/building-${randomUUID()}`
  const env = {
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
  }
  try {
    if (from !== null) await owned.run(['update-ref', ref, from])
    for (const { commit, text } of notes)
      await owned.run(['notes', `--ref=${ref}`, 'add', '-f', '-F', '-', commit], { env, stdin: text })
    return CommitId.parse(await owned.text(['rev-parse', '--verify', ref]))
  } finally {
    await owned.run(['update-ref', '-d', ref])
  }
}
