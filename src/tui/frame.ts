import { dialogRows } from './dialog-pane.ts'
import { headerRows } from './header-pane.ts'
import { laneRows } from './lanes-pane.ts'
import { rule, type ScreenRow, row, wrap, type Tone, fit, span, wrapWords } from './rows.ts'
import { lanesOf, selectedLane, type ScreenState } from './screen-state.ts'
import type { Page } from './keys.ts'
import type { EventType, FixEvent } from '../model/session/event.ts'

export interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

export interface ScreenFrame {
  /** Exactly as many as the screen has, none wider than it. */
  readonly rows: readonly ScreenRow[]
  readonly page: Page
}

const leastPane = 3

/** Pure: the whole screen as lines. */
export function layoutFrame(state: ScreenState, { columns, rows }: ScreenSize, nowMs: number): ScreenFrame {
  const header = headerRows(state, columns, nowMs)
  const bottom = dialogRows(state, columns).slice(0, Math.max(1, rows - header.length - leastPane - 3))
  const room = Math.max(0, rows - header.length - bottom.length - 2)
  const laneHeight = Math.min(Math.max(1, lanesOf(state).length), Math.max(1, Math.floor(room / 2)))
  const lanes = laneRows(state, { width: columns, height: laneHeight }, nowMs)
  const paneHeight = Math.max(0, room - lanes.length)
  const content = state.pane === 'log' ? logRows(state, columns) : diffRows(state, columns)
  const maxScroll = Math.max(0, content.length - paneHeight)
  const scroll = Math.min(state.scroll, maxScroll)
  const start = state.pane === 'log' ? maxScroll - scroll : scroll
  const pane = content.slice(start, start + paneHeight)
  const filled = [...pane, ...Array.from({ length: paneHeight - pane.length }, (): ScreenRow => [])]
  const all = [
    ...header,
    rule(`Issues (${lanesOf(state).length})`, columns, state.focus === 'lanes' ? 'accent' : 'dim'),
    ...lanes,
    rule(paneTitle(state, start, content.length), columns, state.focus === 'pane' ? 'accent' : 'dim'),
    ...filled,
    ...bottom,
  ]
  return { rows: all.slice(0, rows), page: { lines: Math.max(1, paneHeight - 1), maxScroll } }
}

function paneTitle(state: ScreenState, start: number, length: number): string {
  const what = state.pane === 'log' ? 'Log' : 'Diff'
  const lane = selectedLane(state)
  const place = length > 0 ? `${start + 1}/${length}` : ''
  return [what, lane?.code, place, lane?.title].filter(Boolean).join(' ')
}

/** More than anyone reads in a terminal; the report has it all. */
const shownLines = 5_000

/** What the newest round of the selected lane changed, long lines on as many rows as they need. */
function diffRows(state: ScreenState, width: number): readonly ScreenRow[] {
  const code = selectedLane(state)?.code
  if (!code || state.diff?.code !== code) return [row('reading the diff…', 'dim')]
  if (state.diff.text.trim() === '') return [row(`nothing is changed for ${code} yet`, 'dim')]
  return layOutDiff(state.diff, width)
}

type ShownDiff = NonNullable<ScreenState['diff']>

/** A diff looks the same in every frame, until it is read again or the screen gets another width. */
const rowsOfDiff = new WeakMap<ShownDiff, { readonly width: number; readonly rows: readonly ScreenRow[] }>()

function layOutDiff(diff: ShownDiff, width: number): readonly ScreenRow[] {
  const before = rowsOfDiff.get(diff)
  if (before?.width === width) return before.rows
  const lines = diff.text.trimEnd().split('\n')
  const shown = lines
    .slice(0, shownLines)
    .flatMap((line) => wrap(line, width).map((part) => row(part, toneOf(line))))
  const left = lines.length - shownLines
  const rows = left > 0 ? [...shown, row(`… ${left} more lines`, 'dim')] : shown
  rowsOfDiff.set(diff, { width, rows })
  return rows
}

function toneOf(line: string): Tone {
  if (/^(\+\+\+|---|diff |index |new file|deleted file|rename |similarity )/.test(line)) return 'strong'
  if (line.startsWith('@@')) return 'accent'
  if (line.startsWith('+')) return 'good'
  return line.startsWith('-') ? 'bad' : 'plain'
}

/** What happened in the selected lane and to the whole session, oldest first, then what the agent says right now. */
function logRows(state: ScreenState, width: number): readonly ScreenRow[] {
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
const rowsOfEvent = new WeakMap<FixEvent, { readonly width: number; readonly rows: readonly ScreenRow[] }>()

function eventRows(event: FixEvent, width: number): readonly ScreenRow[] {
  const before = rowsOfEvent.get(event)
  if (before?.width === width) return before.rows
  const rows = layOutEvent(event, width)
  rowsOfEvent.set(event, { width, rows })
  return rows
}

/** One event over as many lines as its words need, indented after the first. */
function layOutEvent(event: FixEvent, width: number): readonly ScreenRow[] {
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
