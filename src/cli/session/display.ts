import type { FixOutcome } from '../../app/fix/stored-session.ts'
import type { SessionSignals } from '../../loop/session/run-session.ts'
import type { Interrupts } from '../command/interrupts.ts'

/** How a person sees a session that this process drives. */
export interface SessionDisplay {
  /** Tells the person something, wherever they are looking. */
  say(text: string): void
  /** Shows what happens from now on. */
  begin(interrupts: Interrupts): Promise<ShownWork>
  /** Asks the person what the session waits for. False when it cannot go on after that. */
  ask(outcome: FixOutcome, interrupts: Interrupts): Promise<boolean>
  close(): Promise<void>
}

/** Work that is in sight until it ends. */
export interface ShownWork {
  /** What the person wants of the work, by keys or by answers. */
  readonly signals: SessionSignals
  end(): Promise<void>
}
