import { z } from 'zod'
import { isFinalEvent, type FixEvent } from './event.ts'

/** What a session does while its clock runs, in the order in which it is shown. */
export const timedParts = [
  { name: 'setup', text: 'workspace.setup' },
  { name: 'agents', text: 'agents at work' },
  { name: 'checks', text: 'checks' },
  { name: 'places', text: 'waiting for places' },
  { name: 'git', text: 'git, workspaces and gates' },
  { name: 'resting', text: 'at rest: stopped, parked or waiting for a person' },
  { name: 'other', text: 'nothing of these' },
] as const

const PartName = z.enum(timedParts.map(({ name }) => name))
type PartName = z.infer<typeof PartName>

/** Where the time of a session went. */
export const Timing = z.object({
  /** From its first event to its last. */
  wall_ms: z.number(),
  parts: z
    .array(
      z.object({
        name: PartName,
        /** Its share of the clock: parts that go on at the same time divide it. All parts together are the clock. */
        wall_ms: z.number(),
        /** All of its time, whatever else went on. */
        busy_ms: z.number(),
      }),
    )
    .readonly(),
  /** How long its records took to be written, inside of the parts; null while it is not over. */
  store_ms: z.number().nullable(),
})
export type Timing = z.infer<typeof Timing>

/** Reads where the time of a session went from its durable events, oldest first; of one at work until now, where that is given. */
export function readTiming(events: readonly FixEvent[], nowMs = 0): Timing {
  const spans = events.reduce(readEvent, { open: new Map(), closed: [] })
  const last = events.at(-1)
  const endMs = last ? Math.max(atOf(last), nowMs) : 0
  const startMs = events[0] ? atOf(events[0]) : endMs
  const open = [...spans.open.values()].map((span) => ({ ...span, toMs: endMs }))
  // What was told of afterwards may have begun before anything was recorded.
  const closed = [...spans.closed, ...open].map((span) => ({
    ...span,
    fromMs: Math.max(startMs, span.fromMs),
  }))
  const wall = divideClock(closed, { startMs, endMs })
  const storeMs = last && isFinalEvent(last) ? last.details['store_ms'] : null
  return {
    wall_ms: endMs - startMs,
    parts: timedParts.map(({ name }) => ({
      name,
      wall_ms: Math.round(wall.get(name) ?? 0),
      busy_ms: closed
        .filter((span) => span.part === name)
        .reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0),
    })),
    store_ms: typeof storeMs === 'number' ? storeMs : null,
  }
}

interface OpenSpan {
  readonly part: PartName
  readonly fromMs: number
}
interface Span extends OpenSpan {
  readonly toMs: number
}

interface Spans {
  /** What goes on, by whose time it is. */
  readonly open: ReadonlyMap<string, OpenSpan>
  readonly closed: readonly Span[]
}

const atOf = ({ timestamp }: FixEvent): number => Date.parse(timestamp)

type Began = PartName | 'nothing' | 'as before'

/** What begins with an event. One that is not here changes nothing. */
const begins: Readonly<Partial<Record<FixEvent['type'], (event: FixEvent) => Began>>> = {
  fix_session_started: () => 'checks',
  fix_issue_started: () => 'nothing',
  fix_issue_validating: ({ details }) => ('tests' in details ? 'nothing' : 'agents'),
  fix_cycle_started: () => 'git',
  fix_agent_invoked: () => 'agents',
  fix_issue_generating: ({ details }) => ('agent' in details ? 'git' : 'as before'),
  fix_verification_started: () => 'checks',
  fix_verification_result: () => 'nothing',
  fix_challenger_evaluating: () => 'agents',
  fix_challenger_result: () => 'nothing',
  fix_landing_started: () => 'git',
  fix_landing_result: () => 'nothing',
  fix_approval_needed: () => 'nothing',
  fix_cycle_completed: () => 'nothing',
  fix_issue_completed: () => 'nothing',
  fix_session_parked: () => 'resting',
}

/** Whose time it is: an issue's, a batch's, a train's or the whole session's. */
const ownerOf = ({ type, issue_code }: FixEvent): string =>
  issue_code ??
  (type.startsWith('fix_session_') ? session : type === 'fix_agent_invoked' ? batch : 'the train')
const session = 'the session'
const batch = 'the batch'

/** Work for all issues before the first began, and for those of a batch before they were looked at one by one. */
const endsOf: Readonly<Partial<Record<FixEvent['type'], string>>> = {
  fix_issue_started: session,
  fix_gate_result: batch,
  fix_cycle_completed: batch,
  fix_issue_completed: batch,
}

function readEvent(spans: Spans, event: FixEvent): Spans {
  const atMs = atOf(event)
  const since = event.details['idle_since']
  if (typeof since === 'string') {
    const ended = endAll(spans, Date.parse(since))
    return { ...ended, closed: [...ended.closed, { part: 'resting', fromMs: Date.parse(since), toMs: atMs }] }
  }
  const setupMs = event.details['setup_ms']
  if (typeof setupMs === 'number')
    return {
      ...spans,
      closed: [...spans.closed, { part: 'setup', fromMs: atMs - setupMs, toMs: atMs }],
    }
  const rested = event.type === 'fix_session_parked' ? endAll(spans, atMs) : endRest(spans, atMs)
  const freed = end(rested, { owner: endsOf[event.type] ?? '', atMs, waitedMs: 0 })
  const part = begins[event.type]?.(event) ?? 'as before'
  if (part === 'as before') return freed
  const owner = ownerOf(event)
  const waitedMs = event.details['waited_ms']
  const ended = end(freed, { owner, atMs, waitedMs: typeof waitedMs === 'number' ? waitedMs : 0 })
  if (part === 'nothing') return ended
  return { ...ended, open: new Map(ended.open).set(owner, { part, fromMs: atMs }) }
}

interface Ending {
  readonly owner: string
  readonly atMs: number
  /** How much of the time before was waiting for a place. */
  readonly waitedMs: number
}

/** Ends what goes on for one owner. */
function end(spans: Spans, { owner, atMs, waitedMs }: Ending): Spans {
  const span = spans.open.get(owner)
  if (!span) return spans
  const open = new Map(spans.open)
  open.delete(owner)
  const turnMs = Math.max(span.fromMs, atMs - waitedMs)
  const closed = [
    { ...span, toMs: turnMs },
    { part: 'places' as const, fromMs: turnMs, toMs: atMs },
  ].filter(({ fromMs, toMs }) => toMs > fromMs)
  return { open, closed: [...spans.closed, ...closed] }
}

const endAll = (spans: Spans, atMs: number): Spans =>
  [...spans.open.keys()].reduce((left, owner) => end(left, { owner, atMs, waitedMs: 0 }), spans)

/** A session that was at rest goes on with its next event. */
const endRest = (spans: Spans, atMs: number): Spans =>
  spans.open.get(session)?.part === 'resting' ? end(spans, { owner: session, atMs, waitedMs: 0 }) : spans

/** Each moment of the clock, divided among what went on in it. */
function divideClock(
  spans: readonly Span[],
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): ReadonlyMap<PartName, number> {
  const shares = new Map<PartName, number>()
  const add = (part: PartName, ms: number): void => void shares.set(part, (shares.get(part) ?? 0) + ms)
  const turns = spans
    .flatMap(({ part, fromMs, toMs }) => [
      { atMs: fromMs, part, change: 1 },
      { atMs: toMs, part, change: -1 },
    ])
    .toSorted((a, b) => a.atMs - b.atMs)
  const active = new Map<PartName, number>()
  let beforeMs = startMs
  for (const { atMs, part, change } of [...turns, { atMs: endMs, part: 'other' as const, change: 0 }]) {
    // Checks and workspaces that wait for the setup do nothing else.
    const isSettingUp = (active.get('setup') ?? 0) > 0
    const atWork = [...active].filter(([name]) => !isSettingUp || name === 'setup' || name === 'agents')
    const count = atWork.reduce((sum, [, each]) => sum + each, 0)
    const ms = atMs - beforeMs
    if (count === 0) add('other', ms)
    else for (const [name, each] of atWork) add(name, (ms * each) / count)
    active.set(part, (active.get(part) ?? 0) + change)
    beforeMs = atMs
  }
  return shares
}
