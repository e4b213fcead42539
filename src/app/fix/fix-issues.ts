import { createRunMark, isOwnerGone, parseRunMark } from '../../adapters/process/run-mark.ts'
import { processTable } from '../../adapters/process/process-table.ts'
import { advance } from '../../model/attempt/advance-attempt.ts'
import { isSettled, type Revision } from '../../model/attempt/attempt.ts'
import { Fault } from '../../model/fault.ts'
import { SessionId } from '../../model/id.ts'
import { allowedTransitions, type Issue, type IssueStatus } from '../../model/issue/issue.ts'
import { alreadyRunning, isOver, type Session, type SessionOptions } from '../../model/session/session.ts'
import { exitCodeFor, sessionResult, type SessionResult } from '../../model/session/session-result.ts'
import type { Severity } from '../../model/issue/severity.ts'
import { resumeLanding } from '../../loop/landing/land.ts'
import { createRecorder } from '../../loop/session/recorder.ts'
import type { Ports, RequestKey, StoredSession } from '../../loop/ports.ts'
import type { SessionSignals } from '../../loop/session/run-session.ts'
import { startSession } from '../../loop/session/start-session.ts'
import type { App } from '../open-app.ts'
import { readClarified } from './read-clarified.ts'
import { runCancellable } from './run-cancellable.ts'
import { writeRecordedSession } from './recorded-session.ts'
import { recover } from './recover.ts'
import { requestKeyOf } from './request-key.ts'
import { sandboxState } from '../sandbox.ts'

/** Which issues: these codes, or all of some statuses and severities. */
export interface IssueChoice {
  readonly codes?: readonly string[]
  readonly all?: boolean
  readonly severities?: readonly Severity[]
  /** With `all`; only open ones without it. */
  readonly statuses?: readonly IssueStatus[]
}

export interface FixRequest {
  readonly issues: readonly Issue[]
  /** Where work starts; HEAD without it. */
  readonly base?: string
  readonly branch?: string
  readonly useExistingBranch?: boolean
  readonly notes?: string
  /** Somebody is there who can be asked. */
  readonly attended?: boolean
  /** The asking that came before: its conversation goes on. */
  readonly clarifySessionId?: string
  /** The review that the issues are of, when the request names one. */
  readonly taskId?: string
  /** The caller's own word for what makes two requests the same. */
  readonly idempotencyKey?: string
  /** Start anew, whatever the same request came to before. */
  readonly force?: boolean
}

export interface FixOutcome {
  readonly result: SessionResult & { readonly sandbox: string }
  readonly exitCode: number
}

/** The issues that a request names, or all open ones; an unknown code is a fault that names it. */
export async function chooseIssues(app: App, choice: IssueChoice): Promise<readonly Issue[]> {
  const { codes = [], severities = [] } = choice
  const chosen = codes.length > 0 ? await issuesByCode(app, codes) : await allIssues(app, choice)
  return severities.length > 0 ? chosen.filter(({ severity }) => severities.includes(severity)) : chosen
}

export async function issuesByCode(app: App, codes: readonly string[]): Promise<readonly Issue[]> {
  const wanted = [...new Set(codes.map((code) => code.toUpperCase()))]
  const found = await app.store.issues.byCode(app.repository.id, wanted)
  const missing = wanted.filter((code) => !found.some((issue) => issue.code === code))
  if (missing.length === 0) return found
  throw new Fault('not_found', `there is no issue ${missing.join(', ')} in this repository`, {
    hint: 'fixpoint issues list shows the codes.',
  })
}

async function allIssues(
  app: App,
  { all, statuses = [], severities = [] }: IssueChoice,
): Promise<readonly Issue[]> {
  if (!all)
    throw new Fault('usage', 'say which issues to fix', {
      hint: 'Name their codes (fixpoint fix BE-001), or add --all.',
    })
  const issues: Issue[] = []
  let cursor: string | null = null
  do {
    const page = await app.store.issues.list({
      repositoryId: app.repository.id,
      status: statuses.length > 0 ? statuses : ['open'],
      ...(severities.length > 0 && { severity: severities }),
      ...(cursor !== null && { cursor }),
      limit: 500,
    })
    issues.push(...page.issues)
    cursor = page.nextCursor
  } while (cursor !== null)
  return issues
}

/** The revision that work starts from. */
export async function resolveBase(app: App, ref = 'HEAD'): Promise<Revision> {
  const base = await (await app.ports()).trees.resolve(ref)
  if (base) return base
  throw new Fault('ref_unknown', `"${ref}" names no commit in ${app.git.root}`, {
    hint: 'Give a branch, a tag or a commit: --base main.',
  })
}

/** What the configuration and the flags ask of this session, fixed for all its life. */
export function sessionOptions(app: App, notes: string | null): SessionOptions {
  const { config } = app.loaded
  return {
    strategy: config.fix.strategy,
    concurrency: config.fix.concurrency,
    policy: {
      max_rounds: config.fix.max_rounds,
      threshold: config.challenge.threshold,
      challenge: config.challenge.enabled,
      min_evidence: config.land.min_evidence,
      unattended: config.fix.unattended,
    },
    notes,
    scope: { path: config.workspace.path, extra: config.workspace.allowed_extra_paths },
    commands: config.verify.commands,
    fixer: config.agents.fixer.name,
    challenger: config.agents.challenger.name,
    conventions: config.conventions,
    protected: config.tamper.protected,
    assisted_by: config.fix.assisted_by,
    max_session_tokens: config.fix.max_session_tokens,
    max_batch_points: config.fix.max_batch_points,
    max_batch_issues: config.fix.max_batch_issues,
    reproduce: config.evidence.reproduce,
    clarify: config.fix.clarify,
    budget_usd: config.fix.budget_usd,
    issue_budget_usd: config.fix.issue_budget_usd,
    budget_tokens: config.fix.budget_tokens,
    issue_budget_tokens: config.fix.issue_budget_tokens,
  }
}

const withAttendance = (options: SessionOptions, attended: boolean): SessionOptions => ({
  ...options,
  policy: { ...options.policy, attended },
})

/** Claims the issues and drives them to their ends. The same request within the hour gives the earlier result. */
export async function fixIssues(app: App, request: FixRequest, signals: SessionSignals): Promise<FixOutcome> {
  const { stored, isNew } = await beginSession(app, request)
  return outcomeOf(app, isNew ? await runCancellable(app, stored, signals, cancelSession) : stored)
}

export interface BegunSession {
  readonly stored: StoredSession
  /** False for a session that is over and was made for the same request. */
  readonly isNew: boolean
}

/** Claims the issues for a new session that is yet to be run, unless the same request has been completed already. */
export async function beginSession(app: App, request: FixRequest): Promise<BegunSession> {
  const ports = await app.ports()
  requireAgents(app, ports)
  const base = await resolveBase(app, request.base)
  const key = requestKeyOf(app.repository.id, base.commit, request)
  const earlier = key && (await completedBefore(app, request, key))
  if (earlier) return { stored: earlier, isNew: false }
  if (request.force) await cancelStuck(app, request.issues)
  await recover(app)
  const stored = await startSession(
    {
      repositoryId: app.repository.id,
      issues: request.issues,
      base,
      baseBranch: await ports.branches.branchOf(request.base ?? 'HEAD'),
      options: withAttendance(sessionOptions(app, request.notes ?? null), request.attended ?? false),
      branch: request.branch ?? null,
      useExistingBranch: request.useExistingBranch ?? false,
      owner: createRunMark(app.home),
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

/** Ends the sessions that hold the issues and that no living process works on. */
async function cancelStuck(app: App, issues: readonly Issue[]): Promise<void> {
  const held = issues.filter(({ status }) => status === 'in_progress')
  for (const id of new Set(held.map(({ fix_session_id }) => fix_session_id))) {
    const stored = id && (await app.store.sessions.load(id))
    if (stored && !(stored.session.owner && isDriven(stored.session.owner))) await cancelSession(app, id)
  }
}

/** The completed session of the same request; it does not count once one of the issues is open again. One that runs is a fault. */
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

/** An agent that cannot be built is a fault before anything is claimed, not the end of every attempt. */
export function requireAgents(app: App, { agents }: Ports): void {
  agents.forRole('fixer')
  if (app.loaded.config.challenge.enabled) agents.forRole('challenger')
}

/** Takes a session over from a process that is gone, and drives it to its end. One that is over is only shown. */
export async function resumeSession(
  app: App,
  id: string,
  signals: SessionSignals,
  budgetUsd?: number,
): Promise<FixOutcome> {
  const stored = await loadSession(app, id)
  if (isOver(stored.session)) {
    // A process that was killed when all was done may still have left something.
    await recover(app)
    return outcomeOf(app, stored)
  }
  const ports = await app.ports()
  requireAgents(app, ports)
  const taken = await takeSession(app, stored.session, budgetUsd)
  await recover(app)
  return outcomeOf(app, await runCancellable(app, taken, signals, cancelSession))
}

/** Ends a session that no process drives any more; its issues are open again. */
export async function cancelSession(app: App, id: string): Promise<FixOutcome> {
  const stored = await loadSession(app, id)
  if (isOver(stored.session)) return outcomeOf(app, stored)
  const ports = await app.ports()
  const taken = await takeUnlessOver(app, stored.session)
  if (isOver(taken.session)) return outcomeOf(app, taken)
  const recorder = createRecorder(taken.session, taken.attempts, ports)
  const event = { type: 'stopped', outcome: 'cancelled', reason: 'cancelled by a person' } as const
  // The branch may have been moved already: what was about to land has landed then, and its issues are fixed.
  const issues = new Map((await ports.issues.get(taken.session.issue_ids)).map((issue) => [issue.id, issue]))
  await resumeLanding({ recorder, ports, issues })
  for (const attempt of recorder.attempts().filter((open) => !isSettled(open)))
    await recorder.recordStep(attempt, event, advance(attempt, event))
  for (const { id: attemptId } of taken.attempts) await ports.workspaces.close(attemptId)
  if (recorder.session().landing) await recorder.recordTogether({ session: { type: 'landing_dropped' } })
  const at = new Date(ports.clock.now()).toISOString()
  await recorder.recordTogether({
    session: { type: 'ended', status: 'cancelled', reason: event.reason, at },
    announcements: [{ type: 'fix_session_completed', message: 'cancelled' }],
  })
  return outcomeOf(app, { session: recorder.session(), attempts: recorder.attempts() })
}

/** Two processes may want to end the same session: the slower one finds it ended. */
async function takeUnlessOver(app: App, session: Session): Promise<StoredSession> {
  try {
    return await takeSession(app, session)
  } catch (error) {
    const now = await loadSession(app, session.id)
    if (isOver(now.session)) return now
    throw error
  }
}

export async function loadSession(app: App, id: string): Promise<StoredSession> {
  const parsed = SessionId.safeParse(id)
  const stored = parsed.success ? await app.store.sessions.load(parsed.data) : null
  if (stored) return stored
  throw new Fault('not_found', `there is no session "${id}"`, { hint: 'fixpoint sessions list shows them.' })
}

export async function takeSession(app: App, session: Session, budgetUsd?: number): Promise<StoredSession> {
  if (session.owner && isDriven(session.owner))
    throw new Fault('busy', `${session.id} is being worked on by another process`, {
      hint: `Wait for it, or stop it there with Ctrl-C, then run fixpoint resume ${session.id} again.`,
      details: { session_id: session.id },
    })
  const taken = await app.store.sessions.take(session.id, session.owner, createRunMark(app.home))
  if (budgetUsd === undefined) return taken
  const recorder = createRecorder(taken.session, taken.attempts, await app.ports())
  await recorder.recordTogether({ session: { type: 'budget_changed', budget_usd: budgetUsd } })
  return { ...taken, session: recorder.session() }
}

/** Whether it is this very process that owns a session. */
export const isOwnProcess = (owner: string): boolean =>
  parseRunMark(owner)?.owner.pid === process.pid && isDriven(owner)

/** Whether the process that owns a session is alive. An owner that cannot be read counts as alive. */
export function isDriven(owner: string): boolean {
  const mark = parseRunMark(owner)
  return mark === null || !isOwnerGone(mark.owner, processTable.list().entries)
}

export async function outcomeOf(app: App, stored: StoredSession): Promise<FixOutcome> {
  const issues = await app.store.issues.get(stored.session.issue_ids)
  const result = sessionResult(stored.session, stored.attempts, issues)
  return {
    result: { ...result, sandbox: sandboxState },
    exitCode: exitCodeFor(stored.attempts, stored.session),
  }
}
