import { createdAtMs, type RepositoryId, ReviewId, SessionId } from '../../model/id.ts'
import { isOver } from '../../model/session/session.ts'
import type {
  ArtifactShelf,
  Branches,
  Clock,
  IssueStore,
  ReviewStore,
  SessionStore,
  StoredSession,
  Trees,
} from '../ports.ts'

export interface CollectRequest {
  readonly repositoryId: RepositoryId
  readonly retentionMs: number
  /** How many are looked at in one call; the next call begins at another place. */
  readonly atMost: number
  /** Branches may be on other machines too, so that one which is not here is not gone. */
  readonly hasOtherClones: boolean
  /** Only says what would be deleted. */
  readonly dryRun?: boolean
}

export interface CollectPorts {
  readonly shelf: ArtifactShelf
  readonly sessions: Pick<SessionStore, 'load'>
  readonly reviews: Pick<ReviewStore, 'get'>
  readonly issues: Pick<IssueStore, 'get'>
  readonly trees: Pick<Trees, 'resolve' | 'isReached'>
  readonly branches: Pick<Branches, 'check'>
  readonly clock: Pick<Clock, 'now'>
}

export interface Collected {
  readonly owners: readonly string[]
  /** What could not be looked at or deleted; it is tried again the next time. */
  readonly failed: readonly { readonly owner: string; readonly reason: string }[]
}

/**
 * Deletes the artifacts of this repository's sessions and reviews that are older than the retention and that nothing
 * needs; says whose they were. Ids tell their age, so nothing is read of those that are young.
 */
export async function collectArtifacts(request: CollectRequest, ports: CollectPorts): Promise<Collected> {
  const before = ports.clock.now() - request.retentionMs
  const old = (await ports.shelf.owners())
    .filter((owner) => (createdAtMs(owner) ?? Infinity) < before)
    .toSorted()
  const owners: string[] = []
  const failed: { owner: string; reason: string }[] = []
  for (const owner of startingAt(old, ports.clock.now()).slice(0, request.atMost)) {
    try {
      if (!(await isFinished(owner, { ...request, before }, ports))) continue
      if (!request.dryRun) await ports.shelf.remove(owner)
      owners.push(owner)
    } catch (error) {
      failed.push({ owner, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  return { owners, failed }
}

/** Artifacts that have to stay must not keep the others from being looked at: every call begins at another place. */
function startingAt<Item>(items: readonly Item[], nowMs: number): readonly Item[] {
  const at = Math.floor(nowMs / 1_000) % Math.max(1, items.length)
  return [...items.slice(at), ...items.slice(0, at)]
}

type Terms = Pick<CollectRequest, 'repositoryId' | 'hasOtherClones'> & { readonly before: number }

async function isFinished(owner: string, terms: Terms, ports: CollectPorts): Promise<boolean> {
  const review = ReviewId.safeParse(owner)
  if (review.success) {
    const known = await ports.reviews.get(review.data)
    return known === null || known.repository_id === terms.repositoryId
  }
  const session = SessionId.safeParse(owner)
  if (!session.success) return false
  const stored = await ports.sessions.load(session.data)
  // Nobody can go on with artifacts that have no row, such as those of questions before a session.
  if (stored === null) return true
  if (stored.session.repository_id !== terms.repositoryId) return false
  return endedBefore(stored, terms.before) && !(await isUndelivered(stored, terms, ports))
}

const endedBefore = ({ session, attempts }: StoredSession, before: number): boolean =>
  isOver(session) &&
  Date.parse(session.ended_at ?? session.updated_at) < before &&
  attempts.every(({ stage }) => stage !== 'held')

/** Whether commits of the session still wait to be merged: on its branch, or kept beside it. */
async function isUndelivered(
  { session }: StoredSession,
  { hasOtherClones }: Terms,
  { trees, branches, issues }: CollectPorts,
): Promise<boolean> {
  if ((await trees.resolve(`refs/fixpoint/${session.id}`)) !== null) return true
  if (session.branch === null || session.tip.commit === session.base.commit) return false
  if (hasOtherClones) {
    // Once its commits are merged, in whatever form, or not wanted any more, no issue counts as fixed by it.
    const fixed = (await issues.get(session.issue_ids)).filter(({ status }) => status === 'resolved')
    if (!fixed.some(({ fix_session_id: by }) => by === session.id)) return false
  } else if ((await branches.check(session.branch)).state !== 'exists') {
    // A branch that is gone was merged in another form, or is not wanted.
    return false
  }
  const into = await trees.resolve(session.base_branch ?? 'HEAD')
  return into === null || !(await trees.isReached(session.tip.commit, into.commit))
}
