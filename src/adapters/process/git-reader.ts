import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { Fault } from '../../model/fault.ts'
import type { GitChildCall } from './git-child.ts'

interface GitObject {
  readonly oid: string
  readonly type: string
  readonly bytes: Buffer
}

/** Reads objects by any name that git knows and that has no line end; null for one that is not there. */
export type GitReader = (name: string, maxBytes: number) => Promise<GitObject | null>

interface Question {
  readonly name: string
  readonly maxBytes: number
  readonly answer: (object: GitObject | null) => void
  readonly fail: (fault: Fault) => void
}

interface Reading {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  readonly questions: Question[]
  /** The names that were asked for in this turn and not yet written: a write for each would take longer than its answer. */
  unwritten: string
  /** What was read and not yet answered, and how much of it the next answer needs. */
  chunks: Buffer[]
  size: number
  needed: number
  timer: NodeJS.Timeout | undefined
}

const readingOf = (child: Reading['child']): Reading => ({
  child,
  questions: [],
  unwritten: '',
  chunks: [],
  size: 0,
  needed: 1,
  timer: undefined,
})

const TIMEOUT_MS = 10 * 60_000
/** A process that opens many repositories is not to keep a git for each of them. */
const IDLE_MS = 30_000
const LINE_END = 0x0a

/** One `git cat-file --batch` that runs on while it is asked: it answers many times faster than a new process would. */
export function createGitReader(
  call: Pick<GitChildCall, 'program' | 'args' | 'cwd' | 'env'>,
  { idleMs = IDLE_MS }: { readonly idleMs?: number } = {},
): GitReader {
  let reading: Reading | null = null
  const start = (): Reading => {
    const child = spawn(call.program, [...call.args], {
      cwd: call.cwd,
      env: call.env,
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    })
    const started = readingOf(child)
    const end = (): void => {
      if (reading === started) reading = null
      clearTimeout(started.timer)
      for (const { name, fail } of started.questions.splice(0))
        fail(new Fault('git_failed', `git cat-file ended before it gave ${name}`))
    }
    child.stdin.on('error', end)
    child.once('error', end)
    child.once('close', end)
    child.stdout.on('data', (chunk: Buffer) => {
      started.chunks.push(chunk)
      started.size += chunk.length
      if (started.size < started.needed) return
      answerAll(started)
      if (started.questions.length === 0) rest(started)
      else expect(started)
    })
    return started
  }
  const rest = (rested: Reading): void => {
    clearTimeout(rested.timer)
    for (const handle of handlesOf(rested)) handle.unref()
    rested.timer = setTimeout(() => {
      if (reading === rested) reading = null
      rested.child.stdin.end()
    }, idleMs).unref()
  }
  return (name, maxBytes) =>
    new Promise((answer, fail) => {
      reading ??= start()
      reading.questions.push({ name, maxBytes, answer, fail })
      if (reading.questions.length === 1) expect(reading)
      writeSoon(reading, name)
    })
}

function writeSoon(reading: Reading, name: string): void {
  if (reading.unwritten === '')
    process.nextTick(() => {
      reading.child.stdin.write(reading.unwritten)
      reading.unwritten = ''
    })
  reading.unwritten += `${name}\n`
}

/** While an answer is due, git keeps this process alive and has a time limit. */
function expect(reading: Reading): void {
  clearTimeout(reading.timer)
  for (const handle of handlesOf(reading)) handle.ref()
  reading.timer = setTimeout(() => reading.child.kill('SIGKILL'), TIMEOUT_MS)
}

const handlesOf = ({ child }: Reading): readonly (ChildProcess | Socket)[] => [
  child,
  ...([child.stdin, child.stdout] as unknown as readonly Socket[]),
]

function answerAll(reading: Reading): void {
  const joined = Buffer.concat(reading.chunks)
  let at = 0
  for (;;) {
    const next = parseAnswer(joined, at)
    const [question] = reading.questions
    if (question && next.size !== null && next.size > question.maxBytes) return refuse(reading, question)
    if (!question || next.end > joined.length) {
      reading.needed = next.end - at
      break
    }
    reading.questions.shift()
    question.answer(next.object)
    at = next.end
  }
  reading.chunks = at === joined.length ? [] : [joined.subarray(at)]
  reading.size = joined.length - at
}

interface Answer {
  /** Where the next answer begins; beyond what was read while this one is incomplete. */
  readonly end: number
  readonly size: number | null
  readonly object: GitObject | null
}

/** `<oid> <type> <size>`, a line end, the bytes and a line end; or the name, which may hold spaces, and `missing`. */
function parseAnswer(bytes: Buffer, at: number): Answer {
  const lineEnd = bytes.indexOf(LINE_END, at)
  if (lineEnd === -1) return { end: bytes.length + 1, size: null, object: null }
  const header = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(bytes.toString('latin1', at, lineEnd))
  if (header === null) return { end: lineEnd + 1, size: null, object: null }
  const [, oid = '', type = '', size] = header
  const start = lineEnd + 1
  const end = start + Number(size)
  return { end: end + 1, size: Number(size), object: { oid, type, bytes: bytes.subarray(start, end) } }
}

/**
 * An object that is too large is not read at all; the questions after it fail with it, since nobody asks them again.
 */
function refuse(reading: Reading, { name, maxBytes, fail }: Question): void {
  reading.questions.shift()
  fail(new Fault('git_failed', `the object ${name} is larger than ${maxBytes} bytes`))
  reading.chunks = []
  reading.needed = Number.POSITIVE_INFINITY
  reading.child.kill('SIGKILL')
}
