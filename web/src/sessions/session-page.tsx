import { useQuery } from '@tanstack/react-query'
import { memo } from 'react'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { commonWork } from '../../../src/client/index.ts'
import type { SessionDetail } from '../../../src/model/api/sessions.ts'
import { approvalsQuery, sessionQuery } from '../api/queries.ts'
import { formatWord } from '../ui/format.ts'
import { PageBody } from '../ui/layout.tsx'
import { Failure, Shown } from '../ui/states.tsx'
import { visible } from '../ui/visible.ts'
import { EventLog } from './event-log.tsx'
import { FinishedBar } from '../finished/finished-bar.tsx'
import { groupLanes, isRetriable } from './lane-groups.ts'
import { Lanes } from './lanes.tsx'
import { LandedDiff } from '../finished/landed-diff.tsx'
import { LandingTrain } from './landing-train.tsx'
import { ProgressBar } from './progress-bar.tsx'
import { ReportView } from '../finished/report-view.tsx'
import { SessionHead } from './session-head.tsx'
import { SessionNotices } from './session-notices.tsx'
import { TimingView } from './timing-view.tsx'
import { useSession, type LiveSession } from '../live/use-session.ts'

const tabs = ['lanes', 'diff', 'log', 'timing', 'report'] as const
type Tab = (typeof tabs)[number]

export function SessionPage() {
  const { sessionId } = useParams({ from: '/r/$repositoryId/sessions/$sessionId' })
  const { tab } = useSearch({ from: '/r/$repositoryId/sessions/$sessionId' })
  const live = useSession(sessionId)
  const query = useQuery(sessionQuery(sessionId))
  if (live.error) return <Failure error={live.error} />
  const shown = tabs.find((one) => one === tab) ?? 'lanes'
  const { lanes, isOver, parked, ending } = live.view
  const held = [...lanes.values()].filter(({ question }) => question !== null).length
  return (
    <Shown query={query} rows={10}>
      {(session) => (
        <>
          <SessionHead
            session={session}
            isOver={session.ended_at !== null || isOver}
            isAsking={held > 0 || session.status === 'awaiting_clarification'}
          />
          <TabBar repositoryId={session.repository_id} sessionId={sessionId} shown={shown} />
          <PageBody>
            <SessionNotices session={session} state={live.state} {...{ held, isOver, parked, ending }} />
            <TabContent tab={shown} session={session} live={live} />
          </PageBody>
        </>
      )}
    </Shown>
  )
}

function TabContent({
  tab,
  session,
  live,
}: {
  readonly tab: Tab
  readonly session: SessionDetail
  readonly live: LiveSession
}) {
  switch (tab) {
    case 'lanes':
      return <LiveView session={session} live={live} />
    case 'diff':
      return <LandedDiff sessionId={session.session_id} />
    case 'log':
      return <EventLog events={live.log} />
    case 'timing':
      return <TimingView sessionId={session.session_id} />
    case 'report':
      return <ReportView sessionId={session.session_id} isOver={live.view.isOver} />
  }
}

/** The state of every issue, the landing while it happens, and the next steps when all is over. */
function LiveView({ session, live }: { readonly session: SessionDetail; readonly live: LiveSession }) {
  const { approvals = [] } = useQuery(approvalsQuery(session.repository_id)).data ?? {}
  const disputes = new Set(
    approvals.filter(({ gate }) => gate === 'dispute').map(({ attempt_id }) => attempt_id),
  )
  const groups = groupLanes(session, live.view, disputes)
  const left = (['refused', 'skipped', 'waiting'] as const).reduce(
    (sum, name) => sum + (groups.get(name)?.filter(isRetriable).length ?? 0),
    0,
  )
  const isOver = session.ended_at !== null || live.view.isOver
  const common = commonWork(live.view)
  return (
    <>
      <ProgressBar groups={groups} total={session.attempts.length} />
      {!isOver && common !== null && (
        <p className="wrap-anywhere text-muted first-letter:uppercase">{visible(common)}</p>
      )}
      {isOver && <FinishedBar session={session} left={left} />}
      <Lanes session={session} view={live.view} groups={groups} />
      <LandingTrain landings={live.view.landings} output={live.view.landingOutput} />
    </>
  )
}

interface TabBarProps {
  readonly repositoryId: string
  readonly sessionId: string
  readonly shown: Tab
}

/** Links are slow to draw, so an event of the session does not draw them again. */
const TabBar = memo(function TabBar({ repositoryId, sessionId, shown }: TabBarProps) {
  return (
    <nav aria-label="Session" className="flex gap-5 overflow-x-auto border-b bg-surface px-4 sm:px-6">
      {tabs.map((tab) => (
        <Link
          key={tab}
          from="/r/$repositoryId/sessions/$sessionId"
          to="/r/$repositoryId/sessions/$sessionId"
          params={{ repositoryId, sessionId }}
          search={({ issue }) => ({ ...(issue && { issue }), ...(tab !== 'lanes' && { tab }) })}
          aria-current={tab === shown ? 'page' : false}
          className={`-mb-px border-b-2 py-2 ${tab === shown ? 'border-accent font-medium' : 'border-transparent text-muted hover:text-fg'}`}
        >
          {formatWord(tab)}
        </Link>
      ))}
    </nav>
  )
})
