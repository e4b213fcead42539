import { createRecorder } from '../loop/recorder.ts'
import { advance } from '../model/advance-attempt.ts'
import type { StoredSession } from '../loop/ports.ts'
import { isSettled, type AttemptAt, type AttemptEvent, type SettledAttempt } from '../model/attempt.ts'
import { Fault } from '../model/fault.ts'
import { moveIssue } from '../model/issue.ts'
import { isOver } from '../model/session.ts'
import { loadSession, outcomeOf, takeSession, type FixOutcome } from './fix-issues.ts'
import type { App } from './open-app.ts'

export interface ApprovalAnswer {
  readonly sessionId: string
  /** Of these issues; of all that wait when empty. */
  readonly codes: readonly string[]
  readonly answer: { readonly approve: true } | { readonly reject: string }
}

/** Writes down what a person decided about held patches and disputes; `resume` goes on from there. */
export async function answerApproval(app: App, request: ApprovalAnswer): Promise<FixOutcome> {
  const stored = await loadSession(app, request.sessionId)
  const disputes = await openDisputes(app, stored)
  const answered = disputes.filter(({ issue_code }) => isAskedFor(issue_code, request.codes))
  for (const dispute of answered) await settleDispute(app, dispute, request)
  const left = request.codes.filter(
    (code) => !answered.some(({ issue_code }) => issue_code === code.toUpperCase()),
  )
  const isAnswered = answered.length > 0 && (request.codes.length > 0 ? left.length === 0 : !hasHeld(stored))
  if (isAnswered) return outcomeOf(app, stored)
  return answerHeld(app, stored, { ...request, codes: left })
}

const isAskedFor = (code: string, codes: readonly string[]): boolean =>
  codes.length === 0 || codes.some((asked) => asked.toUpperCase() === code)

const hasHeld = ({ attempts }: StoredSession): boolean => attempts.some(({ stage }) => stage === 'held')

/** Findings that the fixer calls wrong and the challenger did not; nobody has settled them since. */
async function openDisputes(app: App, { attempts }: StoredSession): Promise<readonly SettledAttempt[]> {
  const disputed = attempts.filter(isSettled).filter(({ outcome }) => outcome === 'disputed')
  const issues = await app.store.issues.get(disputed.map(({ issue_id }) => issue_id))
  const open = new Set(issues.filter(({ status }) => status === 'open').map(({ id }) => id))
  return disputed.filter(({ issue_id }) => open.has(issue_id))
}

/** Agreeing with the fixer ignores the issue; disagreeing leaves it open, with what was said. */
async function settleDispute(app: App, dispute: SettledAttempt, { answer }: ApprovalAnswer): Promise<void> {
  const by = app.git.identity.name
  await app.store.issues.change(dispute.issue_id, 'person', (issue) =>
    'reject' in answer
      ? { ...issue, resolution_note: `not a false positive, says ${by}: ${answer.reject}` }
      : {
          ...moveIssue(issue, 'ignored', 'person'),
          ignored: { reason: `a false positive, agreed by ${by}. ${dispute.reason}`, until: null },
        },
  )
}

async function answerHeld(app: App, stored: StoredSession, request: ApprovalAnswer): Promise<FixOutcome> {
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
      const event = approvalEvent(attempt, request.answer, app.git.identity.name)
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

/** What a person's answer means for the attempt that was asked about. */
export const approvalEvent = (
  attempt: AttemptAt<'held'>,
  answer: ApprovalAnswer['answer'],
  by: string,
): AttemptEvent =>
  'reject' in answer
    ? { type: 'rejected', reason: answer.reject }
    : { type: 'approved', paths: attempt.question.paths ?? [], by }
