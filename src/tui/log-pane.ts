import type { EventType, FixEvent } from '../model/session/event.ts'
import { selectedLane, type ScreenState } from './screen-state.ts'
import { fit, row, span, wrapWords, type ScreenRow, type Tone } from './rows.ts'

/** What happened in the selected lane and to the whole session, oldest first, then what the agent says right now. */
export function logRows(state: ScreenState, width: number): readonly ScreenRow[] {
  const lane = selectedLane(state)
  const events = state.log.filter(({ issue_code }) => issue_code === null || issue_code === lane?.code)
  const said = lane?.text.trimEnd() ?? ''
  const talk = said === '' ? [] : wrapWords(said, width - 2).map((line) => row(`│ ${line}`))
  const rows = [...events.flatMap((event) => eventRows(event, width)), ...talk]
  return rows.length > 0 ? rows : [row('nothing has happened yet', 'dim')]
}

const tones: Readonly<Partial<Record<EventType, Tone>>> = {
  fix_issue_committed: 'good',
  fix_session_completed: 'good',
  fix_session_error: 'bad',
  fix_billing_error: 'bad',
  fix_scope_violation: 'bad',
  fix_approval_needed: 'warn',
  fix_clarification_needed: 'warn',
  fix_session_warning: 'warn',
  fix_session_parked: 'warn',
  fix_agent_waiting: 'warn',
  fix_network_refused: 'warn',
}

/** An event looks the same in every frame, until the screen gets another width. */
const known = new WeakMap<FixEvent, { readonly width: number; readonly rows: readonly ScreenRow[] }>()

function eventRows(event: FixEvent, width: number): readonly ScreenRow[] {
  const before = known.get(event)
  if (before?.width === width) return before.rows
  const rows = layOut(event, width)
  known.set(event, { width, rows })
  return rows
}

/** One event over as many lines as its words need, indented after the first. */
function layOut(event: FixEvent, width: number): readonly ScreenRow[] {
  const time = event.timestamp.slice(11, 19)
  const [first = '', ...more] = wrapWords(describe(event), Math.max(10, width - 9))
  const tone = tones[event.type] ?? 'plain'
  return [
    fit([span(`${time} `, 'dim'), span(first, tone)], width),
    ...more.map((line) => fit([span('         '), span(line, tone)], width)),
  ]
}

/** What an event is and what it says; the messages of rounds, and those that repeat the type, say it all. */
function describe({ type, message }: FixEvent): string {
  const what = type.replace(/^fix_(issue_)?/, '').replaceAll('_', ' ')
  const said = message.trim().replace(/^\w+ not_\w+(?=:)/, (words) => words.replaceAll('_', ' '))
  return type.startsWith('fix_cycle_') || said.startsWith(what) ? said : `${what}: ${said}`
}
