import type { Attempt } from '../attempt/attempt.ts'
import type { CommitId, TreeId } from '../id.ts'
import type { Session } from './session.ts'

/** A git object that a row speaks of, and a commit that is older than it. */
export type NamedObject =
  | { readonly kind: 'commit'; readonly id: CommitId; readonly since: CommitId }
  | { readonly kind: 'tree'; readonly id: TreeId; readonly since: CommitId }

type Named = Pick<Session, 'base' | 'tip' | 'landing'>

/** What a process needs to go on with a session that another machine has worked on, commits first. */
export const objectsOf = (
  session: Named | undefined,
  attempts: readonly Attempt[],
): readonly NamedObject[] => [...(session ? commitsOf(session) : []), ...attempts.flatMap(treesOf)]

function commitsOf({ base, tip, landing }: Named): readonly NamedObject[] {
  const commits = new Set([tip.commit, ...(landing ? [landing.to.commit] : [])])
  commits.delete(base.commit)
  return [...commits].map((id) => ({ kind: 'commit', id, since: base.commit }))
}

function treesOf(attempt: Attempt): readonly NamedObject[] {
  if (attempt.stage === 'settled' || attempt.stage === 'queued') return []
  const last = attempt.rounds.at(-1)
  const { base, from_tree, approved } = attempt
  const trees = new Set([
    from_tree,
    last?.from_tree,
    last?.tree,
    approved?.tree,
    'divided' in attempt ? attempt.divided?.tree : null,
    'patch' in attempt ? attempt.patch.tree : null,
    attempt.stage === 'held' ? attempt.next_tree : null,
  ])
  trees.delete(base.tree)
  return [...trees].flatMap((id) => (id ? [{ kind: 'tree', id, since: base.commit }] : []))
}
