import type { FixEvent } from '../../model/session/event.ts'
import type { SessionAccess } from '../../tui/session-access.ts'

export interface FollowOptions {
  readonly signal: AbortSignal
  readonly onEvent: (event: FixEvent) => void
  /** Gets what is wrong while no events come in; null when they do again. */
  readonly onTrouble: (trouble: string | null) => void
}

export interface WatchedEnd {
  readonly result: Readonly<Record<string, unknown>>
  readonly exitCode: number
  /** For people, once the screen is closed. */
  readonly text: string
  /** Whether a process still drives it. */
  readonly isDriven: boolean
}

/** A session that somebody looks at, wherever it is. */
export interface Watched {
  readonly id: string
  readonly access: SessionAccess
  /** Every durable event from the first one, in order, until the last one or until the signal. */
  follow(options: FollowOptions): Promise<void>
  /** What it has come to by now. */
  readEnd(): Promise<WatchedEnd>
}
