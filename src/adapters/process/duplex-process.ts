import type { ChildProcess } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import { createBoundedText, EMPTY_TEXT, type BoundedText } from './bounded-text.ts'
import { findRunProcesses, killRun, removeLiveRun, signalGroup, type RunProcesses } from './kill-run.ts'
import { createLineSplitter } from './line-splitter.ts'
import { createRunMark } from './run-mark.ts'
import { abandon, endingOf, isTooMuch, problemOfRun, REAP_MS, watchRun, type Exit } from './run-process.ts'
import { startProcess, type ProcessEnding, type ProcessRequest } from './start-process.ts'
import { within } from './within.ts'

/** One program to talk with; it is ended when the talk is over. */
export interface DuplexRequest extends Omit<ProcessRequest, 'stdin' | 'onStdout' | 'onLine'> {
  /** Called for each line of stderr. */
  readonly onErrorLine?: (line: string) => void
}

export interface Duplex {
  readonly input: WritableStream<Uint8Array>
  readonly output: ReadableStream<Uint8Array>
  /** Aborts when the time is over or the run is cancelled: the talk then has the grace to come to an end. */
  readonly stopped: AbortSignal
  /** The end of the program, which also ends the streams. */
  readonly exited: Promise<unknown>
}

/** How a talk ended; the same shape for success and failure. */
export interface DuplexResult<T> {
  /** `talked` when the talk came to its end before anything else did. */
  readonly ended: ProcessEnding | 'talked'
  /** What the talk gave, also after a stop; null when it was not over within the grace. */
  readonly answer: T | null
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stderr: BoundedText
  readonly durationMs: number
  readonly error?: string
}

const DEFAULT_GRACE_MS = 2000
/** An agent that is told that nobody talks to it any more has this long to end by itself. */
const FAREWELL_MS = 500
const STDERR_BYTES = 64 * 1024
const ERROR_LINE_BYTES = 4096

/** Starts a program, lets `talk` talk with it over its stdin and stdout, and leaves nothing of it behind. `talk` must not reject. */
export async function runDuplex<T>(
  request: DuplexRequest,
  talk: (duplex: Duplex) => Promise<T>,
): Promise<DuplexResult<T>> {
  const startedAt = performance.now()
  const unstarted = (ended: ProcessEnding, error?: string): DuplexResult<T> => ({
    ended,
    answer: null,
    exitCode: null,
    signal: null,
    stderr: EMPTY_TEXT,
    durationMs: performance.now() - startedAt,
    ...(error === undefined ? {} : { error }),
  })
  if (request.signal?.aborted) return unstarted('cancelled')
  const mark = request.mark ?? createRunMark()
  const started = await startProcess({ ...request, stdin: '' }, mark)
  if ('error' in started) return unstarted('not_started', started.error)

  const { enclosed } = started
  const { run, exited, requested, stop, watch } = watchRun(request, started, mark)
  const stopped = new AbortController()
  const streams = openStreams(started.child, request, () => stop('flooded'))
  const talking = talk({ ...streams, stopped: stopped.signal, exited })
  const talked = talking.then(() => 'talked' as const)

  const first = await Promise.race([talked, requested, exited])
  watch.end()
  stopped.abort()
  const graceMs = isTooMuch(first) ? 0 : (request.graceMs ?? DEFAULT_GRACE_MS)
  const answer = (await within(talking, graceMs)) ?? null
  if (!isTooMuch(first)) await sayFarewell(started.child, run, exited)
  const survivors = await killRun(run)
  const exit = await within(exited, REAP_MS)
  abandon(started.child)
  removeLiveRun(run)
  await enclosed?.release()
  const ended = first === 'talked' ? first : await endingOf(first, enclosed)
  const stderr = streams.stderr()
  const problem = problemOfRun(ended, { survivors, stderr, tooMuch: watch.tooMuch() })
  return {
    ended,
    answer,
    exitCode: exit?.exitCode ?? null,
    signal: exit?.signal ?? null,
    stderr,
    durationMs: performance.now() - startedAt,
    ...(problem === null ? {} : { error: problem }),
  }
}

/** The end of its stdin, then SIGTERM; what does not listen is killed afterwards. */
async function sayFarewell(child: ChildProcess, run: RunProcesses, exited: Promise<Exit>): Promise<void> {
  findRunProcesses(run) // remembers those whose parents are about to go
  child.stdin?.end()
  if (await within(exited, FAREWELL_MS)) return
  findRunProcesses(run)
  signalGroup(run, 'SIGTERM')
  signalGroup(run, 'SIGCONT') // a stopped process would not see the SIGTERM
  await within(exited, FAREWELL_MS)
}

function openStreams(child: ChildProcess, request: DuplexRequest, flood: () => void) {
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) throw new Error('the program was started without pipes')
  const killAbove = request.killAboveBytes ?? Number.POSITIVE_INFINITY
  const words = createBoundedText(request.maxOutputBytes ?? STDERR_BYTES)
  const errorLines = createLineSplitter(ERROR_LINE_BYTES, ({ text }) => request.onErrorLine?.(text))
  let totalBytes = 0
  const count = (chunk: Uint8Array): void => {
    totalBytes += chunk.length
    if (totalBytes > killAbove) flood()
  }
  stderr.on('data', (chunk: Uint8Array) => {
    // What a flood brings until its program is dead would only keep this process from ending it.
    if (totalBytes > killAbove) return
    words.push(chunk)
    errorLines.push(chunk)
    count(chunk)
  })
  // A broken pipe is an early end of the stream; how the program ended says the rest.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => stream.destroy())
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      count(chunk)
      controller.enqueue(chunk)
    },
  })
  return {
    input: Writable.toWeb(stdin) as WritableStream<Uint8Array>,
    output: (Readable.toWeb(stdout) as ReadableStream<Uint8Array>).pipeThrough(counted),
    stderr: () => words.text(),
  }
}
