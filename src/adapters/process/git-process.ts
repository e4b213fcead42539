import { fork, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Fault } from '../../model/fault.ts'
import { executeGitPipe, executeGit, type GitChildCall, type GitEnd } from './git-child.ts'
import type { HostAnswer, HostRequest } from './git-host.ts'

/** One git command, with its whole environment; nothing is inherited. */
export interface GitCall extends GitChildCall {
  /** More output than `maxBytes` ends the command: as a fault, or cut when `overflow` says so. */
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

/** Runs git with exact bytes in and out; every way it can go wrong is a `Fault`. */
export async function runGit(call: GitCall): Promise<GitResult> {
  const { overflow: _overflow, answers: _answers, ...childCall } = call
  return judge(call, await hostedGit(childCall))
}

/** Runs two git commands, the output of the first being the input of the second. */
export async function pipeGit(from: GitCall, to: GitCall): Promise<void> {
  const [source, sink] = await executeGitPipe(from, to)
  judge(from, source)
  judge(to, sink)
}

function judge(call: GitCall, end: GitEnd): GitResult {
  const { exitCode, stderr, isOver, isLate, startError } = end
  if (startError !== null)
    throw new Fault('git_failed', `git could not be started in ${call.cwd}: ${startError}`)
  const stdout = Buffer.from(end.stdout.buffer, end.stdout.byteOffset, end.stdout.byteLength)
  if (isOver && call.overflow === 'cut') return { exitCode: 0, stdout, stderr, isCut: true }
  if (isOver) throw failure(call, 'wrote more output than is allowed', end)
  if (isLate) throw failure(call, 'did not end in time', end)
  if (exitCode === 0 || (exitCode !== null && call.answers?.includes(exitCode)))
    return { exitCode, stdout, stderr, isCut: false }
  throw failure(call, exitCode === null ? 'was killed' : `ended with ${exitCode}`, end)
}

function failure(call: GitCall, what: string, { exitCode, stderr }: GitEnd): Fault {
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

/** A command that makes only a few git calls is done before a host would have started. */
const CALLS_BEFORE_HOST = 30

interface Host {
  readonly child: ChildProcess
  readonly waiting: Map<number, (end: GitEnd) => void>
}

let calls = 0
let host: Host | null = null

/** Runs git, in the host once there is enough to do for one. */
function hostedGit(call: GitChildCall): Promise<GitEnd> {
  calls += 1
  if (calls <= CALLS_BEFORE_HOST) return executeGit(call)
  host ??= startHost()
  return host ? askHost(host, call) : executeGit(call)
}

function startHost(): Host | null {
  const entry = hostEntry()
  if (entry === null) return null
  const child = fork(entry, [], {
    env: {},
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const started: Host = { child, waiting: new Map() }
  child.on('message', ({ id, end }: HostAnswer) => answerCall(started, id, end))
  const fail = (): void => {
    if (host === started) host = null
    for (const id of started.waiting.keys()) answerCall(started, id, lostEnd)
  }
  child.once('error', fail)
  child.once('exit', fail)
  rest(started)
  return started
}

/** The sources and the build keep it at different places. */
function hostEntry(): string | null {
  const places = ['./git-host.ts', '../adapters/process/git-host.js', './adapters/process/git-host.js']
  return (
    places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path)) ??
    null
  )
}

function askHost(asked: Host, call: GitChildCall): Promise<GitEnd> {
  const id = calls
  return new Promise((resolve) => {
    asked.waiting.set(id, resolve)
    asked.child.ref()
    asked.child.channel?.ref()
    asked.child.send({ id, call } satisfies HostRequest, (error) => {
      if (error) answerCall(asked, id, lostEnd)
    })
  })
}

function answerCall(from: Host, id: number, end: GitEnd): void {
  from.waiting.get(id)?.(end)
  from.waiting.delete(id)
  if (from.waiting.size === 0) rest(from)
}

/** A host with nothing to do must not keep this process alive. */
function rest({ child }: Host): void {
  child.unref()
  child.channel?.unref()
}

/** Whether the command was carried out is not known, so it counts as failed. */
const lostEnd: GitEnd = {
  exitCode: null,
  stdout: new Uint8Array(),
  stderr: 'the process that ran git for Fixpoint ended',
  isLate: false,
  isOver: false,
  startError: null,
}
