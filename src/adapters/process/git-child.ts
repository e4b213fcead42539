import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

/** What to start and how much of its answer to keep. Plain data: it may be handed to another process. */
export interface GitChildCall {
  /** Absolute path of the git program. */
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
  readonly timeoutMs?: number
  readonly maxBytes?: number
}

/** How it ended; nothing is judged yet. */
export interface GitEnd {
  readonly exitCode: number | null
  readonly stdout: Uint8Array
  readonly stderr: string
  readonly isLate: boolean
  readonly isOver: boolean
  readonly startError: string | null
}

type GitChild = ChildProcessByStdio<Writable, Readable, Readable>

const DEFAULT_TIMEOUT_MS = 10 * 60_000
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024
const STDERR_BYTES = 8 * 1024

/** Runs git in a child of this process. */
export function executeGit(call: GitChildCall): Promise<GitEnd> {
  const child = startGit(call)
  child.stdin.end(call.stdin ?? '')
  const output = collect(child.stdout, call.maxBytes ?? DEFAULT_MAX_BYTES, () => child.kill('SIGKILL'))
  return endOf(call, child, output)
}

/** Runs two git commands, the output of the first being the input of the second. */
export function executeGitPipe(from: GitChildCall, to: GitChildCall): Promise<readonly [GitEnd, GitEnd]> {
  const source = startGit(from)
  const sink = startGit(to)
  source.stdin.end(from.stdin ?? '')
  source.stdout.pipe(sink.stdin)
  // A reader that ends early must not leave its writer blocked on a full pipe; letting go of the reader pauses it.
  sink.stdin.once('unpipe', () => source.stdout.resume())
  const nothing: Collected = { bytes: () => Buffer.alloc(0), isOver: () => false }
  const output = collect(sink.stdout, to.maxBytes ?? DEFAULT_MAX_BYTES, () => sink.kill('SIGKILL'))
  return Promise.all([endOf(from, source, nothing), endOf(to, sink, output)])
}

function startGit(call: GitChildCall): GitChild {
  const child = spawn(call.program, [...call.args], {
    cwd: call.cwd,
    env: call.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  })
  // Without room for its pipes a child has none, whatever its type says.
  if ((child.stdin as unknown) === undefined) {
    child.on('error', () => undefined)
    throw Object.assign(new Error('git cannot be started: too many files are open'), { code: 'EMFILE' })
  }
  // git may end before it has read everything (EPIPE); its exit code then says why.
  child.stdin.on('error', () => undefined)
  return child
}

interface Collected {
  bytes(): Buffer
  isOver(): boolean
}

function collect(stream: Readable, maxBytes: number, stop: () => void): Collected {
  const chunks: Buffer[] = []
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    if (size > maxBytes) return
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) stop()
  })
  return {
    bytes: () => Buffer.concat(chunks).subarray(0, maxBytes),
    isOver: () => size > maxBytes,
  }
}

async function endOf(call: GitChildCall, child: GitChild, output: Collected): Promise<GitEnd> {
  let stderr = ''
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_BYTES)
  })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, call.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  const ended = await new Promise<{ exitCode: number | null; startError: string | null }>((resolve) => {
    child.once('error', (cause) => resolve({ exitCode: null, startError: cause.message }))
    child.once('close', (exitCode) => resolve({ exitCode, startError: null }))
  })
  clearTimeout(timer)
  return { ...ended, stdout: output.bytes(), stderr, isLate, isOver: output.isOver() }
}
