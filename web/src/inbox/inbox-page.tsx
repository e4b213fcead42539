import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { approvalsQuery, sessionsQuery } from '../data.ts'
import { plural } from '../format.ts'
import { PageBody, PageHead } from '../ui/layout.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { OpenQuestions } from './open-questions.tsx'

/** Everything that waits for a person: held patches, disputes, questions. */
export function InboxPage() {
  const { repositoryId } = useParams({ from: '/r/$repositoryId/needs-you' })
  const query = useQuery(approvalsQuery(repositoryId))
  const sessions = useQuery(sessionsQuery(repositoryId)).data?.sessions ?? []
  const asking = sessions.filter(({ status }) => status === 'awaiting_clarification')
  return (
    <>
      <PageHead
        title="Needs you"
        note={query.data && plural(query.data.approvals.length + asking.length, 'open question')}
      />
      <PageBody>
        {asking.map(({ session_id }) => (
          <OpenQuestions key={session_id} sessionId={session_id} repositoryId={repositoryId} />
        ))}
        <Shown query={query}>
          {({ approvals }) =>
            approvals.length + asking.length === 0 ? (
              <Empty title="Nothing waits for you">
                Patches that leave their scope or weaken a test, disputes and questions of the fixer turn up here.
              </Empty>
            ) : (
              approvals.map((approval) => <ApprovalCard key={approval.approval_id} approval={approval} />)
            )
          }
        </Shown>
      </PageBody>
    </>
  )
}
