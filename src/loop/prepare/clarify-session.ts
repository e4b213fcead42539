import type { Issue } from '../../model/issue/issue.ts'
import {
  describeQuestions,
  openQuestions,
  withQuestions,
  type NewQuestion,
  type Question,
} from '../../model/issue/questions.ts'
import { sharedConversation } from '../../model/issue/conversation.ts'
import type { Clarified } from '../../model/session/session.ts'
import { addSpent, nothingSpent } from '../../model/attempt/spending.ts'
import { askClarifier } from './ask-about-issues.ts'
import { recordWait, type SessionContext } from '../context/session-context.ts'
import type { Recorder } from '../context/recorder.ts'

const notAsked: Clarified = { rounds: 0, ready: false, conversation: null }

/** A fixer that is still not ready after this many rounds of answers begins with what it has. */
const maxRounds = 5

/** Lets the fixer ask until it is ready. False when questions wait for a person, or nobody could be asked. */
export async function clarifySession({
  recorder,
  ports,
  limits,
  endNow: signal,
}: Pick<SessionContext, 'recorder' | 'ports' | 'limits' | 'endNow'>): Promise<boolean> {
  const { id, base, options, issue_ids } = recorder.session()
  const mode = options.clarify ?? 'off'
  if (mode === 'off') return true
  if (mode === 'answered') {
    const waiting = openQuestions(await ports.issues.get(issue_ids))
    return waiting.length === 0 || waitFor(recorder, waiting, recorder.session().clarified ?? notAsked)
  }
  const asking = { id, base, options, limits, signal, onWait: recordWait({ recorder }) }
  for (;;) {
    const before: Clarified = recorder.session().clarified ?? notAsked
    if (before.ready || before.rounds >= maxRounds) return true
    limits.allowance([], recorder.attempts())
    if (limits.halted()) return false
    const issues = await ports.issues.get(issue_ids)
    const waiting = mode === 'ask' ? openQuestions(issues) : []
    if (waiting.length > 0) return waitFor(recorder, waiting, before)
    const round = before.rounds + 1
    const conversation = before.conversation ?? sharedConversation(issues)
    const asked = await askClarifier(
      { ...asking, round, issues, conversation, isAskedBefore: before.conversation !== null },
      ports,
    )
    if (signal.aborted || limits.halted()) return false
    if ('unreadable' in asked.answer) {
      limits.halt({ kind: 'clarifier', reason: `the clarifier: ${asked.answer.unreadable}`, until: null })
      return false
    }
    const { ready, questions } = asked.answer
    await recorder.recordTogether({
      session: {
        type: 'clarified',
        clarified: {
          rounds: round,
          ready,
          conversation: asked.conversation,
          spent: addSpent(before.spent ?? nothingSpent, asked.spent),
        },
      },
      issues: edits(issues, questions, mode),
    })
  }
}

const edits = (issues: readonly Issue[], questions: readonly NewQuestion[], mode: 'ask' | 'assume') =>
  issues
    .filter(({ code }) => questions.some(({ issue_code }) => issue_code === code))
    .map(({ id }) => ({ id, edit: (issue: Issue): Issue => withQuestions(issue, questions, mode) }))

async function waitFor(
  recorder: Recorder,
  questions: readonly Question[],
  clarified: Clarified,
): Promise<false> {
  const { id } = recorder.session()
  const reason = `${describeQuestions(questions)}. Answer: fixpoint answer ${id}; or fix without: --clarify off`
  await recorder.recordTogether({
    session: { type: 'asked', clarified, reason },
    events: [{ type: 'fix_clarification_needed', message: reason, details: { questions } }],
  })
  return false
}
