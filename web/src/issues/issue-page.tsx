import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { IssueView } from '../../../src/model/api/issues.ts'
import { issueQuery } from '../api/queries.ts'
import { formatAnchor, formatDate, formatFarDay, shortSha } from '../ui/format.ts'
import { Evidence, StatusBadge } from '../ui/badge.tsx'
import { Card, Fact, PageBody, PageHead } from '../ui/layout.tsx'
import { Shown } from '../ui/states.tsx'
import { Excerpt } from './excerpt.tsx'
import { IssueActions } from './issue-actions.tsx'
import { Ledger } from './ledger.tsx'
import { visible } from '../ui/visible.ts'

export function IssuePage() {
  const { issueId, repositoryId } = useParams({ from: '/r/$repositoryId/issues/$issueId' })
  const query = useQuery(issueQuery(issueId))
  return (
    <Shown query={query} rows={10}>
      {(issue) => (
        <>
          <PageHead
            title={visible(issue.title)}
            note={
              <span className="flex flex-wrap items-center gap-x-3">
                <Link
                  to="/r/$repositoryId/issues"
                  params={{ repositoryId }}
                  className="text-accent hover:underline"
                >
                  Issues
                </Link>
                <span className="font-mono">{issue.code}</span>
                <StatusBadge status={issue.severity} />
                <StatusBadge status={issue.status} />
                {issue.evidence && <Evidence grade={issue.evidence} />}
              </span>
            }
          >
            <IssueActions issue={issue} />
          </PageHead>
          <PageBody>
            <Facts issue={issue} />
            {issue.file !== null && <Excerpt issueId={issue.id} />}
            <Description issue={issue} />
            <Questions issue={issue} />
            <Ledger issue={issue} />
          </PageBody>
        </>
      )}
    </Shown>
  )
}

function Facts({ issue }: { readonly issue: IssueView }) {
  const facts: readonly (readonly [string, string | null])[] = [
    ['Rule', issue.rule],
    ['Category', issue.category],
    ['Priority', String(issue.priority)],
    ['Flagged by', issue.flagged_by.join(', ')],
    ['Place', formatAnchor(issue.anchor)],
    ['Absent since', issue.absent_since ? formatDate(issue.absent_since) : null],
    ['Origin', issue.induced_by === undefined ? null : 'written by a fix'],
    ['Effort', issue.estimated_effort === null ? null : `${issue.estimated_effort} of 5`],
    ['Branch', issue.fix_branch],
    ['Commit', issue.fix_commit_sha && shortSha(issue.fix_commit_sha)],
    [
      'Ignored',
      issue.ignored &&
        `${issue.ignored.reason}${issue.ignored.until ? `, until ${formatFarDay(issue.ignored.until)}` : ''}`,
    ],
    ['Note', issue.resolution_note],
    ['Changed', formatDate(issue.updated_at)],
  ]
  return (
    <Card>
      <dl className="grid grid-cols-[repeat(auto-fill,minmax(10rem,1fr))] gap-x-6 gap-y-3">
        {facts.map(([name, value]) =>
          value === null || value === '' ? null : (
            <Fact key={name} name={name} isWhole={name === 'Note' || name === 'Ignored'}>
              <span title={visible(value)}>{visible(value)}</span>
            </Fact>
          ),
        )}
      </dl>
    </Card>
  )
}

const Description = ({ issue }: { readonly issue: IssueView }) => (
  <Card title="Description">
    <div className="flex flex-col gap-3">
      <p className="whitespace-pre-wrap wrap-anywhere">{visible(issue.description)}</p>
      {issue.suggested_fix !== null && (
        <div>
          <h3 className="text-xs font-semibold text-muted">Suggested fix</h3>
          <p className="whitespace-pre-wrap wrap-anywhere">{visible(issue.suggested_fix)}</p>
        </div>
      )}
      {issue.severity_note !== null && (
        <p className="text-muted wrap-anywhere">{visible(issue.severity_note)}</p>
      )}
      {issue.references.map((reference) => (
        <p key={reference} className="text-muted wrap-anywhere">
          {visible(reference)}
        </p>
      ))}
    </div>
  </Card>
)

function Questions({ issue }: { readonly issue: IssueView }) {
  if (issue.clarifications.length === 0) return null
  return (
    <Card title="Questions and answers">
      <dl className="flex flex-col gap-3">
        {issue.clarifications.map(({ id, question, answer, assumed }) => (
          <div key={id}>
            <dt className="font-medium wrap-anywhere">{visible(question)}</dt>
            <dd className="text-muted wrap-anywhere">
              {answer === null ? 'not answered yet' : `${assumed ? 'Assumed: ' : ''}${visible(answer)}`}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
