import { useNavigate, useSearch } from '@tanstack/react-router'
import { laneMessage, type Lane, type SessionView } from '../../../src/client/index.ts'
import type { AttemptSummary, SessionDetail } from '../../../src/model/api/sessions.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { Card } from '../ui/layout.tsx'
import { useNow } from '../ui/use-now.ts'
import { LaneDetail } from './lane-detail.tsx'
import { StageTrack } from './stage-track.tsx'

interface Props {
  readonly session: SessionDetail
  readonly view: SessionView
}

/** One lane per issue, in the order of the plan. The open one stands in the address. */
export function Lanes({ session, view }: Props) {
  const { issue: opened } = useSearch({ from: '/r/$repositoryId/sessions/$sessionId' })
  const navigate = useNavigate({ from: '/r/$repositoryId/sessions/$sessionId' })
  const toggle = (code: string) =>
    void navigate({
      search: ({ tab }) => ({ ...(tab && { tab }), ...(code !== opened && { issue: code }) }),
      replace: true,
    })
  return (
    <Card padded={false}>
      <ul className="divide-y">
        {session.attempts.map((attempt) => {
          const lane = view.lanes.get(attempt.issue_code)
          const isOpen = opened === attempt.issue_code
          return (
            <li key={attempt.attempt_id}>
              <LaneRow
                attempt={attempt}
                lane={lane}
                maxRounds={session.options.policy.max_rounds}
                isResting={!session.driven && !view.isOver}
                isOpen={isOpen}
                onToggle={() => toggle(attempt.issue_code)}
              />
              {isOpen && <LaneDetail session={session} attempt={attempt} lane={lane} />}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

interface RowProps {
  readonly attempt: AttemptSummary
  readonly lane: Lane | undefined
  readonly maxRounds: number
  /** Nobody works on the session right now. */
  readonly isResting: boolean
  readonly isOpen: boolean
  readonly onToggle: () => void
}

/** The last that happened, or how long its agent waits for its service. */
function LaneMessage({
  lane,
  otherwise,
}: {
  readonly lane: Lane | undefined
  readonly otherwise: string | null
}) {
  const nowMs = useNow(lane?.waiting ? 1_000 : null)
  return <>{(lane && laneMessage(lane, nowMs)) ?? otherwise ?? 'waits for its turn'}</>
}

function LaneRow({ attempt, lane, maxRounds, isResting, isOpen, onToggle }: RowProps) {
  const outcome = lane?.outcome ?? attempt.outcome
  const stage = lane?.stage ?? 'waiting'
  const score = lane?.rounds.findLast(({ challenge }) => challenge?.score != null)?.challenge?.score
  const round = lane?.round ?? attempt.round
  const isStopped = isResting && outcome === null && stage !== 'held' && stage !== 'waiting'
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      data-lane={attempt.issue_code}
      className="flex w-full flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2.5 text-left hover:bg-sunken"
    >
      <Icon
        name="chevron"
        className={`size-3.5 text-muted transition-transform ${isOpen ? 'rotate-90' : ''}`}
      />
      <span className="w-16 font-mono text-xs text-muted">{attempt.issue_code}</span>
      <span className="min-w-0 flex-1 basis-60 max-sm:order-2 max-sm:basis-full">
        <span className="block truncate font-medium">{attempt.title ?? attempt.issue_code}</span>
        <span className="block truncate text-xs text-muted">
          {isStopped ? 'goes on with the session' : <LaneMessage lane={lane} otherwise={attempt.reason} />}
        </span>
      </span>
      <StageTrack stage={stage} outcome={outcome} isMoving={!isStopped} />
      <span className="w-24 text-xs text-muted max-sm:order-4 max-sm:w-full">
        {round > 0 && `round ${round} of ${maxRounds}`}
        {score != null && <span className="sm:block"> score {score}</span>}
      </span>
      <span className="w-28 max-sm:order-1 max-sm:ml-auto max-sm:w-auto">
        <StatusBadge status={outcome ?? (isStopped ? 'stopped' : stage)} />
      </span>
    </button>
  )
}
