import type { BoundedText } from './bounded-text.ts'
import type { OutputLine } from './line-splitter.ts'

/** One program to run to its end. */
export interface ProcessRequest {
  /** A program, or with `shell` a command line written by the user in the configuration. */
  readonly command: string
  /** Passed as they are, never through a shell; with `shell` they are its `$1`, `$2`, … */
  readonly args?: readonly string[]
  readonly shell?: boolean
  readonly cwd: string
  /** The whole environment: nothing is inherited but the run mark. */
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
  readonly timeoutMs: number
  /** Time between SIGINT and SIGKILL. */
  readonly graceMs?: number
  readonly signal?: AbortSignal
  /** Kept of each stream: half of it from the beginning, half from the end. */
  readonly maxOutputBytes?: number
  /** Both streams together; a process that writes more is killed and ends as `flooded`. */
  readonly killAboveBytes?: number
  readonly onStdout?: (chunk: Uint8Array) => void
  /** Called for each line of stdout, the last one also when it has no line end. */
  readonly onLine?: (line: OutputLine) => void
  /** From `createRunMark`, unique to this run. */
  readonly mark?: string
}

export type ProcessEnding = 'exited' | 'signalled' | 'timed_out' | 'cancelled' | 'not_started' | 'flooded'

/** How a process ended; the same shape for success and failure. */
export interface ProcessResult {
  readonly ended: ProcessEnding
  /** Also set for a process that was stopped and then exited by itself within the grace. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: BoundedText
  readonly stderr: BoundedText
  readonly durationMs: number
  /** Why it did not start, or what could not be killed. */
  readonly error?: string
}
