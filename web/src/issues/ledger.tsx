import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { IssueLedger, IssueView } from '../../../src/model/api/issues.ts'
import type { Attempt } from '../../../src/model/attempt/attempt.ts'
import { ledgerQuery } from '../api/queries.ts'
import { formatAnchor, formatDate, formatWord, plural, shortSha } from '../ui/format.ts'
import { isEcho } from '../rounds/is-echo.ts'
import { SaidByEvent } from '../rounds/said-by-event.tsx'
import { RoundView, type ShownRound } from '../rounds/round-view.tsx'
import { Evidence, StatusBadge } from '../ui/badge.tsx'
import { Card } from '../ui/layout.tsx'
import { Shown } from '../ui/states.tsx'
import { RelatedIssues } from './related-issues.tsx'
import { Prose } from '../ui/prose.tsx'
import { visible } from '../ui/visible.ts'

/** The whole history of an issue: who claimed it, and every attempt to fix it. */
export function Ledger({ issue }: { readonly issue: IssueView }) {
  const query = useQuery(ledgerQuery(issue.id))
  return (
    <Shown query={query}>
      {(ledger) => (
        <>
          <RelatedIssues issue={issue} related={ledger.related} />
          <Sources ledger={ledger} />
          <Card title="Attempts" note={plural(ledger.attempts.length, 'attempt')}>
            {ledger.attempts.length === 0 ? (
              <p className="text-muted">Nobody has tried to fix it yet.</p>
            ) : (
              <div className="flex flex-col gap-5">
                {ledger.attempts.toReversed().map((attempt, index) => (
                  <AttemptView
                    key={attempt.id}
                    attempt={attempt}
                    repositoryId={issue.repository_id}
                    isLast={index === 0}
                  />
                ))}
              </div>
            )}
          </Card>
          <Moves ledger={ledger} />
          <Events ledger={ledger} />
        </>
      )}
    </Shown>
  )
}

/** Names a source that repeats a finding only once, with its latest finding. */
function saidOnce(findings: IssueLedger['findings']) {
  const same = Map.groupBy(findings, ({ source, rule, title }) =>
    JSON.stringify([source.kind, source.name, rule, title]),
  )
  return [...same.values()].flatMap((some) => {
    const finding = some.at(-1)
    return finding ? [{ finding, times: some.length }] : []
  })
}

const Sources = ({ ledger }: { readonly ledger: IssueLedger }) => (
  <Card title="Sources" note={plural(ledger.findings.length, 'finding')}>
    <ul className="flex flex-col gap-3">
      {saidOnce(ledger.findings).map(({ finding, times }) => (
        <li key={finding.id}>
          <p className="flex flex-wrap gap-x-3 text-xs wrap-anywhere text-muted">
            <span className="font-medium text-fg">{visible(finding.source.name)}</span>
            {finding.source.kind !== finding.source.name && <span>{finding.source.kind}</span>}
            {finding.rule !== null && <span className="font-mono">{visible(finding.rule)}</span>}
            <span className="font-mono">
              {visible(finding.file ?? '')}
              {finding.line === null ? '' : `:${finding.line}`}
            </span>
            <span>{formatAnchor(finding.anchor)}</span>
            {times > 1 && <span>said {times} times</span>}
          </p>
          <p className="wrap-anywhere">
            <Prose text={finding.title} />
          </p>
        </li>
      ))}
    </ul>
  </Card>
)

function AttemptView({
  attempt,
  repositoryId,
  isLast,
}: {
  readonly attempt: Attempt
  readonly repositoryId: string
  readonly isLast: boolean
}) {
  const settled = attempt.stage === 'settled' ? attempt : null
  return (
    <article className="flex flex-col gap-2">
      <p className="flex flex-wrap items-center gap-x-3">
        <StatusBadge status={settled?.outcome ?? attempt.stage} />
        {settled?.evidence && <Evidence grade={settled.evidence} />}
        {settled?.commit_sha && <span className="font-mono text-xs">{shortSha(settled.commit_sha)}</span>}
        <Link
          to="/r/$repositoryId/sessions/$sessionId"
          params={{ repositoryId, sessionId: attempt.session_id }}
          search={{ issue: attempt.issue_code }}
          className="text-accent hover:underline"
        >
          Session
        </Link>
        {settled && <span className="text-muted wrap-anywhere">{visible(settled.reason)}</span>}
      </p>
      {attempt.rounds.map((round, index) => (
        <RoundView
          key={round.round}
          round={shownRound(round)}
          threshold={attempt.policy.threshold}
          isOpen={isLast && index === attempt.rounds.length - 1}
        />
      ))}
    </article>
  )
}

/** A closed round of the ledger. */
export const shownRound = (round: Attempt['rounds'][number]): ShownRound => ({
  round: round.round,
  gates: round.gates,
  verification: round.verification,
  challenge: round.challenge,
  diff: round.diff,
  ended: round.refusal ?? 'accepted',
  agent: round.run.agent,
  report: round.report,
})

/** The events of an issue outside of sessions. */
function Moves({ ledger }: { readonly ledger: IssueLedger }) {
  if (ledger.moves.length === 0) return null
  return (
    <Card title="Changed by hand" note={plural(ledger.moves.length, 'change')}>
      <ol className="flex flex-col gap-1">
        {ledger.moves.map(({ at, by, from, to, note }, index) => (
          <li key={index} className="grid grid-cols-[10rem_1fr] gap-x-3 max-sm:grid-cols-1">
            <time className="text-xs leading-5 text-muted" dateTime={at}>
              {formatDate(at)}
            </time>
            <span className="wrap-anywhere">
              {formatWord(from)} → {formatWord(to)}
              {by === 'engine' && ' (its time was over)'}
              {note !== null && `: ${visible(note)}`}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function Events({ ledger }: { readonly ledger: IssueLedger }) {
  const events = ledger.events.filter((event) => !isEcho(event))
  if (events.length === 0) return null
  return (
    <Card title="Events" note={plural(events.length, 'event')}>
      <ol className="flex max-h-96 flex-col gap-1 overflow-y-auto" tabIndex={0} aria-label="Events">
        {events.map((event, index) => (
          <li key={index} className="grid grid-cols-[10rem_1fr] gap-x-3 max-sm:grid-cols-1">
            <time className="text-xs leading-5 text-muted" dateTime={event.timestamp}>
              {formatDate(event.timestamp)}
            </time>
            <span className="wrap-anywhere">
              <SaidByEvent event={event} />
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
