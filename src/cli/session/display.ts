import type { FixOutcome } from '../../app/fix/stored-session.ts'
import type { SessionSignals } from '../../loop/session/run-session.ts'
import type { Interrupts } from '../interrupts.ts'

export type Work = (signals: SessionSignals) => Promise<FixOutcome>

/** How a person sees a session that this process drives. */
export interface Eyes {
  /** Tells the person something, wherever they are looking. */
  say(text: string): void
  /** Does the work with what happens in it in sight. */
  follow(work: Work, interrupts: Interrupts): Promise<FixOutcome>
  /** Puts what waits before the person. False when it cannot go on by that. */
  ask(outcome: FixOutcome, interrupts: Interrupts): Promise<boolean>
  close(): Promise<void>
}
