import type { Revision, Attempt } from '../../model/attempt/attempt.ts'
import { Fault } from '../../model/fault.ts'
import { AttemptId, SessionId, type CommitId, type RepositoryId, type IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { issuesInOrder, predecessorsIn, type Plan } from '../../model/session/plan.ts'
import type { Clarified, Session, SessionOptions } from '../../model/session/session.ts'
import { completeEvent } from '../context/step-events.ts'
import { branchRefused, findFreeBranch } from '../landing/name-branch.ts'
import { planFixes } from '../plan.ts'
import type { Agents, Branches, Ports, RequestKey, StoredSession } from '../ports.ts'

export interface SessionRequest {
  readonly repositoryId: RepositoryId
  readonly issues: readonly Issue[]
  readonly base: Revision
  /** The full name of the branch that names the base, if one does. */
  readonly baseBranch?: string | null
  /** The clone that the branch will be in. */
  readonly clone?: string
  readonly options: SessionOptions
  /** The settings that were asked for instead of the configured ones; a process that goes on with the session uses the same. */
  readonly settings?: Session['settings']
  readonly branch: string | null
  readonly useExistingBranch: boolean
  /** The process that drives it; null for one that waits in the queue. */
  readonly owner: string | null
  /** What makes a second request the same one. */
  readonly key?: RequestKey
  /** What was asked before there was a session. */
  readonly clarified?: Clarified
}

type DraftPorts = Pick<Ports, 'agents' | 'branches' | 'clock' | 'ids' | 'jail' | 'trees'>

/** Plans the chosen issues, reserves a branch name, and claims the issues for this session. */
export async function startSession(
  request: SessionRequest,
  ports: DraftPorts & Pick<Ports, 'publisher' | 'sessions'>,
): Promise<StoredSession> {
  const stored = await draftSession(request, ports)
  const { session } = stored
  const total = session.issue_ids.length
  const started = completeEvent(session, ports.clock, {
    type: 'fix_session_started',
    message: `${total} ${total === 1 ? 'issue' : 'issues'}${session.branch === null ? '' : ` onto ${session.branch}`}; ${ports.jail.text}`,
    details: { plan: session.plan, sandbox: ports.jail.text },
  })
  const warned = (session.warnings ?? []).map((message) =>
    completeEvent(session, ports.clock, { type: 'fix_session_warning', message }),
  )
  const events = await ports.sessions.create({ ...stored, events: [started, ...warned], key: request.key })
  events.forEach((event) => ports.publisher.publish(event))
  return stored
}

/** The session as it would be stored: nothing is reserved or claimed by it. */
export async function draftSession(request: SessionRequest, ports: DraftPorts): Promise<StoredSession> {
  const { issues, options, repositoryId } = request
  const plan = planFixes(issues)
  const reserved = await reserveBranch(request, issuesInOrder(plan)[0]?.title ?? '', ports.branches)
  const base = reserved.existing ? await revisionOf(reserved.existing, ports) : request.base
  const now = new Date(ports.clock.now()).toISOString()
  const id = SessionId.parse(ports.ids.next('ses'))
  const reviews = new Set(issues.map((issue) => issue.task_id))
  const session: Session = {
    id,
    repository_id: repositoryId,
    task_id: reviews.size === 1 ? ([...reviews][0] ?? null) : null,
    status: request.owner === null ? 'pending' : 'running',
    ...(request.clone !== undefined && { clone: request.clone }),
    reason: null,
    base,
    base_branch: reserved.existing ? null : (request.baseBranch ?? null),
    jail: ports.jail.text,
    tip: base,
    branch: reserved.name,
    branch_made: reserved.existing !== null,
    issue_ids: issues.map((issue) => issue.id),
    ...(request.clarified && { clarified: request.clarified }),
    warnings: unboundAgents(options, ports.agents),
    plan,
    options,
    ...(request.settings && { settings: request.settings }),
    landing: null,
    verifications_run: 0,
    owner: request.owner,
    created_at: now,
    updated_at: now,
    ended_at: null,
  }
  return { session, attempts: planAttempts(plan, session, () => AttemptId.parse(ports.ids.next('att'))) }
}

/** A budget that cannot be kept is reported before the session starts. */
function unboundAgents(options: SessionOptions, agents: Agents): readonly string[] {
  const isBounded = (options.budget_usd ?? options.issue_budget_usd ?? null) !== null
  const roles = options.policy.challenge ? (['fixer', 'challenger'] as const) : (['fixer'] as const)
  const all = isBounded ? roles.flatMap((role) => agents.forRole(role)) : []
  const said = all.flatMap(({ agent: { name, can } }) =>
    can.costUnknown === undefined
      ? []
      : `the budget does not bound ${name}: ${can.costUnknown}; add it, or use fix.budget_tokens`,
  )
  return [...new Set(said)]
}

/** The name that was asked for; without one the first landing gives a name, and here it only shows whether there can be one. */
async function reserveBranch(
  { branch: name, useExistingBranch }: SessionRequest,
  first: string,
  branches: Branches,
): Promise<{ readonly name: string | null; readonly existing: CommitId | null }> {
  if (name === null) {
    await findFreeBranch({ first, more: 0 }, branches)
    return { name, existing: null }
  }
  const state = await branches.check(name)
  if (state.state === 'invalid') throw branchRefused(name, state.reason)
  if (state.state === 'free') return { name, existing: null }
  if (state.checkedOut) throw branchRefused(name, 'it is checked out; moving it would change your checkout')
  if (!useExistingBranch)
    throw branchRefused(name, 'it exists already; add --use-existing-branch to go on from it')
  return { name, existing: state.commit }
}

async function revisionOf(commit: CommitId, { trees }: Pick<Ports, 'trees'>): Promise<Revision> {
  const revision = await trees.resolve(commit)
  if (!revision) throw new Fault('ref_unknown', `the commit ${commit} cannot be read`)
  return revision
}

/** One attempt per issue; each waits for the one before it on its file and for what it depends on. */
export function planAttempts(
  plan: Plan,
  { id: session_id, options }: Pick<Session, 'id' | 'options'>,
  newId: () => AttemptId,
): readonly Attempt[] {
  const before = predecessorsIn(plan)
  const attemptOf = new Map<IssueId, AttemptId>()
  return issuesInOrder(plan).map(({ issue_id, code, file }, position) => {
    const id = newId()
    attemptOf.set(issue_id, id)
    return {
      stage: 'queued',
      id,
      session_id,
      issue_id,
      issue_code: code,
      position,
      files: file ? [file] : [],
      after: (before.get(issue_id) ?? []).flatMap((one) => attemptOf.get(one) ?? []),
      policy: options.policy,
      rounds: [],
      deferrals: 0,
    }
  })
}
