import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import type { BoundedText } from './bounded-text.ts'
import type { OutputLine } from './line-splitter.ts'
import { RUN_VARIABLE } from './process-table.ts'

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

type Started = { readonly child: ChildProcess; readonly pid: number } | { readonly error: string }

/** Starts the program in a session of its own, marked; says in words why it could not. */
export async function startProcess(request: ProcessRequest, mark: string): Promise<Started> {
  const args = request.args ?? []
  const [program, argv] = request.shell
    ? (['/bin/sh', ['-c', request.command, 'sh', ...args]] as const)
    : ([request.command, args] as const)
  // A run inside a run keeps the outer mark, so that the outer one still finds everything.
  const marks = [process.env[RUN_VARIABLE], mark].filter(Boolean).join(',')
  try {
    const child = spawn(program, argv, {
      cwd: request.cwd,
      env: { ...request.env, [RUN_VARIABLE]: marks },
      detached: true,
      stdio: [request.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    if (child.pid !== undefined) return { child, pid: child.pid }
    const [error] = (await once(child, 'error', { signal: AbortSignal.timeout(1000) })) as unknown[]
    return { error: describeSpawnError(error, request) }
  } catch (error) {
    return { error: describeSpawnError(error, request) }
  }
}

function describeSpawnError(error: unknown, request: ProcessRequest): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (!isDirectory(request.cwd)) return `working directory does not exist: ${request.cwd}`
  if (code === 'ENOENT') return `command not found: ${request.command}`
  if (code === 'EACCES') return `command is not executable: ${request.command}`
  return `command could not be started: ${message}`
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
