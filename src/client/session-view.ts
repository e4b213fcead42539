import type { EventType, FixEvent } from '../model/event.ts'

export type LaneStage = 'waiting' | 'fixing' | 'verifying' | 'challenging' | 'landing' | 'done'

/** One issue's way through a session, as every face shows it. */
export interface Lane {
  readonly code: string
  readonly stage: LaneStage
  readonly round: number
  readonly message: string
  readonly outcome: string | null
}

export interface SessionView {
  readonly lanes: ReadonlyMap<string, Lane>
  readonly isOver: boolean
}

export const emptyView: SessionView = { lanes: new Map(), isOver: false }

const stages: Readonly<Partial<Record<EventType, LaneStage>>> = {
  fix_issue_started: 'waiting',
  fix_cycle_started: 'fixing',
  fix_agent_invoked: 'fixing',
  fix_verification_started: 'verifying',
  fix_challenger_evaluating: 'challenging',
  fix_challenger_result: 'landing',
  fix_issue_committed: 'done',
  fix_issue_completed: 'done',
}

/** Pure: the view after one more event. Live text only changes the lane's message. */
export function reduceSession(view: SessionView, event: FixEvent): SessionView {
  if (event.type === 'fix_session_completed' || event.type === 'fix_session_error')
    return { ...view, isOver: true }
  if (!event.issue_code) return view
  const before: Lane = view.lanes.get(event.issue_code) ?? {
    code: event.issue_code,
    stage: 'waiting',
    round: 0,
    message: '',
    outcome: null,
  }
  const said = event.details['outcome']
  const outcome = event.type === 'fix_issue_completed' && typeof said === 'string' ? said : before.outcome
  const lane: Lane = {
    ...before,
    stage: stages[event.type] ?? before.stage,
    round: event.round ?? before.round,
    message: event.message,
    outcome,
  }
  return { ...view, lanes: new Map(view.lanes).set(lane.code, lane) }
}
