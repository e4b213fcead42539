import { createBranches, createTrees, type GitRepository } from '../../adapters/workspaces/index.ts'
import type { ArtifactShelf, Branches, CommitNote } from '../../loop/ports.ts'
import type { Attempt } from '../../model/attempt/attempt.ts'
import { parseEvidenceNote, type EvidenceNote } from '../../model/attempt/evidence-note.ts'
import { Fault } from '../../model/fault.ts'
import type { CommitId, SessionId } from '../../model/id.ts'

/** Branches whose notes are kept too: the next mirror has the commits from their bundle, and no note. */
export const carryNotes = (branches: Branches, shelf: Pick<ArtifactShelf, 'put'>): Branches => ({
  ...branches,
  async note(notes) {
    for (const { commit, text } of notes) {
      const { session_id } = parseNote(commit, text)
      if (session_id !== null) await shelf.put(session_id, nameOf(commit), Buffer.from(text))
    }
    await branches.note(notes)
  },
})

interface NotesOf {
  readonly git: GitRepository
  readonly sessionId: SessionId
  readonly attempts: readonly Attempt[]
}

/** Writes the notes that another machine has kept and that are not here. */
export async function fetchNotes(
  shelf: Pick<ArtifactShelf, 'stream'>,
  { git, sessionId, attempts }: NotesOf,
): Promise<void> {
  const trees = createTrees(git)
  const missing: CommitNote[] = []
  for (const commit of landedBy(attempts)) {
    if ((await trees.readCommit(commit)).note !== null) continue
    const stream = await shelf.stream(sessionId, nameOf(commit))
    if (stream === null) continue
    const text = Buffer.from(await readBounded(stream)).toString()
    parseNote(commit, text)
    missing.push({ commit, text })
  }
  if (missing.length > 0) await createBranches(git).note(missing)
}

const nameOf = (commit: CommitId): string => `notes/${commit}.json`

const landedBy = (attempts: readonly Attempt[]): readonly CommitId[] =>
  attempts.flatMap((attempt) =>
    attempt.stage === 'settled' && 'commit_sha' in attempt ? (attempt.commit_sha ?? []) : [],
  )

function parseNote(commit: CommitId, text: string): EvidenceNote {
  const note = parseEvidenceNote(text)
  if (note) return note
  throw new Fault('bundle_refused', `what is kept as the note on ${commit} is none`)
}

/** The same bound for everything that another machine has kept; what is larger is not read to its end. */
const mostBytes = 100 * 1024 * 1024

export async function readBounded(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.byteLength
    if (length > mostBytes) throw new Fault('bundle_refused', `the bundle has more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
