import { setTimeout as delay } from 'node:timers/promises'
import { Fault } from '../../../model/fault.ts'
import { CommitId } from '../../../model/id.ts'
import type { CommitNote } from '../../../loop/ports.ts'
import { signedName } from '../../process/run-mark.ts'
import type { GitRepository } from '../objects/repository.ts'
import { cleanIdent } from '../objects/write-objects.ts'
import { copyObjects, readRef, swapRef } from './publish.ts'

/** Where the evidence of commits is kept. */
export const notesRef = 'refs/notes/fixpoint'
/** The beginning of the name of a ref that lives in the owned directory while notes are built. */
export const BUILDING = 'building'
const TRIES = 20
const PAUSE_MS = 100

/** Writes notes in the owned directory on top of the user's notes, then moves their notes ref once. */
export async function writeNotes(repository: GitRepository, notes: readonly CommitNote[]): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const from = await readRef(repository, notesRef)
    const to = await buildNotes(repository, from, notes)
    if (to === from) return
    await copyObjects(repository, to, from === null ? [] : [from])
    if (await swapRef(repository, { ref: notesRef, from, to, reason: 'fixpoint: note' })) return
    await delay(Math.random() * PAUSE_MS)
  }
  throw new Fault('busy', `${notesRef} was moved by others ${TRIES} times in a row`)
}

/** One commit with all the notes. */
export const buildNotes = (
  repository: GitRepository,
  from: CommitId | null,
  notes: readonly CommitNote[],
): Promise<CommitId> =>
  importCommit(repository, `refs/notes/${signedName(BUILDING)}`, [
    dataOf('Notes added by fixpoint\n'),
    ...(from === null ? [] : [`from ${from}`]),
    ...notes.flatMap(({ commit, text }) => [`N inline ${commit}`, dataOf(text)]),
  ])

/** Makes a commit with `git fast-import` in the owned directory; the ref is there only meanwhile. */
export async function importCommit(
  { owned, identity }: GitRepository,
  ref: string,
  content: readonly string[],
): Promise<CommitId> {
  const who = `${cleanIdent(identity.name)} <${cleanIdent(identity.email)}> ${Math.floor(Date.now() / 1000)} +0000`
  const stdin = [`commit ${ref}`, `committer ${who}`, ...content, 'done\n'].join('\n')
  try {
    await owned.run(['fast-import', '--quiet', '--done', '--force'], { stdin })
    return CommitId.parse(await owned.text(['rev-parse', '--verify', ref]))
  } finally {
    await owned.run(['update-ref', '-d', ref])
  }
}

/** A text as `git fast-import` takes it. */
export const dataOf = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}`
