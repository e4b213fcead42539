import type { Client } from '../../client/index.ts'
import type { Desk } from '../../tui/desk.ts'
import { wordOf } from './store-desk.ts'

/** A session that a server has. It goes on by itself as soon as it is answered. */
export function serverDesk(client: Client, id: string, repositoryId: string): Desk {
  const isOfSession = ({ session_id }: { readonly session_id: string }): boolean => session_id === id
  return {
    detail: () => client.session(id),
    diff: (code) => client.diff(id, code),
    approvals: async () => (await client.approvals(repositoryId)).approvals.filter(isOfSession),
    questions: async () =>
      (await client.approvals(repositoryId)).questions
        .filter(isOfSession)
        .map(({ options = [], ...question }) => ({ ...question, options })),
    answerApproval: async (approval, answer) => {
      await client.answerApproval(
        id,
        approval.approval_id,
        'reject' in answer ? { decision: 'reject', reason: answer.reject } : { decision: 'approve' },
      )
      return wordOf(approval, answer)
    },
    answerQuestion: async ({ id: questionId }, answer) => {
      await client.answerQuestions(id, { answers: [{ question_id: questionId, answer }] })
      return 'answered'
    },
    cancel: async () => {
      await client.cancel(id)
      return 'cancelled: its issues are open again'
    },
  }
}
