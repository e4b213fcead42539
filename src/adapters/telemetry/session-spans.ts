import { createHash } from 'node:crypto'
import type { EventType, FixEvent } from '../../model/session/event.ts'

/** One finished piece of work, as OpenTelemetry knows it. */
export interface TraceSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  /** Why it failed, when it did. */
  readonly error: string | null
}

/** Ids come from names, so that a session that is resumed by another process stays one trace. */
export const traceIdOf = (name: string): string => digest(name).slice(0, 32)
export const spanIdOf = (...names: readonly (string | number)[]): string =>
  digest(names.join('\0')).slice(32, 48)

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Which event begins and which one ends each kind of work. */
const works: readonly {
  readonly name: string
  readonly from: EventType
  readonly to: readonly EventType[]
}[] = [
  {
    name: 'session',
    from: 'fix_session_started',
    to: ['fix_session_completed', 'fix_session_error', 'fix_session_parked'],
  },
  { name: 'attempt', from: 'fix_issue_started', to: ['fix_issue_completed'] },
  { name: 'round', from: 'fix_cycle_started', to: ['fix_cycle_completed'] },
  { name: 'agent', from: 'fix_agent_invoked', to: ['fix_issue_generating'] },
  { name: 'verification', from: 'fix_verification_started', to: ['fix_verification_result'] },
  { name: 'challenge', from: 'fix_challenger_evaluating', to: ['fix_challenger_result'] },
  { name: 'landing', from: 'fix_landing_started', to: ['fix_landing_result'] },
]

/** Makes spans of a session's events: sessions hold attempts, attempts rounds, rounds their steps. */
export function traceSessions(add: (span: TraceSpan) => void): (event: FixEvent) => void {
  const begun = new Map<string, FixEvent>()
  return (event) => {
    for (const { name, from, to } of works) {
      const key = spanKey(name, event)
      if (event.type === from) begun.set(key, event)
      if (!to.includes(event.type)) continue
      const start = begun.get(key)
      begun.delete(key)
      if (start) add(spanBetween(name, start, event))
    }
  }
}

/** A session that is resumed goes on in its trace with another span for each time it runs. */
const spanKey = (name: string, { session_id, issue_id, round }: FixEvent): string =>
  [
    name,
    session_id,
    ...(name === 'session' || name === 'landing' ? [] : [issue_id]),
    ...(isOfRound(name) ? [round] : []),
  ].join(' ')

const isOfRound = (name: string): boolean => !['session', 'landing', 'attempt'].includes(name)

function spanBetween(name: string, start: FixEvent, end: FixEvent): TraceSpan {
  const { session_id: session, issue_id: issue, issue_code: code, round, seq } = start
  const sessionSpan = spanIdOf(session, 'session')
  const attemptSpan = spanIdOf(session, issue ?? '', 'attempt')
  const roundSpan = spanIdOf(session, issue ?? '', 'round', round ?? 0)
  const own: Readonly<Record<string, readonly [string, string | null]>> = {
    session: [sessionSpan, null],
    attempt: [attemptSpan, sessionSpan],
    round: [roundSpan, attemptSpan],
    landing: [spanIdOf(session, 'landing', seq ?? 0), sessionSpan],
  }
  const [spanId, parentSpanId] = own[name] ?? [spanIdOf(session, issue ?? '', name, seq ?? 0), roundSpan]
  return {
    traceId: traceIdOf(session),
    spanId,
    parentSpanId,
    name: code === null ? name : `${name} ${code}`,
    startMs: Date.parse(start.timestamp),
    endMs: Date.parse(end.timestamp),
    attributes: {
      'fixpoint.session_id': session,
      ...(code !== null && { 'fixpoint.issue_code': code }),
      ...(round !== null && { 'fixpoint.round': round }),
      'fixpoint.result': end.message.slice(0, 200),
      ...costOf(end),
    },
    error: end.type === 'fix_session_error' ? end.message : null,
  }
}

function costOf({ details }: FixEvent): Readonly<Record<string, number>> {
  const { cost_usd: cost, tokens } = details
  return {
    ...(typeof cost === 'number' && { 'fixpoint.cost_usd': cost }),
    ...(typeof tokens === 'number' && { 'fixpoint.tokens': tokens }),
  }
}
