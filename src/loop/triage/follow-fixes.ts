import type { Revision } from '../../model/attempt/attempt.ts'
import type { IssueId, RepositoryId, SessionId } from '../../model/id.ts'
import { moveIssue, type Issue } from '../../model/issue/issue.ts'
import type { Session } from '../../model/session/session.ts'
import type { Ports, SessionStore, StoredSession } from '../ports.ts'
import { pagesOf } from './revisit-issues.ts'

interface FollowPorts extends Pick<Ports, 'issues' | 'trees' | 'branches'> {
  readonly sessions: Pick<SessionStore, 'load' | 'list'>
}

interface FollowRequest {
  readonly repositoryId: RepositoryId
  /** The revision that is worked on now; the base of fixes whose own base branch is not known or not here. */
  readonly revision: Revision
  /** The clone that is worked in: a branch that was made in another one need not be here. Null for one copy of many. */
  readonly clone: string | null
}

export interface FollowedFixes {
  readonly merged: readonly Issue[]
  /** Fixed issues whose fix is on no branch any more: seen again, they are open again. */
  readonly discarded: ReadonlySet<IssueId>
  /** Sessions whose fixes were built on the present revision: it cannot hold them yet, wherever they are merged. */
  readonly ahead: ReadonlySet<SessionId>
}

/** Follows the fixes of earlier sessions: an issue whose fix is in its base branch by now is merged, whoever merged it. */
export async function followFixes(request: FollowRequest, ports: FollowPorts): Promise<FollowedFixes> {
  const fixed: Issue[] = []
  for await (const page of pagesOf({ repositoryId: request.repositoryId, status: ['resolved'] }, ports))
    fixed.push(...page.filter(({ fix_commit_sha }) => fix_commit_sha !== null))
  const merged: Issue[] = []
  const discarded = new Set<IssueId>()
  let listing: Promise<ReadonlySet<string>> | null = null
  const branchNames = () => (listing ??= ports.branches.names())
  const tips = new Map<string, Promise<Revision | null>>()
  for (const [sessionId, issues] of Map.groupBy(fixed, (issue) => issue.fix_session_id)) {
    const stored = sessionId === null ? null : await ports.sessions.load(sessionId)
    const tip = stored ? await baseTipOf(stored.session, { request, tips }, ports) : null
    for (const issue of issues) {
      if (stored && tip && (await isDelivered(issue, { stored, tip }, ports))) merged.push(issue)
      else if (isOfClone(stored, request) && (await isDiscarded(issue, branchNames, ports)))
        discarded.add(issue.id)
    }
  }
  for (const { id, fix_commit_sha } of merged)
    await ports.issues.change(id, 'engine', (issue) =>
      issue.status === 'resolved' && issue.fix_commit_sha === fix_commit_sha
        ? moveIssue(issue, 'merged', 'engine')
        : issue,
    )
  return { merged, discarded, ahead: await sessionsAhead(request, ports) }
}

/** A clone that is behind is so by a few sessions. */
const sessionsLookedAt = 20

async function sessionsAhead(
  { repositoryId, revision }: FollowRequest,
  { sessions, trees }: FollowPorts,
): Promise<ReadonlySet<SessionId>> {
  const landed = (await sessions.list(repositoryId, sessionsLookedAt)).filter(
    // A branch that was merged without a merge commit is the present revision itself.
    ({ branch_made, tip }) => branch_made && tip.commit !== revision.commit,
  )
  const found = await Promise.all(
    landed.map(async ({ id, base, tip }) => {
      const isBase = base.commit === revision.commit
      return isBase || (await trees.isReached(revision.commit, tip.commit)) ? [id] : []
    }),
  )
  return new Set(found.flat())
}

/** Older sessions do not say in which clone their branch was made. */
const isOfClone = (stored: StoredSession | null, { clone }: FollowRequest): boolean =>
  clone !== null && (stored?.session.clone ?? clone) === clone

/** Where the branch is that the session started from; null when the fix's own branch is all there is to look at. */
async function baseTipOf(
  { base_branch, branch }: Session,
  { request: { revision }, tips }: { request: FollowRequest; tips: Map<string, Promise<Revision | null>> },
  { trees, branches }: FollowPorts,
): Promise<Revision | null> {
  const resolving = base_branch ? (tips.get(base_branch) ?? trees.resolve(base_branch)) : null
  if (base_branch && resolving) tips.set(base_branch, resolving)
  const tip = await resolving
  if (tip) return tip
  return (await branches.branchOf('HEAD')) === `refs/heads/${branch}` ? null : revision
}

const isDelivered = async (
  { fix_commit_sha: commit }: Issue,
  { stored: { session, attempts }, tip }: { readonly stored: StoredSession; readonly tip: Revision },
  { trees }: FollowPorts,
): Promise<boolean> =>
  commit !== null &&
  trees.holdsChange({
    commit,
    since: session.base.commit,
    tip: tip.commit,
    lines: attempts.flatMap((attempt) =>
      attempt.stage === 'settled' && attempt.commit_sha === commit
        ? ownLines(attempt.commit_message ?? '')
        : [],
    ),
  })

/** The trailers of a commit that no other one has. */
const ownLines = (message: string): readonly string[] =>
  message.split('\n').filter((line) => /^(?:Issue|Fingerprint|Verified-Tree|Session): /.test(line))

async function isDiscarded(
  { fix_branch, fix_commit_sha: commit }: Issue,
  branchNames: () => Promise<ReadonlySet<string>>,
  { branches }: FollowPorts,
): Promise<boolean> {
  if (commit === null || fix_branch === null) return false
  return !(await branchNames()).has(fix_branch) && !(await branches.hold(commit))
}
