import type { AttemptAt, AttemptEvent } from '../../model/attempt/attempt.ts'
import type { AttemptId } from '../../model/id.ts'
import { stepOf, type Recorder } from '../context/recorder.ts'

/** What a person decided about one held patch of a session that is running. */
export interface InboxAnswer {
  readonly attemptId: AttemptId
  /** The round that was asked about: an answer to an older question is not taken. */
  readonly round: number
  readonly eventFor: (attempt: AttemptAt<'held'>) => AttemptEvent
  /** Called as soon as the answer is recorded. */
  readonly onTaken: () => void
  /** Called instead when nothing waits for the answer any more. */
  readonly onTooLate: () => void
}

export interface Inbox {
  take(): readonly InboxAnswer[]
  /** Resolves as soon as something can be taken. */
  arrived(): Promise<void>
}

/** Lets held attempts go on as a person decided; the others go on meanwhile. */
export async function takeAnswers(inbox: Inbox, recorder: Recorder): Promise<void> {
  for (const { attemptId, round, eventFor, onTaken, onTooLate } of inbox.take()) {
    const attempt = recorder.attempts().find(({ id }) => id === attemptId)
    if (attempt?.stage !== 'held' || attempt.round !== round) {
      onTooLate()
      continue
    }
    const event = eventFor(attempt)
    await recorder.recordStep(stepOf(attempt, event))
    onTaken()
  }
}
