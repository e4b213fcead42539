import { approvalEvent } from '../../app/fix/answer-approval.ts'
import { answerQuestions } from '../../app/prepare/clarify-issues.ts'
import { cancelAnywhere } from '../../app/fix/cancel-session.ts'
import type { App } from '../../app/open-app.ts'
import { createAnswerQueue, type AnswerQueue } from '../../app/worker/answer-queue.ts'
import { Fault } from '../../model/fault.ts'
import { SessionId } from '../../model/id.ts'
import type { SessionAccess } from '../../tui/session-access.ts'
import type { Terminal } from '../../tui/draw.ts'
import type { OpenScreen } from '../../tui/open-screen.ts'
import type { SessionDisplay } from './display.ts'
import type { Interrupts } from '../command/interrupts.ts'
import type { Output } from '../command/output.ts'
import { answerAtRest, questionsOf, storeReads, describeAnswer } from '../watch/store-access.ts'

/** Whether a session that waits for a person goes on now, or is left for later. */
type Decision = 'go on' | 'leave'

/** What the screen needs of the session that runs behind it. */
interface Driven {
  sessionId: string | null
  /** Takes answers while the session runs; null while it rests. */
  inbox: AnswerQueue | null
  /** Ends the asking. */
  decide: (decision: Decision) => void
}

/** The session in the whole terminal until it is over or left. */
export function screenDisplay(app: App, output: Output, terminal: Terminal): SessionDisplay {
  const driven: Driven = { sessionId: null, inbox: null, decide: () => undefined }
  const access = drivenAccess(app, driven)
  let screen: OpenScreen | null = null
  return {
    say: (text) => (screen ? screen.say(text) : output.say(text)),
    async begin(interrupts) {
      const { openScreen } = await import('../../tui/open-screen.ts')
      const shown = (screen ??= openScreen({
        access,
        mode: 'drive',
        terminal,
        onInterrupt: interrupts.interrupt,
        onLeave: () => driven.decide('leave'),
      }))
      const inbox = createAnswerQueue()
      driven.inbox = inbox
      const unsubscribe = app.subscribe((event) => {
        driven.sessionId = event.session_id
        shown.push(event)
      })
      const { stopStarting, endNow } = interrupts
      return {
        signals: { stopStarting, endNow, inbox },
        async end() {
          driven.inbox = null
          inbox.close()
          unsubscribe()
          // The next question finds a session that rests.
          await shown.refresh()
        },
      }
    },
    ask: async (_outcome, interrupts) => {
      if (!screen) return false
      screen.say('the session waits for you; q leaves it for later')
      return untilDecided(driven, interrupts)
    },
    async close() {
      await screen?.close()
      screen = null
      driven.sessionId = null
    },
  }
}

function untilDecided(driven: Driven, { stopStarting }: Interrupts): Promise<boolean> {
  return new Promise((resolve) => {
    const onStop = (): void => driven.decide('leave')
    driven.decide = (decision) => {
      stopStarting.removeEventListener('abort', onStop)
      driven.decide = () => undefined
      resolve(decision === 'go on')
    }
    stopStarting.addEventListener('abort', onStop)
  })
}

function drivenAccess(app: App, driven: Driven): SessionAccess {
  return {
    ...storeReads(app, () => driven.sessionId),
    answerApproval: async (approval, answer) => {
      const by = app.git.identity.name
      const isTaken = await driven.inbox?.put({
        attemptId: approval.attempt_id,
        round: approval.round,
        eventFor: (attempt) => approvalEvent(attempt, answer, by),
      })
      if (isTaken) return describeAnswer(approval, answer)
      if (driven.inbox)
        throw new Fault('not_found', `${approval.issue_code} does not wait for this answer any more`)
      await answerAtRest(app, approval, answer)
      // A settled dispute leaves nothing for the session to go on with.
      if (approval.gate !== 'dispute') driven.decide('go on')
      return describeAnswer(approval, answer)
    },
    answerQuestion: async ({ id }, answer) => {
      await answerQuestions(app, new Map([[id, answer]]))
      const left = driven.sessionId === null ? 0 : (await questionsOf(app, driven.sessionId)).length
      if (left > 0) return `answered; ${left} more`
      driven.decide('go on')
      return 'all is answered'
    },
    cancel: async () => {
      if (driven.sessionId === null) throw new Fault('not_found', 'there is no session yet')
      if (driven.inbox) await app.store.sessions.requestCancel(SessionId.parse(driven.sessionId))
      else await cancelAnywhere(app, driven.sessionId)
      driven.decide('go on')
      return 'cancelling'
    },
  }
}
