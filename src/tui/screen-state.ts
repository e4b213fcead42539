import { emptyLane, emptyView, reduceSession, type Lane, type SessionView } from '../client/session-view.ts'
import type { PendingApproval, SessionDetail } from '../model/api/sessions.ts'
import type { FixEvent } from '../model/session/event.ts'
import { issuesInOrder } from '../model/session/plan.ts'
import type { Question } from '../model/issue/questions.ts'

/** What is asked in the last lines of the screen before something is done. */
export type Dialog =
  | { readonly kind: 'help' }
  | { readonly kind: 'quit' }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'approve'; readonly approval: PendingApproval }
  | { readonly kind: 'reject'; readonly approval: PendingApproval; readonly text: string }
  | { readonly kind: 'answer'; readonly question: Question; readonly text: string }

export interface ScreenState {
  /** `drive`: the session ends with this program; `watch`: it goes on without it. */
  readonly mode: 'drive' | 'watch'
  readonly view: SessionView
  readonly log: readonly FixEvent[]
  readonly detail: SessionDetail | null
  readonly approvals: readonly PendingApproval[]
  readonly questions: readonly Question[]
  readonly diff: { readonly code: string; readonly text: string } | null
  /** The code of the lane that log and diff are about; the first one without it. */
  readonly selected: string | null
  readonly focus: 'lanes' | 'pane'
  readonly pane: 'log' | 'diff'
  /** Lines above the end of the log, or below the start of the diff. */
  readonly scroll: number
  readonly dialog: Dialog | null
  /** The last thing that was said to the person. */
  readonly notice: string | null
  /** What is wrong with the connection; null when nothing is. */
  readonly trouble: string | null
}

export const emptyScreen = (mode: ScreenState['mode']): ScreenState => ({
  mode,
  view: emptyView,
  log: [],
  detail: null,
  approvals: [],
  questions: [],
  diff: null,
  selected: null,
  focus: 'lanes',
  pane: 'log',
  scroll: 0,
  dialog: null,
  notice: null,
  trouble: null,
})

/** How many events one can scroll back. */
const keptEvents = 1_000

/** Pure: the screen after one more event. */
export function withEvent(state: ScreenState, event: FixEvent): ScreenState {
  const view = reduceSession(state.view, event)
  if (event.seq === null) return { ...state, view }
  return { ...state, view, log: [...state.log.slice(1 - keptEvents), event] }
}

/** A lane as the screen lists it: also before anything has happened in it. */
export interface ListedLane extends Lane {
  readonly title: string
}

/** One frame asks for the lanes many times, and most frames show the same ones. */
const known = new WeakMap<
  SessionView,
  Pick<ScreenState, 'detail'> & { readonly lanes: readonly ListedLane[] }
>()

/** Every issue of the session in the order of the plan. */
export function lanesOf({ view, detail }: ScreenState): readonly ListedLane[] {
  const before = known.get(view)
  if (before && before.detail === detail) return before.lanes
  const lanes = listLanes(view, detail)
  known.set(view, { detail, lanes })
  return lanes
}

function listLanes(view: SessionView, detail: SessionDetail | null): readonly ListedLane[] {
  const plan = view.plan ?? detail?.plan
  const titles = new Map(plan ? issuesInOrder(plan).map(({ code, title }) => [code, title]) : [])
  const stages = new Map(detail?.attempts.map(({ issue_code, stage }) => [issue_code, stage]))
  const codes = new Set([...titles.keys(), ...view.lanes.keys()])
  return [...codes].map((code) => {
    const lane = view.lanes.get(code) ?? emptyLane(code)
    // An answer is no event: the lane waits for its turn from then on.
    const isAnswered = lane.stage === 'held' && stages.get(code) !== 'held' && stages.has(code)
    return { ...lane, ...(isAnswered && { stage: 'waiting' }), title: titles.get(code) ?? '' }
  })
}

export function selectedLane(state: ScreenState): ListedLane | null {
  const lanes = lanesOf(state)
  return lanes.find(({ code }) => code === state.selected) ?? lanes[0] ?? null
}

/** Nothing runs, so leaving stops nothing. */
export const isAtRest = ({ view, detail }: ScreenState): boolean =>
  view.isOver || (detail !== null && !detail.driven)

/** What waits for a person about the selected lane. */
export function selectedApproval(state: ScreenState): PendingApproval | null {
  const code = selectedLane(state)?.code
  return state.approvals.find(({ issue_code }) => issue_code === code) ?? null
}

/** Another lane, with its log and diff from the start. */
export const withSelected = (state: ScreenState, selected: string | null): ScreenState => ({
  ...state,
  selected,
  scroll: 0,
})
