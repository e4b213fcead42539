import { isSettled, type Attempt, type SettledAttempt } from '../../model/attempt/attempt.ts'
import type { RepositoryId } from '../../model/id.ts'
import { moveIssue, type Issue } from '../../model/issue/issue.ts'
import { reopenIssue } from '../../model/issue/move-by-hand.ts'
import { fixedFields } from '../../model/session/fixed-fields.ts'
import type { Forge, IssueStore, PullRequest, SessionReader, StoredSession } from '../ports.ts'

export interface SyncPorts {
  readonly forge: Pick<Forge, 'pulls'>
  readonly issues: Pick<IssueStore, 'get' | 'change'>
  readonly sessions: SessionReader
}

/** What became of the pull request of a session, and which issues that moved. */
export interface SyncedPull {
  readonly number: number
  readonly url: string
  readonly state: PullRequest['state']
  readonly branch: string
  /** Null when the session is not known here. */
  readonly session_id: string | null
  readonly changed: readonly { readonly code: string; readonly status: Issue['status'] }[]
}

export const fixedIn = (number: number): string => `Fixed in PR #${number}`
export const proposedIn = (number: number): string => `Proposed in PR #${number}`
export const closedIn = (number: number): string => `PR #${number} was closed without being merged`

const sessionsLookedAt = 200

/** Takes over what became of pull requests: merged in any way, closed, reopened. Doing it twice is doing it once. */
export async function syncPulls(
  repositoryId: RepositoryId,
  ports: SyncPorts,
): Promise<readonly SyncedPull[]> {
  const synced: SyncedPull[] = []
  for (const { id, branch, branch_made } of await ports.sessions.list(repositoryId, sessionsLookedAt)) {
    const stored = branch_made && branch !== null ? await ports.sessions.load(id) : null
    if (!stored || branch === null || !(await isUndecided(stored, ports))) continue
    const pull = decisive(await ports.forge.pulls.list(branch))
    if (pull) synced.push(await syncPull(pull, stored, ports))
  }
  return synced
}

/** What one pull request means for the issues of its session. */
export async function syncPull(
  pull: PullRequest,
  stored: StoredSession,
  ports: Pick<SyncPorts, 'issues'>,
): Promise<SyncedPull> {
  const changed: SyncedPull['changed'][number][] = []
  const fixed = stored.attempts.filter(isFixed)
  const before = new Map(
    (await ports.issues.get(fixed.map(({ issue_id }) => issue_id))).map((issue) => [issue.id, issue]),
  )
  for (const attempt of fixed)
    for (const { actor, edit } of stepsFor(pull, attempt, stored)) {
      const was = before.get(attempt.issue_id)
      if (!was || edit(was) === was) continue
      const now = await ports.issues.change(was.id, actor, edit)
      before.set(was.id, now)
      changed.push({ code: now.code, status: now.status })
    }
  const { number, url, state, branch } = pull
  return { number, url, state, branch, session_id: stored.session.id, changed }
}

interface Step {
  readonly actor: 'engine' | 'person'
  readonly edit: (issue: Issue) => Issue
}

/** A person who reopens or merges a pull request takes back that it was closed. */
function stepsFor(pull: PullRequest, attempt: SettledAttempt, stored: StoredSession): readonly Step[] {
  const ofThisFix = (issue: Issue): boolean => issue.fix_commit_sha === attempt.commit_sha
  const restore: Step = {
    actor: 'person',
    edit: (issue) =>
      issue.status === 'open' && issue.resolution_note === closedIn(pull.number)
        ? {
            ...moveIssue(issue, 'resolved', 'person'),
            ...fixedFields(attempt, stored.session),
            resolution_note: proposedIn(pull.number),
          }
        : issue,
  }
  const note = (text: string, statuses: readonly Issue['status'][]): Step => ({
    actor: 'engine',
    edit: (issue) =>
      statuses.includes(issue.status) && ofThisFix(issue) && issue.resolution_note !== text
        ? { ...issue, resolution_note: text }
        : issue,
  })
  switch (pull.state) {
    case 'open':
      return [restore, note(proposedIn(pull.number), ['resolved'])]
    case 'merged':
      return [
        restore,
        {
          actor: 'engine',
          edit: (issue) =>
            issue.status === 'resolved' && ofThisFix(issue)
              ? { ...moveIssue(issue, 'merged', 'engine'), resolution_note: fixedIn(pull.number) }
              : issue,
        },
        note(fixedIn(pull.number), ['merged']),
      ]
    case 'closed':
      return [
        {
          actor: 'person',
          edit: (issue) =>
            issue.status === 'resolved' && ofThisFix(issue)
              ? reopenIssue(closedIn(pull.number))(issue)
              : issue,
        },
      ]
  }
}

const isFixed = (attempt: Attempt): attempt is SettledAttempt =>
  isSettled(attempt) && attempt.outcome === 'fixed'

/** Once every issue says in which pull request it was fixed, nobody has to be asked again. */
async function isUndecided(
  { attempts }: StoredSession,
  { issues }: Pick<SyncPorts, 'issues'>,
): Promise<boolean> {
  const found = await issues.get(attempts.filter(isFixed).map(({ issue_id }) => issue_id))
  return found.some(
    ({ status, resolution_note }) => status !== 'merged' || !/^Fixed in PR #\d+$/.test(resolution_note ?? ''),
  )
}

/** An open one is what people look at now; else the newest that was merged, else the newest. */
const decisive = (pulls: readonly PullRequest[]): PullRequest | undefined =>
  pulls.find(({ state }) => state === 'open') ?? pulls.find(({ state }) => state === 'merged') ?? pulls[0]
