import type { Inbox, InboxAnswer } from '../../loop/session/inbox.ts'

export interface AnswerQueue extends Inbox {
  /** True once the answer is recorded; false when nothing waits for it, or the session rests before it is taken. */
  put(answer: Omit<InboxAnswer, 'onTaken'>): Promise<boolean>
  /** Gives back what nobody took. */
  close(): void
}

export function createAnswerQueue(): AnswerQueue {
  let waiting: InboxAnswer[] = []
  let isClosed = false
  let arrival = Promise.withResolvers<void>()
  return {
    put: (answer) =>
      new Promise((onTaken) => {
        if (isClosed) return onTaken(false)
        waiting.push({ ...answer, onTaken })
        arrival.resolve()
      }),
    take() {
      const taken = waiting
      waiting = []
      arrival = Promise.withResolvers<void>()
      return taken
    },
    arrived: () => arrival.promise,
    close() {
      isClosed = true
      for (const { onTaken } of waiting) onTaken(false)
      waiting = []
    },
  }
}
