import { Link } from '@tanstack/react-router'
import type { Insights } from '../../../src/model/api/system.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { formatDay, formatWord, plural } from '../ui/format.ts'
import { Prose } from '../ui/prose.tsx'

interface Props {
  readonly repositoryId: string
  /** The figure and the value, such as `outcomes:refused`. */
  readonly asked: string
  readonly rows: NonNullable<Insights['behind']>
  readonly onClose: () => void
}

/** What the bar counts, as its label says. */
function titleOf(asked: string): string {
  const value = asked.slice(asked.indexOf(':') + 1)
  if (asked.startsWith('by_day:')) return formatDay(value)
  if (asked.startsWith('rounds_per_fix:')) return plural(Number(value), 'round')
  return asked.startsWith('by_') ? value : formatWord(value)
}

/** The attempts that a bar counts, each with its issue and its session. */
export const BehindDialog = ({ repositoryId, asked, rows, onClose }: Props) => (
  <Dialog title={titleOf(asked)} onClose={onClose}>
    <p className="text-muted">{plural(rows.length, 'attempt')}, newest first</p>
    <ul aria-label="Attempts" className="flex max-h-[60vh] flex-col divide-y overflow-y-auto" tabIndex={0}>
      {rows.map(({ issue_id, code, title, session_id, outcome, day }) => (
        <li key={`${session_id}${issue_id}`} className="flex flex-col gap-0.5 py-2">
          <Link
            to="/r/$repositoryId/issues/$issueId"
            params={{ repositoryId, issueId: issue_id }}
            className="wrap-anywhere hover:text-accent hover:underline"
          >
            <span className="mr-2 font-mono text-xs text-muted">{code}</span>
            <Prose text={title} />
          </Link>
          <span className="flex flex-wrap items-baseline gap-x-3 text-xs text-muted">
            <StatusBadge status={outcome} />
            <time dateTime={day}>{formatDay(day)}</time>
            <Link
              to="/r/$repositoryId/sessions/$sessionId"
              params={{ repositoryId, sessionId: session_id }}
              search={{ issue: code }}
              className="text-accent underline"
            >
              the session
            </Link>
          </span>
        </li>
      ))}
    </ul>
  </Dialog>
)
