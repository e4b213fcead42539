import type { FailureKind } from '../../model/agent/agent.ts'
import type { Attempt, AttemptEvent } from '../../model/attempt/attempt.ts'
import type { Challenge } from '../../model/proof/challenge.ts'
import type { Gate } from '../../model/proof/gate.ts'
import type { Verification } from '../../model/proof/verification.ts'
import type { EventType, NewEvent } from '../../model/session/event.ts'
import type { Session } from '../../model/session/session.ts'
import { scopeGate } from '../gates/scope.ts'
import type { Clock } from '../ports.ts'
import { aboutTime } from './about-time.ts'

/** An event as its cause knows it; the recorder adds the session, the time and the issue. */
export interface EventDraft {
  readonly type: EventType
  readonly message: string
  readonly attempt?: Attempt
  readonly round?: number
  readonly commit_sha?: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** Completes a draft: the event that every face of Fixpoint shows. */
export function completeEvent(session: Session, clock: Pick<Clock, 'now'>, given: EventDraft): NewEvent {
  const { attempt } = given
  return {
    type: given.type,
    timestamp: new Date(clock.now()).toISOString(),
    session_id: session.id,
    issue_id: attempt?.issue_id ?? null,
    issue_code: attempt?.issue_code ?? null,
    issue_index: attempt ? attempt.position + 1 : null,
    total_issues: session.issue_ids.length,
    round: given.round ?? (attempt && 'round' in attempt ? attempt.round : null),
    commit_sha: given.commit_sha ?? null,
    message: given.message,
    details: { ...given.details },
  }
}

/** Who waits for which service, and until when. */
export interface WaitingFor {
  readonly agent: string
  /** The kind of the failure that the agent waits out. */
  readonly kind: FailureKind
  readonly reason: string
  readonly now: number
  readonly until: number
  /** When the waiting ends, for a fallback or for a later resume. */
  readonly givesUpAt: number
}

/** The event of an agent that waits. */
export function waitingDraft({ attempt, ...wait }: WaitingFor & { readonly attempt?: Attempt }): EventDraft {
  const { agent, kind, until, givesUpAt } = wait
  const isoOf = (ms: number): string => new Date(ms).toISOString()
  return {
    type: 'fix_agent_waiting',
    ...(attempt && { attempt }),
    message: describeWait(wait),
    details: {
      agent,
      kind,
      reason: firstLine(wait.reason),
      until: isoOf(until),
      gives_up_at: isoOf(givesUpAt),
    },
  }
}

/** Who waits, how long, for what, and when the waiting ends. */
export function describeWait({ agent, kind, reason, now, until, givesUpAt }: WaitingFor): string {
  const left = Math.max(0, Math.round((until - now) / 1000))
  const what = left > 0 ? `waits until ${timeOf(until)} (${left} s)` : 'asks again'
  return `${agent} ${what}, ${words[kind] ?? kind}: ${firstLine(reason)}, given up at ${timeOf(givesUpAt)}`
}

const firstLine = (text: string): string => text.split('\n')[0] ?? ''

const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(11, 19)}Z`

const words: Readonly<Partial<Record<WaitingFor['kind'], string>>> = {
  rate_limited: 'its rate is limited',
  overloaded: 'its service is overloaded',
  quota: 'its quota is used up',
  auth: 'its login is refused',
}

/** The events before a step is taken. */
export function eventsBefore(attempt: Attempt, usualMs: number | null = null): readonly EventDraft[] {
  const about = aboutTime(usualMs)
  switch (attempt.stage) {
    case 'queued':
      return attempt.reproduction ? [] : [{ type: 'fix_issue_started', attempt, message: 'started' }]
    case 'fixing':
      return [
        {
          type: 'fix_cycle_started',
          attempt,
          message: `round ${attempt.round} of ${attempt.policy.max_rounds}`,
        },
        { type: 'fix_issue_generating', attempt, message: 'the fixer begins' },
      ]
    case 'verifying':
      return [
        { type: 'fix_verification_started', attempt, message: `running the verification commands${about}` },
      ]
    case 'doubting':
      return [
        {
          type: 'fix_challenger_evaluating',
          attempt,
          message: `the challenger looks at the false positive${about}`,
        },
      ]
    case 'challenging':
      return [
        { type: 'fix_challenger_evaluating', attempt, message: `the challenger looks at the fix${about}` },
      ]
    case 'inspecting':
    case 'bundled':
    case 'held':
    case 'accepted':
    case 'settled':
      return []
  }
}

/** The events once a step is recorded: its result, then whether the round or the issue is over. */
export function eventsAfter(before: Attempt, event: AttemptEvent, after: Attempt): readonly EventDraft[] {
  return [...resultOf(before, event), ...questionOf(after), ...roundEnd(before, after), ...issueEnd(after)]
}

function questionOf(after: Attempt): readonly EventDraft[] {
  if (after.stage !== 'held') return []
  const { name, reason, paths = [], asks } = after.question
  const details = { gate: name, files: paths, ...(asks && { question: asks.question }) }
  return [{ type: 'fix_approval_needed', attempt: after, message: reason, details }]
}

function resultOf(attempt: Attempt, event: AttemptEvent): readonly EventDraft[] {
  switch (event.type) {
    case 'inspected':
      return event.gates.flatMap((gate) => gateEvents(attempt, gate))
    case 'verified':
      return [
        verificationDraft(attempt, event.verification),
        ...event.gates.flatMap((gate) => gateEvents(attempt, gate)),
      ]
    case 'challenged':
      return [challengeDraft(attempt, event.challenge)]
    case 'landed':
      return [
        {
          type: 'fix_issue_committed',
          attempt,
          commit_sha: event.commit_sha,
          message: event.commit_message.split('\n')[0] ?? '',
          details: { evidence: event.evidence },
        },
      ]
    case 'agent_ended':
      return [agentEndDraft(attempt, event)]
    case 'reproduction_begun':
      return [
        {
          type: 'fix_issue_validating',
          attempt,
          message: 'another agent writes a test for it, which the fixer will not see',
        },
      ]
    case 'reproduced': {
      const { run, test, reason } = event.reproduction
      const details = { agent: run?.agent ?? null, tests: test?.tests ?? [], cost_usd: run?.cost_usd ?? 0 }
      return [{ type: 'fix_issue_validating', attempt, message: reason, details }]
    }
    case 'started':
    case 'found_fixed':
    case 'batch_ended':
    case 'bundle_settled':
    case 'bundle_dissolved':
    case 'workspace_lost':
    case 'approved':
    case 'rejected':
    case 'conflicted':
    case 'landing_refused':
    case 'stopped':
      return []
  }
}

const verificationDraft = (attempt: Attempt, verification: Verification): EventDraft => ({
  type: 'fix_verification_result',
  attempt,
  message: `${verification.status}: ${verification.reason}`,
  details: { verification },
})

const challengeDraft = (attempt: Attempt, challenge: Challenge): EventDraft => ({
  type: 'fix_challenger_result',
  attempt,
  message: `${challenge.status}${challenge.score === null ? '' : `, score ${challenge.score}`}`,
  details: { challenge, tokens: challenge.tokens ?? 0, cost_usd: challenge.cost_usd ?? 0 },
})

function agentEndDraft(
  attempt: Attempt,
  { run, report }: Extract<AttemptEvent, { type: 'agent_ended' }>,
): EventDraft {
  const { ending, agent, model, tokens, cost_usd } = run
  const said =
    ending.ended === 'finished'
      ? (report?.outcome ?? 'no readable report')
      : `${ending.kind}: ${ending.message}`
  const details = { agent, model, tokens, cost_usd }
  return { type: 'fix_issue_generating', attempt, message: `the fixer ended: ${said}`, details }
}

function gateEvents(attempt: Attempt, gate: Gate): readonly EventDraft[] {
  const result: EventDraft = {
    type: 'fix_gate_result',
    attempt,
    message: `${gate.name} ${gate.status}: ${gate.reason}`,
    details: { gate },
  }
  return gate.name === scopeGate.name && gate.status === 'failed'
    ? [
        result,
        { type: 'fix_scope_violation', attempt, message: gate.reason, details: { files: gate.paths ?? [] } },
      ]
    : [result]
}

function roundEnd(before: Attempt, after: Attempt): readonly EventDraft[] {
  const closed = after.rounds.length > before.rounds.length ? after.rounds.at(-1) : undefined
  if (!closed) return []
  const message = closed.refusal
    ? `round ${closed.round} refused: ${closed.refusal}`
    : `round ${closed.round} accepted`
  return [{ type: 'fix_cycle_completed', attempt: after, round: closed.round, message }]
}

function issueEnd(after: Attempt): readonly EventDraft[] {
  if (after.stage !== 'settled') return []
  return [
    {
      type: 'fix_issue_completed',
      attempt: after,
      message: `${after.outcome}: ${after.reason}`,
      ...(after.commit_sha && { commit_sha: after.commit_sha }),
      details: { outcome: after.outcome, reason: after.reason },
    },
  ]
}
