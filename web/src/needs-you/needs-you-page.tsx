import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { approvalsQuery } from '../api/queries.ts'
import { plural } from '../ui/format.ts'
import { PageBody, PageHead } from '../ui/layout.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { NotifyButton } from './notify-button.tsx'
import { OpenQuestions } from './open-questions.tsx'

/** Everything that waits for a person: held patches, disputes, questions. */
export function NeedsYouPage() {
  const { repositoryId } = useParams({ from: '/r/$repositoryId/needs-you' })
  const query = useQuery(approvalsQuery(repositoryId))
  const waiting = (query.data?.approvals.length ?? 0) + (query.data?.questions.length ?? 0)
  return (
    <>
      <PageHead title="Needs you" note={query.data && `${plural(waiting, 'answer')} wanted`}>
        <NotifyButton />
      </PageHead>
      <PageBody>
        <Shown query={query}>
          {({ approvals, questions }) => (
            <>
              {[...Map.groupBy(questions, ({ session_id }) => session_id)].map(([sessionId, asked]) => (
                <OpenQuestions
                  key={sessionId}
                  sessionId={sessionId}
                  repositoryId={repositoryId}
                  questions={asked}
                />
              ))}
              {approvals.map((approval) => (
                <ApprovalCard key={approval.approval_id} approval={approval} />
              ))}
              {waiting === 0 && (
                <Empty title="Nothing waits for you">
                  Patches that leave their scope or weaken a test, disputes and questions of the fixer turn up
                  here.
                </Empty>
              )}
            </>
          )}
        </Shown>
      </PageBody>
    </>
  )
}
