import { createHash } from 'node:crypto'
import { isFinalEvent, type EventType, type FixEvent } from '../../model/session/event.ts'

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

/** Reads the stored events of a session after one of them, in order. */
export type ReadEvents = (sessionId: string, afterSeq: number) => Promise<readonly FixEvent[]>

export interface SessionTracer {
  /** Takes what this process has just stored. */
  readonly note: (event: FixEvent) => void
  /** Resolves when a span was made of everything that was noted. */
  settled(): Promise<void>
}

interface Trace {
  readonly begun: Map<string, FixEvent>
  /** What this process has ended and nobody has made a span of yet. */
  readonly ended: Set<number>
  lastSeq: number
  /** The next event is the first one after the session has rested. */
  isParked: boolean
}

/**
 * Makes spans of a session's events: sessions hold attempts, attempts rounds, rounds their steps. Whoever ends a piece of
 * work sends its span; where it began is looked up in the record, because that was often in another process.
 */
export function traceSessions(add: (span: TraceSpan) => void, readEvents: ReadEvents): SessionTracer {
  const traces = new Map<string, Trace>()
  let last: Promise<void> = Promise.resolve()
  const follow = async (id: string, trace: Trace): Promise<void> => {
    while (trace.ended.size > 0) {
      // What is stored, but not noted yet, may be this process's own as well.
      const newest = Math.max(...trace.ended)
      const events = (await readEvents(id, trace.lastSeq)).filter(({ seq }) => (seq ?? 0) <= newest)
      if (events.length === 0) return
      for (const event of events) endSpans(trace, event).forEach(add)
      const last = events.at(-1)
      if (last && isFinalEvent(last) && trace.ended.size === 0) traces.delete(id)
    }
  }
  return {
    note({ type, seq, session_id: id }) {
      if (seq === null || !works.some(({ to }) => to.includes(type))) return
      const trace = traces.get(id) ?? { begun: new Map(), ended: new Set(), lastSeq: 0, isParked: false }
      traces.set(id, trace)
      trace.ended.add(seq)
      // A record that cannot be read now must not disturb the work: it is read with the next end.
      last = last.then(() => follow(id, trace)).catch(() => undefined)
    },
    settled: () => last,
  }
}

/** Follows the record by one event; the spans of what it ends, where this process has stored it. */
function endSpans(trace: Trace, event: FixEvent): readonly TraceSpan[] {
  const { begun, ended } = trace
  trace.lastSeq = event.seq ?? trace.lastSeq
  const isOwn = ended.delete(trace.lastSeq)
  const isResumed = trace.isParked
  trace.isParked = event.type === 'fix_session_parked'
  return works.flatMap(({ name, from, to }) => {
    const key = spanKey(name, event)
    if (event.type === from || (isResumed && name === 'session')) begun.set(key, event)
    if (!to.includes(event.type)) return []
    const start = begun.get(key)
    begun.delete(key)
    return start && isOwn ? [spanBetween(name, start, event)] : []
  })
}

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
    // A session that went on after a rest has one more span for each time.
    session:
      start.type === 'fix_session_started'
        ? [sessionSpan, null]
        : [spanIdOf(session, 'session', seq ?? 0), sessionSpan],
    attempt: [attemptSpan, sessionSpan],
    round: [roundSpan, attemptSpan],
    landing: [spanIdOf(session, 'landing', seq ?? 0), sessionSpan],
  }
  // A train is checked for no issue alone, and a test is written before the first round.
  const around = issue === null ? sessionSpan : round === null ? attemptSpan : roundSpan
  const [spanId, parentSpanId] = own[name] ?? [spanIdOf(session, issue ?? '', name, seq ?? 0), around]
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
