import { useQuery } from '@tanstack/react-query'
import type { SessionReport } from '../../../src/model/api/sessions.ts'
import { reportQuery } from '../api/queries.ts'
import {
  formatCost,
  formatDuration,
  formatScore,
  formatSentence,
  formatTokens,
  plural,
  shortSha,
} from '../ui/format.ts'
import { Evidence, StatusBadge } from '../ui/badge.tsx'
import { Card, Fact } from '../ui/layout.tsx'
import { Shown } from '../ui/states.tsx'
import { Prose } from '../ui/prose.tsx'
import { visible } from '../ui/visible.ts'

/** The results of the session, issue by issue. */
export function ReportView({ sessionId, isOver }: { readonly sessionId: string; readonly isOver: boolean }) {
  const query = useQuery(reportQuery(sessionId))
  return (
    <Shown query={query}>
      {(report) => (
        <>
          {!isOver && <p className="text-muted">The session goes on: this is how it stands now.</p>}
          <Summary report={report} isOver={isOver} />
          <Card title="Issues" padded={false}>
            <ul className="divide-y">
              {report.results.map((result) => (
                <Result key={result.issue_id} result={result} />
              ))}
            </ul>
          </Card>
        </>
      )}
    </Shown>
  )
}

function Summary({ report, isOver }: { readonly report: SessionReport; readonly isOver: boolean }) {
  return (
    <Card title="Report">
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
        <Fact name={isOver ? 'Came to' : 'Stands at'}>
          <StatusBadge status={report.status} />
        </Fact>
        <Fact name="Fixed">{`${report.issues_fixed} of ${report.issues_requested}`}</Fact>
        <Fact name="Did not land">{report.issues_failed}</Fact>
        <Fact name={isOver ? 'Set aside' : 'Not done yet'}>{report.issues_skipped}</Fact>
        <Fact name="Branch">
          <span className="wrap-anywhere whitespace-normal">
            {report.branch_name ?? `none: nothing landed${isOver ? '' : ' yet'}`}
          </span>
        </Fact>
        <Fact name="Cost">{formatCost(report.cost_usd)}</Fact>
        <Fact name="Tokens">{formatTokens(report.tokens)}</Fact>
        {isOver && <Fact name="Time">{formatDuration(report.duration_ms)}</Fact>}
        {isOver && <Fact name="Verifications">{report.verifications_run}</Fact>}
      </dl>
    </Card>
  )
}

function Result({ result }: { readonly result: SessionReport['results'][number] }) {
  const {
    issue_code: code,
    title,
    outcome,
    status,
    evidence,
    commit_sha: sha,
    reason,
    rounds,
    cost_usd: cost,
  } = result
  return (
    <li className="flex flex-col gap-1 px-4 py-3">
      <p className="flex flex-wrap items-center gap-x-3">
        <span className="font-mono text-xs text-muted">{code}</span>
        <span className="min-w-0 font-medium wrap-anywhere">
          <Prose text={title ?? ''} />
        </span>
        <StatusBadge status={outcome ?? status} />
        {evidence && <Evidence grade={evidence} />}
      </p>
      <p className="flex flex-wrap gap-x-4 text-xs text-muted">
        {rounds.length > 0 && <span>{plural(rounds.length, 'round')}</span>}
        {result.fix_challenger_score !== null && (
          <span>score {formatScore(result.fix_challenger_score)}</span>
        )}
        {sha && <span className="font-mono">commit {shortSha(sha)}</span>}
        <span>{formatCost(cost)}</span>
      </p>
      {result.reproduction && result.reproduction.agent !== null && (
        <p className="wrap-anywhere text-muted">Independent test: {visible(result.reproduction.reason)}</p>
      )}
      {result.changes_made !== null && (
        <p className="wrap-anywhere">{visible(formatSentence(result.changes_made))}</p>
      )}
      {outcome !== 'fixed' && reason !== null && (
        <p className="wrap-anywhere">{visible(formatSentence(reason))}</p>
      )}
    </li>
  )
}
