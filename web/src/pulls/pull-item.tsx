import { Link } from '@tanstack/react-router'
import { serverNow } from '../api/server-time.ts'
import type { PullRequestRow } from '../../../src/model/api/pull-requests.ts'
import { Badge, StatusBadge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { formatAgo, plural } from '../ui/format.ts'
import { visible } from '../ui/visible.ts'
import { ForgeLink } from './forge-link.tsx'

interface Props {
  readonly pull: PullRequestRow
  readonly repositoryId: string
  readonly onVote: () => void
}

/** The conditions that are missing for a merge, as far as this server knows. */
export function waitingOn({
  draft,
  voting,
  votes,
  head_sha,
  open_threads,
}: PullRequestRow): readonly string[] {
  return [
    ...(draft ? ['It is a draft'] : []),
    ...(voting ? ['Agents vote'] : []),
    ...(votes === null && !voting ? ['Nobody has voted'] : []),
    ...(votes !== null && votes.head_sha !== head_sha ? ['The branch moved after the votes'] : []),
    ...(votes !== null && votes.head_sha === head_sha && votes.status !== 'approved' ? [votes.reason] : []),
    ...(open_threads ? [`${plural(open_threads, 'conversation')} open`] : []),
  ]
}

/** One pull request: its link, its author, its votes and the conditions that it waits for. */
export function PullItem({ pull, repositoryId, onVote }: Props) {
  const { number, url, title, author, branch, base, draft, session_id: sessionId, votes, voting } = pull
  const waits = waitingOn(pull)
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
      <div className="flex min-w-0 flex-1 basis-72 flex-col gap-1">
        <span className="flex flex-wrap items-baseline gap-x-3">
          <ForgeLink url={url}>
            <span className="mr-2 font-mono text-xs text-muted">#{number}</span>
            {visible(title)}
          </ForgeLink>
          {draft && <Badge tone="muted">Draft</Badge>}
        </span>
        <span className="flex flex-wrap gap-x-3 text-xs text-muted">
          <span className="font-mono wrap-anywhere">
            {visible(branch)} → {visible(base)}
          </span>
          <span>by {visible(author)}</span>
          {sessionId !== null && (
            <Link
              to="/r/$repositoryId/sessions/$sessionId"
              params={{ repositoryId, sessionId }}
              search={{}}
              className="text-accent underline"
            >
              its session
            </Link>
          )}
        </span>
        {waits.length > 0 && (
          <span className="text-xs text-muted">
            <span className="font-medium text-warn">Waits:</span> {visible(waits.join(' · '))}
          </span>
        )}
      </div>
      <span className="flex items-center gap-4">
        {votes && (
          <span className="flex flex-col items-end">
            <StatusBadge status={votes.status} />
            <span className="text-xs text-muted">
              {votes.average !== null && `average ${Math.round(votes.average * 100) / 100}, `}
              {formatAgo(votes.at, serverNow())}
            </span>
          </span>
        )}
        <Button disabled={voting} onClick={onVote}>
          {voting ? 'Agents vote…' : 'Let agents vote…'}
        </Button>
      </span>
    </li>
  )
}
