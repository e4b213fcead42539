import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { standingOf } from '../../../src/client/index.ts'
import type { SessionRow } from '../../../src/model/api/sessions.ts'
import { sessionsQuery } from '../api/queries.ts'
import { serverNow } from '../api/server-time.ts'
import { formatAgo, formatDate, formatTokens, plural, sessionName } from '../ui/format.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { columnsOf, costColumn, DataTable } from '../ui/data-table.tsx'
import { Card, PageBody, PageHead } from '../ui/layout.tsx'
import { Empty, Shown } from '../ui/states.tsx'

const columns = columnsOf<SessionRow>([
  {
    id: 'status',
    head: 'Status',
    value: standingOf,
    cell: (session) => <StatusBadge status={standingOf(session)} />,
  },
  {
    id: 'branch',
    head: 'Session',
    value: sessionName,
    cell: (session) => (
      <Link
        to="/r/$repositoryId/sessions/$sessionId"
        params={{ repositoryId: session.repository_id, sessionId: session.session_id }}
        className="font-medium wrap-anywhere hover:text-accent hover:underline"
      >
        {sessionName(session)}
      </Link>
    ),
  },
  {
    id: 'fixed',
    head: 'Fixed',
    isNumber: true,
    value: ({ issues_fixed }) => issues_fixed,
    cell: ({ issues_fixed, issues_requested }) => (
      <span className="whitespace-nowrap">
        {issues_fixed} of {issues_requested}
      </span>
    ),
  },
  {
    id: 'failed',
    head: 'Did not land',
    isNumber: true,
    isWide: true,
    value: ({ issues_failed }) => issues_failed,
  },
  costColumn,
  {
    id: 'tokens',
    head: 'Tokens',
    isNumber: true,
    isWide: true,
    value: ({ tokens }) => tokens,
    cell: ({ tokens }) => formatTokens(tokens),
  },
  {
    id: 'created',
    head: 'Started',
    isWide: true,
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => (
      <time dateTime={created_at} title={formatDate(created_at)} className="whitespace-nowrap text-muted">
        {formatAgo(created_at, serverNow())}
      </time>
    ),
  },
])

export function SessionsPage() {
  const { repositoryId } = useParams({ from: '/r/$repositoryId/sessions' })
  const query = useInfiniteQuery(sessionsQuery(repositoryId))
  const { hasNextPage } = query
  const sessions = query.data?.pages.flatMap((page) => page.sessions) ?? []
  const count = hasNextPage
    ? `The newest ${plural(sessions.length, 'session')}`
    : plural(sessions.length, 'session')
  return (
    <>
      <PageHead title="Sessions" note={query.data && count} />
      <PageBody>
        <Shown query={query}>
          {() =>
            sessions.length === 0 ? (
              <Empty title="No session yet">Select issues in the list and press “Fix…”.</Empty>
            ) : (
              <Card padded={false}>
                <DataTable label="Sessions" columns={columns} rows={sessions} />
              </Card>
            )
          }
        </Shown>
        {hasNextPage && (
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show older sessions
          </Button>
        )}
      </PageBody>
    </>
  )
}
