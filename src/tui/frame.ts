import { dialogRows } from './dialog-pane.ts'
import { diffRows } from './diff-pane.ts'
import { headerRows } from './header-pane.ts'
import { laneRows } from './lanes-pane.ts'
import { logRows } from './log-pane.ts'
import { rule, type ScreenRow } from './rows.ts'
import { lanesOf, selectedLane, type ScreenState } from './screen-state.ts'
import type { Page } from './keys.ts'

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
