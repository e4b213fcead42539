import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { Fault } from '../../model/fault.ts'
import type { GitChildCall } from './git-child.ts'

interface GitObject {
  readonly type: string
  readonly bytes: Buffer
}

/** Reads objects by name; null for one that is not there. */
type GitReader = (oid: string, maxBytes: number) => Promise<GitObject | null>

interface Question {
  readonly oid: string
  readonly maxBytes: number
  readonly answer: (object: GitObject | null) => void
  readonly fail: (fault: Fault) => void
}

interface Reading {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  readonly questions: Question[]
  /** What was read and not yet answered, and how much of it the next answer needs. */
  chunks: Buffer[]
  size: number
  needed: number
  timer: NodeJS.Timeout | undefined
}

const TIMEOUT_MS = 10 * 60_000
const LINE_END = 0x0a

/** One `git cat-file --batch` that keeps running: it answers many times faster than a new process would. */
export function createGitReader(call: Pick<GitChildCall, 'program' | 'args' | 'cwd' | 'env'>): GitReader {
  let reading: Reading | null = null
  const start = (): Reading => {
    const child = spawn(call.program, [...call.args], {
      cwd: call.cwd,
      env: call.env,
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    })
    const started: Reading = { child, questions: [], chunks: [], size: 0, needed: 1, timer: undefined }
    const end = (): void => {
      if (reading === started) reading = null
      clearTimeout(started.timer)
      for (const { oid, fail } of started.questions.splice(0))
        fail(new Fault('git_failed', `git cat-file ended before it gave ${oid}`))
    }
    child.stdin.on('error', end)
    child.once('error', end)
    child.once('close', end)
    child.stdout.on('data', (chunk: Buffer) => {
      started.chunks.push(chunk)
      started.size += chunk.length
      if (started.size >= started.needed) answerAll(started)
    })
    return started
  }
  return (oid, maxBytes) =>
    new Promise((answer, fail) => {
      reading ??= start()
      reading.questions.push({ oid, maxBytes, answer, fail })
      if (reading.questions.length === 1) expect(reading)
      reading.child.stdin.write(`${oid}\n`)
    })
}

/** While an answer is due, git keeps this process alive and has a time limit; otherwise neither. */
function expect(reading: Reading): void {
  const { child, questions } = reading
  const pipes = [child.stdin, child.stdout] as unknown as readonly Socket[]
  clearTimeout(reading.timer)
  if (questions.length === 0) {
    for (const handle of [child, ...pipes]) handle.unref()
    return
  }
  for (const handle of [child, ...pipes]) handle.ref()
  reading.timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
}

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
    expect(reading)
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

/** `<oid> <type> <size>`, a line end, the bytes and a line end; or `<oid> missing`. */
function parseAnswer(bytes: Buffer, at: number): Answer {
  const lineEnd = bytes.indexOf(LINE_END, at)
  if (lineEnd === -1) return { end: bytes.length + 1, size: null, object: null }
  const [, type = '', size] = bytes.toString('latin1', at, lineEnd).split(' ')
  if (size === undefined) return { end: lineEnd + 1, size: null, object: null }
  const start = lineEnd + 1
  const end = start + Number(size)
  return { end: end + 1, size: Number(size), object: { type, bytes: bytes.subarray(start, end) } }
}

/**
 * An object that is too large is not read at all; the questions after it fail with it, since nobody asks them again.
 */
function refuse(reading: Reading, { oid, maxBytes, fail }: Question): void {
  reading.questions.shift()
  fail(new Fault('git_failed', `the object ${oid} is larger than ${maxBytes} bytes`))
  reading.chunks = []
  reading.needed = Number.POSITIVE_INFINITY
  reading.child.kill('SIGKILL')
}
