import { createRunMark } from '../../adapters/process/run-mark.ts'
import { Fault } from '../../model/fault.ts'
import type { RepositoryId } from '../../model/id.ts'
import { allowedTransitions, type Issue } from '../../model/issue/issue.ts'
import { alreadyRunning, isOver, type SessionOptions } from '../../model/session/session.ts'
import type { Ports, RequestKey, StoredSession } from '../../loop/ports.ts'
import { followFixes } from '../../loop/triage/follow-fixes.ts'
import type { SessionSignals } from '../../loop/session/run-session.ts'
import { draftSession, startSession } from '../../loop/session/start-session.ts'
import type { App } from '../open-app.ts'
import { readClarified } from '../prepare/clarify-issues.ts'
import { runCancellable } from './run-cancellable.ts'
import { writeRecordedSession } from './recorded-session.ts'
import { recover } from '../recover.ts'
import { hash } from '../machine.ts'
import { requirePrograms } from '../require-programs.ts'
import { resolveBase } from '../resolve-base.ts'
import { sessionOptions } from '../prepare/session-options.ts'
import { type FixOutcome, outcomeOf } from './stored-session.ts'
import { cancelStuckSessions } from './cancel-session.ts'
import { onlyCloneOf } from '../carry/only-clone.ts'

export interface FixRequest {
  readonly issues: readonly Issue[]
  /** Where work starts; HEAD without it. */
  readonly base?: string
  readonly branch?: string
  readonly useExistingBranch?: boolean
  readonly notes?: string
  /** What the session may cost, where that is less than the configuration allows. */
  readonly budgetUsd?: number
  /** `owner/name` of the repository that the code is of, where that is a stranger's. */
  readonly foreign?: string
  /** Somebody is there who can be asked. */
  readonly attended?: boolean
  /** The clarification that came before; the fixer's conversation goes on from it. */
  readonly clarifySessionId?: string
  /** The review that the issues are of, when the request names one. */
  readonly taskId?: string
  /** The caller's own key: two requests with the same one are the same request. */
  readonly idempotencyKey?: string
  /** Start anew, whatever the same request came to before. */
  readonly force?: boolean
}

/** Claims the issues and drives them to their ends. The same request within the hour gives the earlier result. */
export async function fixIssues(app: App, request: FixRequest, signals: SessionSignals): Promise<FixOutcome> {
  if (request.issues.length === 0) return nothingToDo(app, request)
  const { stored, isNew } = await beginSession(app, request)
  return isNew
    ? outcomeOf(app, await runCancellable(app, stored, signals))
    : outcomeOf(app, stored, { earlier: true })
}

/** The result of a session without issues, which is never stored. */
async function nothingToDo(app: App, request: FixRequest): Promise<FixOutcome> {
  const ports = await app.ports()
  const base = await resolveBase(app, request.base)
  const options = optionsOf(app, request)
  const owner = createRunMark(app.home)
  const drafted = await draftSession(
    { ...newBranch, repositoryId: app.repository.id, issues: [], base, options, owner },
    ports,
  )
  const session = { ...drafted.session, status: 'completed', ended_at: drafted.session.created_at } as const
  return outcomeOf(app, { session, attempts: [] })
}

const newBranch = { branch: null, useExistingBranch: false }

export interface BegunSession {
  readonly stored: StoredSession
  /** False for a session that is over and was made for the same request. */
  readonly isNew: boolean
}

/** Claims the issues for a new session that is yet to be run, unless the same request has been completed already. */
export async function beginSession(
  app: App,
  request: FixRequest,
  /** Who drives it; null where it is left to the queue. */
  owner: string | null = createRunMark(app.home),
): Promise<BegunSession> {
  const ports = await app.ports()
  requireAgents(app, ports)
  const base = await resolveBase(app, request.base)
  const key = requestKeyOf(app.repository.id, base.commit, request)
  const earlier = key && (await completedBefore(app, request, key))
  if (earlier) return { stored: earlier, isNew: false }
  requirePrograms(app.loaded.config.verify.commands, app.env)
  if (request.force) await cancelStuckSessions(app, request.issues)
  await recover(app)
  // A request does not merge what a stranger's branch holds.
  if (request.foreign === undefined)
    await followFixes(
      { repositoryId: app.repository.id, revision: base, clone: onlyCloneOf(app) },
      { ...ports, sessions: app.store.sessions },
    )
  const stored = await startSession(
    {
      repositoryId: app.repository.id,
      issues: request.issues,
      base,
      baseBranch: await ports.branches.branchOf(request.base ?? 'HEAD'),
      clone: app.clone,
      options: optionsOf(app, request),
      branch: request.branch ?? (request.useExistingBranch ? await lastBranchOf(app, request.issues) : null),
      useExistingBranch: request.useExistingBranch ?? false,
      owner,
      ...(app.flags.length > 0 && { settings: app.flags }),
      ...(key && { key }),
      ...(request.clarifySessionId !== undefined && {
        clarified: { ...(await readClarified(app, request.clarifySessionId)), ready: true },
      }),
    },
    ports,
  )
  if (app.record !== null) await writeRecordedSession(app.record, stored.session)
  return { stored, isNew: true }
}

/** The one branch that is still there of those on which the issues were fixed last. */
async function lastBranchOf(app: App, issues: readonly Issue[]): Promise<string> {
  const { branches } = await app.ports()
  const found = new Set<string>()
  for (const { id } of issues) {
    const { attempts } = await app.store.reviews.ledger(id)
    for (const sessionId of new Set(attempts.map(({ session_id }) => session_id).toReversed())) {
      const session = (await app.store.sessions.load(sessionId))?.session
      if (!session?.branch_made || session.branch === null) continue
      if ((await branches.check(session.branch)).state === 'exists') found.add(session.branch)
      break
    }
  }
  const [only, ...others] = found
  if (only !== undefined && others.length === 0) return only
  throw new Fault(
    'branch_refused',
    only === undefined
      ? 'no earlier session of these issues made a branch that is still there'
      : `earlier sessions of these issues made several branches: ${[only, ...others].join(', ')}`,
    {
      hint: 'Name the branch to go on from: --branch NAME --use-existing-branch.',
      details: { branches: [...found] },
    },
  )
}

function optionsOf(app: App, { notes, attended, budgetUsd, foreign }: FixRequest): SessionOptions {
  const options = sessionOptions(app, notes ?? null)
  return {
    ...options,
    policy: { ...options.policy, attended: attended ?? false },
    ...(budgetUsd !== undefined && { budget_usd: budgetUsd }),
    ...(foreign !== undefined && { foreign }),
  }
}

const lifetimeMs = 60 * 60_000

/** What makes a second request the same one: repository, review, issues and base, or the caller's own key. None without issues. */
function requestKeyOf(
  repositoryId: RepositoryId,
  baseCommit: string,
  { issues, taskId, idempotencyKey, force = false }: FixRequest,
): RequestKey | null {
  if (issues.length === 0) return null
  const reviews = new Set(issues.map((issue) => issue.task_id))
  const task = taskId ?? (reviews.size === 1 ? [...reviews][0] : null) ?? ''
  const asked =
    idempotencyKey === undefined
      ? ['request', task, baseCommit, ...issues.map(({ id }) => id).toSorted()]
      : ['caller', idempotencyKey]
  return { key: hash(JSON.stringify([repositoryId, ...asked])), lifetimeMs, force }
}

/** The completed session of the same request, unless one of its issues is open again. A session that still runs is a fault. */
async function completedBefore(
  app: App,
  { issues }: FixRequest,
  key: RequestKey,
): Promise<StoredSession | null> {
  const id = key.force ? null : await app.store.sessions.findRequest(key)
  const stored = id && (await app.store.sessions.load(id))
  if (stored && !isOver(stored.session)) throw alreadyRunning(stored.session.id)
  if (stored?.session.status !== 'completed') return null
  // As they are now: the request may have waited for its turn.
  const now = await app.store.issues.get(issues.map(({ id: issueId }) => issueId))
  const isOpen = now.some(({ status }) => allowedTransitions(status, 'engine').includes('in_progress'))
  return isOpen ? null : stored
}

/** Builds the agents once before anything is claimed, so that one that is missing is a fault and not the end of every attempt. */
export function requireAgents(app: App, { agents }: Pick<Ports, 'agents'>): void {
  agents.forRole('fixer')
  if (app.loaded.config.challenge.enabled) agents.forRole('challenger')
}
