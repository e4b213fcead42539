import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { Fault } from '../../model/fault.ts'

/** One git command, with its whole environment; nothing is inherited. */
export interface GitCall {
  /** Absolute path of the git program. */
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string | Uint8Array
  readonly timeoutMs?: number
  /** More output than this ends the command: as a fault, or cut when `overflow` says so. */
  readonly maxBytes?: number
  readonly overflow?: 'fail' | 'cut'
  /** Exit codes that are answers rather than failures; 0 always is. */
  readonly answers?: readonly number[]
}

export interface GitResult {
  readonly exitCode: number
  readonly stdout: Buffer
  readonly stderr: string
  /** True when the output was cut at `maxBytes`. */
  readonly isCut: boolean
}

type GitChild = ChildProcessByStdio<Writable, Readable, Readable>

const DEFAULT_TIMEOUT_MS = 10 * 60_000
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024
const STDERR_BYTES = 8 * 1024

/** Runs git with exact bytes in and out; every way it can go wrong is a `Fault`. */
export async function runGit(call: GitCall): Promise<GitResult> {
  const child = startGit(call)
  child.stdin.end(call.stdin ?? '')
  return settle(
    call,
    child,
    collect(child.stdout, call, () => child.kill('SIGKILL')),
  )
}

/** Runs two git commands, the output of the first being the input of the second. */
export async function pipeGit(from: GitCall, to: GitCall): Promise<void> {
  const source = startGit(from)
  const sink = startGit(to)
  source.stdin.end(from.stdin ?? '')
  source.stdout.pipe(sink.stdin)
  // A reader that ends early must not leave its writer blocked on a full pipe.
  sink.once('close', () => source.stdout.resume())
  const nothing = { bytes: () => Buffer.alloc(0), isOver: () => false }
  const ends = [
    settle(from, source, nothing),
    settle(
      to,
      sink,
      collect(sink.stdout, to, () => sink.kill('SIGKILL')),
    ),
  ]
  for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') throw end.reason
}

function startGit(call: GitCall): GitChild {
  const child = spawn(call.program, [...call.args], {
    cwd: call.cwd,
    env: call.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  })
  // git may end before it has read everything (EPIPE); its exit code then says why.
  child.stdin.on('error', () => undefined)
  return child
}

interface Collected {
  bytes(): Buffer
  isOver(): boolean
}

function collect(stream: Readable, call: GitCall, stop: () => void): Collected {
  const maxBytes = call.maxBytes ?? DEFAULT_MAX_BYTES
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

async function settle(call: GitCall, child: GitChild, output: Collected): Promise<GitResult> {
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
  try {
    const exitCode = await exitOf(call, child)
    const isOver = output.isOver()
    if (isOver && call.overflow === 'cut') return { exitCode: 0, stdout: output.bytes(), stderr, isCut: true }
    if (isOver) throw failure(call, 'wrote more output than is allowed', exitCode, stderr)
    if (isLate) throw failure(call, 'did not end in time', exitCode, stderr)
    if (exitCode === 0 || (exitCode !== null && call.answers?.includes(exitCode))) {
      return { exitCode, stdout: output.bytes(), stderr, isCut: false }
    }
    throw failure(call, exitCode === null ? 'was killed' : `ended with ${exitCode}`, exitCode, stderr)
  } finally {
    clearTimeout(timer)
  }
}

const exitOf = (call: GitCall, child: GitChild): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', (cause) =>
      reject(new Fault('git_failed', `git could not be started in ${call.cwd}: ${cause.message}`, { cause })),
    )
    child.once('close', (code) => resolve(code))
  })

function failure(call: GitCall, what: string, exitCode: number | null, stderr: string): Fault {
  const command = describe(call.args)
  const details = { command, exit_code: exitCode, stderr }
  const because = stderr.trim() === '' ? '' : `: ${stderr.trim()}`
  if (/No space left on device|Disk quota exceeded/i.test(stderr)) {
    return new Fault('disk_full', `${command} found the disk full`, {
      hint: 'free some space, then resume',
      details,
    })
  }
  if (/Unable to create '.*\.lock': File exists|another git process seems/is.test(stderr)) {
    const hint =
      'another git process holds the lock, or died with it; Fixpoint never deletes a lock of others'
    return new Fault('busy', `${command} ${what}${because}`, { hint, details })
  }
  return new Fault('git_failed', `${command} ${what}${because}`, { details })
}

/** The command without its `-c` settings, which are the same for all. */
function describe(args: readonly string[]): string {
  const start = args.findIndex((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-c')
  return `git ${args.slice(Math.max(start, 0)).join(' ')}`.slice(0, 300)
}
