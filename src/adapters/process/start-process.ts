import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import type { BoundedText } from './bounded-text.ts'
import type { OutputLine } from './line-splitter.ts'
import type { EnclosedStart, Walls } from '../../loop/ports.ts'
import { RUN_VARIABLE } from './process-table.ts'
import { within } from './within.ts'

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
  /** Where it is not known yet, the program waits for it. */
  readonly stdin?: string | Uint8Array | Promise<string>
  readonly timeoutMs: number
  /** Time between SIGINT and SIGKILL. */
  readonly graceMs?: number
  readonly signal?: AbortSignal
  /** Kept of each stream: half of it from the beginning, half from the end. */
  readonly maxOutputBytes?: number
  /** Both streams together; a process that writes more is killed and ends as `flooded`. */
  readonly killAboveBytes?: number
  readonly onStdout?: (chunk: Uint8Array) => void
  readonly onStderr?: (chunk: Uint8Array) => void
  /** Called for each line of stdout, the last one also when it has no line end. */
  readonly onLine?: (line: OutputLine) => void
  /** From `createRunMark`, unique to this run. */
  readonly mark?: string
  /** What it is started behind; null for our own helpers, and where there is no jail. */
  readonly walls: Walls | null
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

export interface Running {
  readonly child: ChildProcess
  readonly pid: number
  readonly enclosed: Enclosure | null
}

/** What is known of the walls around a running program. */
export interface Enclosure extends Pick<EnclosedStart, 'measured' | 'release'> {
  /** Whether the program itself was started; to be asked when it is over. */
  hasRun(): Promise<boolean>
}

/** Starts the program in a session of its own, marked; says in words why it could not. */
export async function startProcess(
  request: ProcessRequest,
  mark: string,
): Promise<Running | { readonly error: string }> {
  const args = request.args ?? []
  const [program, argv] = request.shell
    ? (['/bin/sh', ['-c', request.command, 'sh', ...args]] as const)
    : ([request.command, args] as const)
  // A run inside a run keeps the outer mark, so that the outer one still finds everything.
  const marks = [process.env[RUN_VARIABLE], mark].filter(Boolean).join(',')
  const plain = { program, args: argv, cwd: request.cwd, env: { ...request.env, [RUN_VARIABLE]: marks } }
  let enclosed: EnclosedStart | null = null
  try {
    enclosed = request.walls === null ? null : await request.walls.enclose(plain)
    const start = enclosed ?? plain
    const child = spawn(start.program, start.args, {
      cwd: start.cwd,
      env: start.env,
      detached: true,
      stdio: [request.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...statusPipe(enclosed)],
    })
    sendFilter(child, enclosed)
    if (child.pid !== undefined) return { child, pid: child.pid, enclosed: enclosureOf(child, enclosed) }
    const [error] = (await once(child, 'error', { signal: AbortSignal.timeout(1000) })) as unknown[]
    await enclosed?.release()
    return { error: describeSpawnError(error, request) }
  } catch (error) {
    await enclosed?.release()
    return { error: describeSpawnError(error, request) }
  }
}

const statusPipe = (enclosed: EnclosedStart | null): readonly 'pipe'[] =>
  enclosed === null ? [] : enclosed.filter === undefined ? ['pipe'] : ['pipe', 'pipe']

function sendFilter(child: ChildProcess, enclosed: EnclosedStart | null): void {
  if (enclosed?.filter === undefined) return
  const pipe = child.stdio[4] as Writable | undefined
  pipe?.on('error', () => pipe.destroy()) // whoever should read it has ended; the status tells that
  pipe?.end(enclosed.filter)
}

const MOST_STATUS = 4096
const STATUS_MS = 1000

function enclosureOf(child: ChildProcess, enclosed: EnclosedStart | null): Enclosure | null {
  if (enclosed === null) return null
  let status = ''
  const pipe = child.stdio[3] as Readable
  const closed = new Promise<void>((resolve) => pipe.once('close', () => resolve()))
  pipe.on('data', (chunk: Buffer) => {
    if (status.length < MOST_STATUS) status += chunk.toString('latin1')
  })
  pipe.on('error', () => pipe.destroy()) // a broken pipe is an early end of the stream
  const { measured, release } = enclosed
  return {
    ...(measured && { measured }),
    release,
    async hasRun() {
      await within(closed, STATUS_MS)
      return status.includes('"exit-code"')
    },
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

/** Starts a program that goes on by itself, such as a browser; false when there is no such program. */
export function startDetached(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { detached: true, stdio: 'ignore', env: { ...env } })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
