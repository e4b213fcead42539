import { createRecorder, stepOf } from '../../loop/context/recorder.ts'
import type { StoredSession } from '../../loop/ports.ts'
import { isOpenDispute, withDisagreement } from '../../model/attempt/dispute.ts'
import type { Attempt, AttemptAt, AttemptEvent, SettledAttempt } from '../../model/attempt/attempt.ts'
import { Fault } from '../../model/fault.ts'
import type { AttemptId } from '../../model/id.ts'
import { moveIssue } from '../../model/issue/issue.ts'
import { isOver } from '../../model/session/session.ts'
import { loadSession, outcomeOf, takeSession, type FixOutcome } from './stored-session.ts'
import type { App } from '../open-app.ts'

export interface ApprovalRequest {
  readonly sessionId: string
  /** Of these issues; of all that wait when empty. */
  readonly codes: readonly string[]
  readonly answer: { readonly approve: true } | { readonly reject: string }
  /** Who answers, where that is not the person that git names. */
  readonly by?: string
}

export interface AnsweredApproval extends FixOutcome {
  /** What the answer was about. */
  readonly answered: {
    readonly disputes: readonly SettledAttempt[]
    readonly held: readonly AttemptAt<'held'>[]
  }
}

/** Writes down what a person decided about held patches and disputes; `resume` goes on from there. */
export async function answerApproval(app: App, request: ApprovalRequest): Promise<AnsweredApproval> {
  const stored = await loadSession(app, request.sessionId)
  const codes = request.codes.map((code) => code.toUpperCase())
  const isMeant = ({ issue_code }: Attempt): boolean => codes.length === 0 || codes.includes(issue_code)
  const disputes = (await openDisputes(app, stored)).filter(isMeant)
  const held = stored.attempts.filter((attempt) => attempt.stage === 'held').filter(isMeant)
  const waiting = [...disputes, ...held].map(({ issue_code }) => issue_code)
  const missing = codes.filter((code) => !waiting.includes(code))
  if (missing.length > 0 || waiting.length === 0) throw nothingWaits(stored, missing)
  for (const dispute of disputes) await answerDispute(app, dispute, request)
  const outcome =
    held.length === 0
      ? await outcomeOf(app, stored)
      : await answerHeld(app, stored, { ...request, ids: new Set(held.map(({ id }) => id)) })
  return { ...outcome, answered: { disputes, held } }
}

/** The codes of the issues of a session that wait for a person's word. */
export async function listWaiting(app: App, stored: StoredSession): Promise<readonly string[]> {
  const held = stored.attempts.filter(({ stage }) => stage === 'held')
  return [...(await openDisputes(app, stored)), ...held].map(({ issue_code }) => issue_code)
}

function nothingWaits({ session, attempts }: StoredSession, codes: readonly string[]): Fault {
  if (isOver(session))
    return new Fault('transition_refused', `${session.id} is ${session.status}: nothing waits for an answer`)
  const held = attempts.flatMap(({ stage, issue_code }) => (stage === 'held' ? [issue_code] : []))
  return new Fault(
    'not_found',
    `${codes.join(', ') || 'no issue'} does not wait for an answer in this session`,
    { hint: `What waits: ${held.join(', ') || 'nothing'}.` },
  )
}

/** Findings that the fixer calls wrong and the challenger does not, and that nobody has decided since. */
async function openDisputes(app: App, { attempts }: StoredSession): Promise<readonly SettledAttempt[]> {
  const issues = await app.store.issues.get(attempts.map(({ issue_id }) => issue_id))
  const issueOf = new Map(issues.map((issue) => [issue.id, issue]))
  return attempts.filter((attempt) => isOpenDispute(attempt, issueOf.get(attempt.issue_id)))
}

/** Agreeing with the fixer ignores the issue; disagreeing leaves it open, with what was said for the next fixer. */
async function answerDispute(app: App, dispute: SettledAttempt, request: ApprovalRequest): Promise<void> {
  const { answer, by = app.git.identity.name } = request
  await app.store.issues.change(dispute.issue_id, 'person', (issue) =>
    'reject' in answer
      ? withDisagreement(issue, dispute, `no, says ${by}: ${answer.reject}`)
      : {
          ...moveIssue(issue, 'ignored', 'person'),
          ignored: { reason: `a false positive, agreed by ${by}. ${dispute.reason}`, until: null },
        },
  )
}

interface HeldAnswer extends Pick<ApprovalRequest, 'answer' | 'by'> {
  readonly ids: ReadonlySet<AttemptId>
}

async function answerHeld(app: App, stored: StoredSession, held: HeldAnswer): Promise<FixOutcome> {
  const { ids, answer, by = app.git.identity.name } = held
  const ports = await app.ports()
  const taken = await takeSession(app, stored.session)
  const recorder = createRecorder(taken, ports)
  try {
    for (const attempt of recorder.attempts()) {
      if (attempt.stage !== 'held' || !ids.has(attempt.id)) continue
      const event = approvalEvent(attempt, answer, by)
      await recorder.recordStep(stepOf(attempt, event))
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

/** What a person's answer means for the attempt that was asked about. */
export const approvalEvent = (
  attempt: AttemptAt<'held'>,
  answer: ApprovalRequest['answer'],
  by: string,
): AttemptEvent =>
  'reject' in answer
    ? { type: 'rejected', reason: answer.reject }
    : { type: 'approved', paths: attempt.question.paths ?? [], by }
