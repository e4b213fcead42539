import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { laneSummary, type Lane, type SessionView } from '../../../src/client/index.ts'
import type { AttemptSummary, SessionDetail } from '../../../src/model/api/sessions.ts'
import { Evidence, StatusBadge } from '../ui/badge.tsx'
import { formatCost, formatScore, formatSentence } from '../ui/format.ts'
import { Icon } from '../ui/icon.tsx'
import { Card } from '../ui/layout.tsx'
import { useNow } from '../ui/use-now.ts'
import { LaneDetail } from './lane-detail.tsx'
import { groupTitles, isResting, withoutRounds, type LaneGroups } from './lane-groups.ts'
import { StageTrack } from './stage-track.tsx'
import { Prose } from '../ui/prose.tsx'
import { visible } from '../ui/visible.ts'

interface Props {
  readonly session: SessionDetail
  readonly view: SessionView
  readonly groups: LaneGroups
}

/** One lane per issue, in groups by its state. The address names the open lane. */
export function Lanes({ session, view, groups }: Props) {
  const { issue: opened } = useSearch({ from: '/r/$repositoryId/sessions/$sessionId' })
  const navigate = useNavigate({ from: '/r/$repositoryId/sessions/$sessionId' })
  const toggle = (code: string) =>
    void navigate({
      search: ({ tab }) => ({ ...(tab && { tab }), ...(code !== opened && { issue: code }) }),
      replace: true,
    })
  return [...groups].map(([name, attempts]) => (
    <Card key={name} title={groupTitles[name]} note={String(attempts.length)} padded={false}>
      <ul className="divide-y">
        {attempts.map((attempt) => (
          <LaneItem
            key={attempt.attempt_id}
            session={session}
            attempt={attempt}
            lane={view.lanes.get(attempt.issue_code)}
            isResting={isResting(session, view)}
            isStopped={name === 'stopped'}
            isOpen={opened === attempt.issue_code}
            onToggle={() => toggle(attempt.issue_code)}
          />
        ))}
      </ul>
    </Card>
  ))
}

interface ItemProps {
  readonly session: SessionDetail
  readonly attempt: AttemptSummary
  readonly lane: Lane | undefined
  /** Nobody works on the session right now. */
  readonly isResting: boolean
  /** The attempt was at work when the session came to rest. */
  readonly isStopped: boolean
  readonly isOpen: boolean
  readonly onToggle: () => void
}

/** A lane and, when it is open, its details; an address that names the lane scrolls it into sight. */
function LaneItem({ session, isOpen, ...row }: ItemProps) {
  const ref = useRef<HTMLLIElement>(null)
  useEffect(() => {
    // Only the part below the head scrolls: `scrollIntoView` would move the whole page.
    const lane = ref.current
    const box = lane?.closest('[data-scrolls]')
    if (isOpen && lane && box)
      box.scrollBy({ top: lane.getBoundingClientRect().top - box.getBoundingClientRect().top - 16 })
  }, [isOpen])
  return (
    <li ref={ref}>
      <LaneRow {...row} maxRounds={session.options.policy.max_rounds} isOpen={isOpen} />
      {isOpen && <LaneDetail session={session} attempt={row.attempt} lane={row.lane} />}
    </li>
  )
}

type RowProps = Omit<ItemProps, 'session'> & { readonly maxRounds: number }

function LaneRow({ attempt, lane, maxRounds, isResting, isStopped, isOpen, onToggle }: RowProps) {
  const outcome = lane?.outcome ?? attempt.outcome
  const stage = lane?.stage ?? 'waiting'
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      data-lane={attempt.issue_code}
      className="flex w-full flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2.5 text-left hover:bg-sunken xl:flex-nowrap"
    >
      <Icon
        name="chevron"
        className={`size-3.5 text-muted transition-transform ${isOpen ? 'rotate-90' : ''}`}
      />
      <span className="w-16 font-mono text-xs text-muted">{attempt.issue_code}</span>
      <span className="min-w-0 flex-1 max-md:order-2 max-md:basis-full">
        <span className="line-clamp-2 font-medium wrap-anywhere">
          <Prose text={attempt.title ?? attempt.issue_code} />
        </span>
        <LaneLine attempt={attempt} lane={lane} isStopped={isStopped} />
      </span>
      {lane && <StageTrack steps={lane.steps} isResting={isResting} />}
      <LaneFigures attempt={attempt} lane={lane} maxRounds={maxRounds} />
      <span className="flex w-28 items-center gap-2 max-md:order-1 max-md:ml-auto max-md:w-auto">
        <StatusBadge status={outcome ?? (isStopped ? 'stopped' : stage)} />
        {attempt.evidence && <Evidence grade={attempt.evidence} />}
      </span>
    </button>
  )
}

/** The current activity or the result; the reason is red when the fix did not land. */
function LaneLine({ attempt, lane, isStopped }: Pick<ItemProps, 'attempt' | 'lane' | 'isStopped'>) {
  const nowMs = useNow(lane?.waiting ? 1_000 : null)
  const outcome = lane?.outcome ?? attempt.outcome
  const isBad = outcome !== null && ['refused', 'failed', 'blocked', 'not_evaluated'].includes(outcome)
  const isAnswered = outcome === 'disputed' && attempt.issue_status !== 'open'
  const text = isAnswered
    ? `You answered: the issue is ${(attempt.issue_status ?? '').replaceAll('_', ' ')}`
    : isStopped
      ? 'Goes on with the session'
      : outcome !== null
        ? endOf(attempt, lane, nowMs)
        : laneSummary(lane, nowMs)
  return (
    <span
      className={`line-clamp-2 text-xs wrap-anywhere ${isBad ? 'text-bad' : 'text-muted'}`}
      title={visible(text)}
    >
      {visible(formatSentence(text))}
    </span>
  )
}

/** What landed, or why it did not. */
const endOf = ({ reason }: AttemptSummary, lane: Lane | undefined, nowMs: number): string =>
  lane?.landedAs || reason === null ? laneSummary(lane, nowMs) : withoutRounds(reason).replace(/^ran: /, '')

function LaneFigures({
  attempt,
  lane,
  maxRounds,
}: Pick<ItemProps, 'attempt' | 'lane'> & { readonly maxRounds: number }) {
  const score = lane?.rounds.findLast(({ challenge }) => challenge?.score != null)?.challenge?.score
  const round = lane?.round ?? attempt.round
  const cost = Math.max(lane?.costUsd ?? 0, attempt.cost_usd)
  const figures = [
    ...(score != null ? [`score ${formatScore(score)}`] : []),
    ...(cost > 0 ? [formatCost(cost)] : []),
  ]
  return (
    <span className="w-24 text-xs text-muted max-md:order-4 max-md:w-full">
      {round > 0 && `round ${round} of ${maxRounds}`}
      {figures.length > 0 && (
        <>
          <span className="md:hidden"> · </span>
          <span className="md:block">{figures.join(' · ')}</span>
        </>
      )}
    </span>
  )
}
