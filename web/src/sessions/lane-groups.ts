import type { Lane, SessionView } from '../../../src/client/index.ts'
import type { AttemptSummary, SessionDetail } from '../../../src/model/api/sessions.ts'
import { countedAs } from '../../../src/model/session/outcome-table.ts'

export const groupNames = ['waiting', 'refused', 'working', 'stopped', 'queued', 'skipped', 'landed'] as const
export type GroupName = (typeof groupNames)[number]

export const groupTitles: Readonly<Record<GroupName, string>> = {
  waiting: 'Waiting for you',
  working: 'Working',
  stopped: 'Stopped',
  queued: 'Not begun',
  landed: 'Landed',
  refused: 'Did not land',
  skipped: 'Set aside',
}

const groupsOfCounts = { fixed: 'landed', failed: 'refused', skipped: 'skipped' } as const

/** Nobody works on the session right now. */
export const isResting = (
  { driven }: Pick<SessionDetail, 'driven'>,
  { isOver }: Pick<SessionView, 'isOver'>,
): boolean => !driven && !isOver

/** The group of an issue in a running session, as a person thinks of it; what is over is counted as in every report. */
function groupOf(attempt: AttemptSummary, lane: Lane | undefined, disputes: ReadonlySet<string>): GroupName {
  const outcome = lane?.outcome ?? attempt.outcome
  if (outcome === 'disputed' && disputes.has(attempt.attempt_id)) return 'waiting'
  if (outcome !== null) return groupsOfCounts[countedAs(outcome)]
  // The live stage is newer than the stored one.
  if ((lane?.stage ?? attempt.stage) === 'held') return 'waiting'
  return lane && lane.stage !== 'waiting' ? 'working' : 'queued'
}

/** Whether another session could take the issue: nobody has answered or ignored it since. */
export const isRetriable = ({
  outcome,
  issue_status: status,
}: Pick<AttemptSummary, 'outcome' | 'issue_status'>): boolean =>
  outcome !== 'false_positive' && (status === null || ['open', 'in_progress', 'failed'].includes(status))

/** A reason without its number of rounds, which stands beside it. */
export const withoutRounds = (reason: string): string => reason.replace(/ \(after \d+ rounds?\)$/, '')

export type LaneGroups = ReadonlyMap<GroupName, readonly AttemptSummary[]>

/** The issues of a session in groups, in the order in which a person looks at them. */
export function groupLanes(
  session: Pick<SessionDetail, 'attempts' | 'driven'>,
  view: Pick<SessionView, 'lanes' | 'isOver'>,
  disputes: ReadonlySet<string>,
): LaneGroups {
  const grouped = Map.groupBy(session.attempts, (attempt) => {
    const name = groupOf(attempt, view.lanes.get(attempt.issue_code), disputes)
    return name === 'working' && isResting(session, view) ? 'stopped' : name
  })
  return new Map(
    groupNames.flatMap((name) => {
      const some = grouped.get(name)
      return some ? [[name, some] as const] : []
    }),
  )
}
