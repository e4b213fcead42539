import type { PendingApproval, SessionDetail } from '../model/api/sessions.ts'
import type { Question } from '../model/issue/questions.ts'

export type PatchAnswer = { readonly approve: true } | { readonly reject: string }

/** What the screen asks of whoever has the session: this process, the database or a server. */
export interface SessionAccess {
  /** Null before there is a session. */
  readonly detail: () => Promise<SessionDetail | null>
  /** What the newest round of one issue changed. */
  readonly diff: (code: string) => Promise<string>
  /** Patches and disputes of this session that wait for a person. */
  readonly approvals: () => Promise<readonly PendingApproval[]>
  readonly questions: () => Promise<readonly Question[]>
  /** Answers say in words what happens next. */
  readonly answerApproval: (approval: PendingApproval, answer: PatchAnswer) => Promise<string>
  readonly answerQuestion: (question: Question, answer: string) => Promise<string>
  readonly cancel: () => Promise<string>
}
