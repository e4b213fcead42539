import type { Issue } from '../issue/issue.ts'
import { isSettled, type Attempt, type SettledAttempt } from './attempt.ts'

/** Whether the fixer called the finding wrong, the challenger did not, and nobody has settled it since. */
export const isOpenDispute = (attempt: Attempt, issue: Issue | undefined): attempt is SettledAttempt =>
  isSettled(attempt) &&
  attempt.outcome === 'disputed' &&
  issue?.status === 'open' &&
  !issue.clarifications.some(({ id }) => id === attempt.id)

/** A person says that the finding is right: kept with the issue as an answer, so that every later fixer reads it. */
export const withDisagreement = (issue: Issue, { id, reason }: SettledAttempt, answer: string): Issue => ({
  ...issue,
  clarifications: [
    ...issue.clarifications,
    { id, question: 'Is this finding a false positive?', context: reason, answer, assumed: false },
  ],
})
