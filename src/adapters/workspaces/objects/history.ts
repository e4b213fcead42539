import type { CommitText, LinePlace } from '../../../loop/ports.ts'
import { CommitId } from '../../../model/id.ts'
import type { GitRepository } from './repository.ts'

const MAX_BYTES = 1024 * 1024

/** A commit as it is stored, with the note that the user's repository has on it. */
export async function readCommit({ owned, users }: GitRepository, commit: CommitId): Promise<CommitText> {
  const { stdout } = await owned.run(['cat-file', 'commit', commit], { maxBytes: MAX_BYTES, overflow: 'cut' })
  const text = stdout.toString('utf8')
  const end = text.indexOf('\n\n')
  const headers = end < 0 ? text : text.slice(0, end)
  const note = await users.run(['notes', '--ref=refs/notes/fixpoint', 'show', commit], {
    answers: [1],
    maxBytes: MAX_BYTES,
    overflow: 'cut',
  })
  return {
    parents: [...headers.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, id]) => CommitId.parse(id)),
    message: end < 0 ? '' : text.slice(end + 2),
    note: note.exitCode === 0 ? note.stdout.toString('utf8') : null,
  }
}

/** A commit that is not here, such as behind the end of a shallow clone, is not reached. */
export async function isReached({ owned }: GitRepository, commit: CommitId, tip: CommitId): Promise<boolean> {
  const answer = await owned.run(['merge-base', '--is-ancestor', commit, tip], { answers: [1, 128] })
  return answer.exitCode === 0
}

export async function mergeBase(
  { owned }: GitRepository,
  a: CommitId,
  b: CommitId,
): Promise<CommitId | null> {
  const answer = await owned.run(['merge-base', a, b], { answers: [1] })
  return answer.exitCode === 0 ? CommitId.parse(answer.stdout.toString('latin1').trim()) : null
}

/** Who wrote each line, asked once per line: the owned directory has no attributes or drivers that could run. */
export function blameLines(
  { owned }: GitRepository,
  commit: CommitId,
  places: readonly LinePlace[],
): Promise<readonly (CommitId | null)[]> {
  return Promise.all(
    places.map(async ({ file, line }) => {
      const args = ['blame', '--porcelain', '-L', `${line},${line}`, commit, '--', file]
      const answer = await owned.run(args, { answers: [1, 128], maxBytes: 1024 * 1024, overflow: 'cut' })
      const id = /^\^?([0-9a-f]{40,64}) /.exec(answer.stdout.toString('latin1'))?.[1]
      return answer.exitCode === 0 && id !== undefined ? CommitId.parse(id) : null
    }),
  )
}
