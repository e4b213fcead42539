import { answerApproval } from '../../app/fix/answer-approval.ts'
import { answerQuestions } from '../../app/prepare/clarify-issues.ts'
import { cancelAnywhere } from '../../app/fix/cancel-session.ts'
import { loadSession } from '../../app/fix/stored-session.ts'
import { recordPersonsChange } from '../../app/people/record-command.ts'
import type { App } from '../../app/open-app.ts'
import { approvalsOf } from '../../server/serving/approvals.ts'
import { sessionDetail } from '../../server/serving/session-views.ts'
import { Fault } from '../../model/fault.ts'
import { openQuestions, type Question } from '../../model/issue/questions.ts'
import type { PendingApproval } from '../../model/api/sessions.ts'
import type { SessionAccess, PatchAnswer } from '../../tui/session-access.ts'

/** A session in the database that this process does not drive. */
export function storeAccess(app: App, id: string): SessionAccess {
  const record = (verb: string, given: object, run: () => Promise<unknown>) =>
    recordPersonsChange(
      app,
      { action: `fixpoint watch: ${verb}`, request: JSON.stringify({ session: id, ...given }) },
      run,
    )
  return {
    ...storeReads(app, () => id),
    answerApproval: async (approval, answer) => {
      const { issue_code: code } = approval
      await record('answer to a patch', { code, answer }, () => answerAtRest(app, approval, answer))
      const done = describeAnswer(approval, answer)
      return approval.gate === 'dispute' ? done : `${done}: fixpoint resume ${id} goes on`
    },
    answerQuestion: async (question, answer) => {
      await record('answer', { question: question.id, answer }, () =>
        answerQuestions(app, new Map([[question.id, answer]])),
      )
      const left = (await questionsOf(app, id)).length
      return left > 0 ? `answered; ${left} more` : `all is answered: fixpoint resume ${id} goes on`
    },
    cancel: async () => {
      await record('cancel', {}, () => cancelAnywhere(app, id))
      return 'cancelled: its issues are open again'
    },
  }
}

/** What the database tells of a session, once there is one. */
export function storeReads(
  app: App,
  idOf: () => string | null,
): Pick<SessionAccess, 'detail' | 'diff' | 'approvals' | 'questions'> {
  const load = async () => {
    const id = idOf()
    return id === null ? null : loadSession(app, id)
  }
  return {
    detail: async () => {
      const stored = await load()
      return (
        stored &&
        sessionDetail(stored, {
          store: app.store,
          issues: [],
          lastSeq: await app.store.sessions.lastSeq(stored.session.id),
        })
      )
    },
    diff: async (code) => {
      const attempt = (await load())?.attempts.find(({ issue_code }) => issue_code === code)
      if (!attempt) return ''
      return 'diff' in attempt ? attempt.diff : (attempt.rounds.at(-1)?.diff ?? '')
    },
    approvals: async () => {
      const stored = await load()
      return stored ? approvalsOf(stored, await app.store.issues.get(stored.session.issue_ids)) : []
    },
    questions: async () => {
      const id = idOf()
      return id === null ? [] : questionsOf(app, id)
    },
  }
}

export async function questionsOf(app: App, id: string): Promise<readonly Question[]> {
  const { session } = await loadSession(app, id)
  return openQuestions(await app.store.issues.get(session.issue_ids))
}

/** Records an answer for a session that nobody drives; an answer to an older question is refused. */
export async function answerAtRest(app: App, asked: PendingApproval, answer: PatchAnswer): Promise<void> {
  const { session_id, issue_code, approval_id } = asked
  const waiting = await storeReads(app, () => session_id).approvals()
  if (!waiting.some((approval) => approval.approval_id === approval_id))
    throw new Fault('not_found', `${issue_code} does not wait for this answer any more`)
  await answerApproval(app, { sessionId: session_id, codes: [issue_code], answer })
}

/** What an answer did, for the person who gave it. */
export function describeAnswer({ issue_code: code, gate }: PendingApproval, answer: PatchAnswer): string {
  const isRejected = 'reject' in answer
  if (gate !== 'dispute') return `${code} ${isRejected ? 'rejected' : 'approved'}`
  return isRejected ? `${code} stays open, and the next fixer reads why` : `${code} is ignored`
}
