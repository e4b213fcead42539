import { createRecorder } from '../loop/recorder.ts'
import { advance } from '../model/advance-attempt.ts'
import type { AttemptAt, AttemptEvent } from '../model/attempt.ts'
import { Fault } from '../model/fault.ts'
import { isOver } from '../model/session.ts'
import { loadSession, outcomeOf, takeSession, type FixOutcome } from './fix-issues.ts'
import type { App } from './open-app.ts'

export interface ApprovalAnswer {
  readonly sessionId: string
  /** Of these issues; of all that wait when empty. */
  readonly codes: readonly string[]
  readonly answer: { readonly approve: true } | { readonly reject: string }
}

/** Writes down what a person decided about held patches; `resume` goes on from there. */
export async function answerApproval(app: App, request: ApprovalAnswer): Promise<FixOutcome> {
  const stored = await loadSession(app, request.sessionId)
  if (isOver(stored.session))
    throw new Fault(
      'transition_refused',
      `${stored.session.id} is ${stored.session.status}: nothing waits for an answer`,
    )
  const ports = await app.ports()
  const taken = await takeSession(app, stored.session)
  const recorder = createRecorder(taken.session, taken.attempts, ports)
  const held = recorder.attempts().filter((attempt) => attempt.stage === 'held')
  try {
    for (const attempt of chosen(held, request.codes)) {
      const event = eventFor(attempt, request, app.git.identity.name)
      await recorder.recordStep(attempt, event, advance(attempt, event))
    }
  } finally {
    const waiting = recorder.attempts().some(({ stage }) => stage === 'held')
    const reason = `fixpoint resume ${taken.session.id} goes on`
    await recorder.recordTogether({
      session: waiting ? { type: 'held', reason } : { type: 'released', reason },
    })
  }
  return outcomeOf(app, { session: recorder.session(), attempts: recorder.attempts() })
}

function chosen(held: readonly AttemptAt<'held'>[], codes: readonly string[]): readonly AttemptAt<'held'>[] {
  const wanted = codes.map((code) => code.toUpperCase())
  const missing = wanted.filter((code) => !held.some(({ issue_code }) => issue_code === code))
  if (missing.length === 0 && held.length > 0)
    return wanted.length > 0 ? held.filter(({ issue_code }) => wanted.includes(issue_code)) : held
  const waiting = held.map(({ issue_code }) => issue_code).join(', ') || 'nothing'
  throw new Fault(
    'not_found',
    `${missing.join(', ') || 'no issue'} does not wait for an answer in this session`,
    {
      hint: `What waits: ${waiting}.`,
    },
  )
}

const eventFor = (attempt: AttemptAt<'held'>, { answer }: ApprovalAnswer, by: string): AttemptEvent =>
  'reject' in answer
    ? { type: 'rejected', reason: answer.reject }
    : { type: 'approved', paths: attempt.question.paths ?? [], by }
