import type { IssueTimelines, IssueTimeline } from '../../loop/ports.ts'
import type { Insights } from '../../model/api/system.ts'
import { isUnresolved } from '../../model/issue/issue.ts'
import type { SessionEnds } from './insights.ts'

type OpenDay = Insights['open_by_day'][number]

const dayOf = (time: string): string => time.slice(0, 10)

/** A day on which an issue was found, closed or opened again. */
interface Turn {
  readonly day: string
  readonly isOpen: boolean
}

/** How many issues stood open at the end of each day on which that changed. The last one is what the database counts now. */
export function openByDay(
  { steady, moved }: IssueTimelines,
  sessions: readonly Pick<SessionEnds, 'ends'>[],
): readonly OpenDay[] {
  const closings = Map.groupBy(
    sessions.flatMap(({ ends }) => ends).filter((end) => isClosing(end)),
    ({ issueId }) => issueId,
  )
  const changes = new Map<string, { found: number; closed: number }>()
  const changeOf = (day: string) => {
    const known = changes.get(day) ?? { found: 0, closed: 0 }
    changes.set(day, known)
    return known
  }
  for (const { day, count } of steady) changeOf(day).found += count
  for (const issue of moved) {
    const days = (closings.get(issue.id) ?? []).map(({ day }) => day)
    for (const { day, isOpen } of turnsOf(issue, days)) changeOf(day)[isOpen ? 'found' : 'closed'] += 1
  }
  let open = 0
  return [...changes]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, { found, closed }]) => ({ day, found, closed, open: (open += found - closed) }))
}

/** The session closed the issue: a fix landed, or both agents agreed that there is nothing to fix. */
const isClosing = ({ counted, outcome }: SessionEnds['ends'][number]): boolean =>
  counted === 'fixed' || outcome === 'false_positive'

/**
 * Every time that an issue was opened or closed. Moves and sessions are recorded; the effects of triage and of
 * discarded fixes are not, so an issue whose record ends otherwise was changed last at that time.
 */
function turnsOf(issue: IssueTimeline, sessionDays: readonly string[]): readonly Turn[] {
  const recorded = [
    ...issue.moves.map(({ at, to }) => ({ day: dayOf(at), isOpen: isUnresolved({ status: to }) })),
    ...sessionDays.map((day) => ({ day, isOpen: false })),
  ].toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
  const first = issue.moves[0]
  const isBornOpen =
    first === undefined
      ? recorded.length > 0 || issue.updated_at !== issue.created_at || isUnresolved(issue)
      : isUnresolved({ status: first.from }) || sessionDays.some((day) => day <= dayOf(first.at))
  const all = [
    { day: dayOf(issue.created_at), isOpen: isBornOpen },
    ...recorded,
    { day: dayOf(issue.updated_at), isOpen: isUnresolved(issue) },
  ]
  return all.filter(({ isOpen }, index) => isOpen !== (all[index - 1]?.isOpen ?? false))
}
