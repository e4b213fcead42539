import type { Inbox, InboxAnswer } from '../../loop/session/inbox.ts'

export interface AnswerQueue extends Inbox {
  /** True once the answer is recorded; false when nothing waits for it, or the session rests before it is taken. */
  put(answer: Omit<InboxAnswer, 'onTaken' | 'onTooLate'>): Promise<boolean>
  /** Returns the answers that nobody took. */
  close(): void
}

export function createAnswerQueue(): AnswerQueue {
  let waiting: InboxAnswer[] = []
  let isClosed = false
  let arrival = Promise.withResolvers<void>()
  return {
    put: (answer) =>
      new Promise((resolve) => {
        if (isClosed) return resolve(false)
        waiting.push({ ...answer, onTaken: () => resolve(true), onTooLate: () => resolve(false) })
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
      for (const { onTooLate } of waiting) onTooLate()
      waiting = []
    },
  }
}
