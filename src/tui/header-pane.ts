import { commonWork } from '../client/session-view.ts'
import { standingOf } from '../client/standing.ts'
import { lanesOf, type ScreenState } from './screen-state.ts'
import { fit, span, type ScreenRow, type StyledText, type Tone } from './rows.ts'

/** Two lines: which session it is and how it does; what it has come to and what it cost. */
export function headerRows(state: ScreenState, width: number, nowMs: number): readonly ScreenRow[] {
  const { detail, view, trouble } = state
  const status = statusOf(state)
  const common = commonWork(view)
  return [
    fit(
      [
        span('Fixpoint ', 'strong'),
        span(`● ${status}`, statusTone(status)),
        ...(detail ? [span(`  ${elapsed(detail, nowMs)}`)] : []),
        ...(common === null ? [] : [span(`  ${common}`, 'accent')]),
        ...(trouble === null ? [] : [span(`  ${trouble}`, 'warn')]),
        ...(detail ? [span(`  ${detail.session_id}`, 'dim')] : []),
      ],
      width,
    ),
    fit(
      [
        ...countSpans(state),
        span(`  $${Math.max(view.costUsd, detail?.cost_usd ?? 0).toFixed(2)}`),
        span(`  ${grouped(Math.max(view.tokens, detail?.tokens ?? 0))} tokens`),
        ...(detail?.branch ? [span(`  ${detail.branch}`, 'dim')] : []),
      ],
      width,
    ),
  ]
}

/** The session's status in words. */
export function statusOf({ detail, view }: ScreenState): string {
  if (!detail) return view.isOver ? 'over' : 'starting'
  return standingOf(detail).replaceAll('_', ' ')
}

function statusTone(status: string): Tone {
  if (status === 'completed') return 'good'
  if (status === 'failed' || status === 'cancelled') return 'bad'
  return status === 'running' || status === 'starting' ? 'accent' : 'warn'
}

function countSpans(state: ScreenState): readonly StyledText[] {
  const lanes = lanesOf(state)
  const done = lanes.filter(({ outcome }) => outcome !== null)
  const fixed = done.filter(({ outcome }) => outcome === 'fixed').length
  const waits = state.approvals.length + state.questions.length
  // What a person is asked about has not come to its end.
  const asked = new Set<string>(state.approvals.map(({ issue_code }) => issue_code))
  const other = done.filter(({ outcome, code }) => outcome !== 'fixed' && !asked.has(code)).length
  return [
    span(`${fixed} of ${lanes.length} fixed`, fixed > 0 ? 'good' : 'plain'),
    ...(other > 0 ? [span(`, ${other} not`, 'bad')] : []),
    ...(waits > 0 ? [span(`, ${waits} for you`, 'warn')] : []),
  ]
}

const grouped = (count: number): string => Math.round(count).toLocaleString('en-US')

/** From its start to its end, or to now while somebody works on it; the clock stands still while it rests. */
function elapsed(detail: NonNullable<ScreenState['detail']>, nowMs: number): string {
  const { created_at, ended_at, updated_at, driven } = detail
  const endMs = ended_at === null && driven ? nowMs : Date.parse(ended_at ?? updated_at)
  const seconds = Math.max(0, Math.floor((endMs - Date.parse(created_at)) / 1000))
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const two = (value: number): string => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}h ${two(minutes)}m` : `${minutes}m ${two(seconds % 60)}s`
}
