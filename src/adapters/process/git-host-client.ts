import { fork, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { executeGit, type GitChildCall, type GitEnd } from './git-child.ts'
import type { HostAnswer, HostRequest } from './git-host.ts'

/** A command that makes only a few git calls is done before a host would have started. */
const CALLS_BEFORE_HOST = 30

interface Host {
  readonly child: ChildProcess
  readonly waiting: Map<number, (end: GitEnd) => void>
}

let calls = 0
let host: Host | null = null

/** Runs git, in the host once there is enough to do for one. */
export function hostedGit(call: GitChildCall): Promise<GitEnd> {
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
  child.on('message', ({ id, end }: HostAnswer) => settle(started, id, end))
  const fail = (): void => {
    if (host === started) host = null
    for (const id of started.waiting.keys()) settle(started, id, lostEnd)
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
      if (error) settle(asked, id, lostEnd)
    })
  })
}

function settle(from: Host, id: number, end: GitEnd): void {
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
