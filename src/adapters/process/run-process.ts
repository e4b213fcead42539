import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { EMPTY_TEXT, createBoundedText, renderBoundedText, type BoundedText } from './bounded-text.ts'
import {
  findRunProcesses,
  killRun,
  addLiveRun,
  measureRun,
  removeLiveRun,
  signalGroup,
  type RunProcesses,
} from './kill-run.ts'
import { createLineSplitter } from './line-splitter.ts'
import { processTable, countStarts } from './process-table.ts'
import { createRunMark, ownFolder } from './run-mark.ts'
import {
  startProcess,
  type Enclosure,
  type ProcessEnding,
  type ProcessRequest,
  type ProcessResult,
  type Running,
} from './start-process.ts'
import { drain, LONGEST_TIMER_MS, within } from './within.ts'

const DEFAULT_GRACE_MS = 2000
export const REAP_MS = 2000

type Stop = Extract<ProcessEnding, 'timed_out' | 'cancelled' | 'flooded'> | 'exhausted'
export type Exit = { readonly exitCode: number | null; readonly signal: string | null }

/**
 * Runs a program to its end and leaves nothing of it behind. Whatever the child does is a result; it rejects
 * only when a callback of the request throws.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const startedAt = performance.now()
  const unstarted = (ended: ProcessEnding, error?: string): ProcessResult => ({
    ended,
    exitCode: null,
    signal: null,
    stdout: EMPTY_TEXT,
    stderr: EMPTY_TEXT,
    durationMs: performance.now() - startedAt,
    ...(error === undefined ? {} : { error }),
  })
  if (request.signal?.aborted) return unstarted('cancelled')
  const mark = request.mark ?? createRunMark()
  const started = await startProcess(request, mark)
  if ('error' in started) return unstarted('not_started', started.error)

  const { enclosed } = started
  const closed = new Promise<void>((resolve) => started.child.once('close', () => resolve()))
  const { run, exited, requested, stop, watch } = watchRun(request, started, mark)
  const output = readOutput(started.child, request, stop)
  writeInput(started.child, request.stdin)

  const first = await Promise.race([exited, requested])
  watch.end()
  const graceMs = isTooMuch(first) ? 0 : (request.graceMs ?? DEFAULT_GRACE_MS)
  if (typeof first === 'string') await askToEnd(run, exited, graceMs)
  const survivors = await killRun(run)
  const exit = await within(exited, REAP_MS)
  await drain(closed, output.received)
  abandon(started.child)
  removeLiveRun(run)
  await enclosed?.release()

  const { stdout, stderr } = output.end()
  const ended = await endingOf(first, enclosed)
  const problem = problemOfRun(ended, { survivors, stderr, tooMuch: watch.tooMuch() })
  return {
    ended,
    exitCode: ended === 'not_started' ? null : (exit?.exitCode ?? null),
    signal: exit?.signal ?? null,
    stdout,
    stderr,
    durationMs: performance.now() - startedAt,
    ...(problem === null ? {} : { error: problem }),
  }
}

export const isTooMuch = (first: Stop | 'talked' | Exit): boolean =>
  first === 'flooded' || first === 'exhausted'

/** How a program ended; one that the walls did not let begin was not started. */
export async function endingOf(first: Stop | Exit, enclosed: Enclosure | null): Promise<ProcessEnding> {
  if (first === 'exhausted') return 'signalled'
  if (typeof first === 'string') return first
  if (first.signal !== null) return 'signalled'
  return enclosed === null || (await enclosed.hasRun()) ? 'exited' : 'not_started'
}

/** What a result says beyond its ending. */
export function problemOfRun(
  ended: ProcessEnding | 'talked',
  given: {
    readonly survivors: readonly number[]
    readonly stderr: BoundedText
    readonly tooMuch: string | null
  },
): string | null {
  if (given.survivors.length > 0) return `processes could not be killed: ${given.survivors.join(', ')}`
  return ended === 'not_started'
    ? `the jail could not be entered: ${renderBoundedText(given.stderr).trim()}`
    : given.tooMuch
}

/** Watches a started program: its end, and everything that may stop it before. */
export function watchRun(request: ProcessLimits, { pid, child, enclosed }: Running, mark: string) {
  const run = trackRun(pid, mark, { cwd: request.cwd, isEnclosed: enclosed !== null })
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
  })
  const { requested, stop, end } = watchForStop(request)
  const use = watchUse(run, enclosed, () => stop('exhausted'))
  const endAll = (): void => {
    end()
    use.end()
  }
  return { run, exited, requested, stop, watch: { end: endAll, tooMuch: use.problem } }
}

type ProcessLimits = Pick<ProcessRequest, 'cwd' | 'timeoutMs' | 'signal'>

/** Measures a run where the kernel does not keep the limits, and remembers what was too much. */
function watchUse(
  run: RunProcesses,
  enclosed: Enclosure | null,
  stop: () => void,
): { end(): void; problem(): string | null } {
  let problem: string | null = null
  const measuring =
    enclosed?.measured &&
    measureRun(run, enclosed.measured, (what) => {
      problem = what
      stop()
    })
  return { end: () => measuring?.end(), problem: () => problem }
}

/** Remembers a run until it is over, so that it ends with this process at the latest. */
function trackRun(
  rootPid: number,
  mark: string,
  { cwd, isEnclosed }: { readonly cwd: string; readonly isEnclosed: boolean },
): RunProcesses {
  const rootStartTicks = processTable.startTicksOf(rootPid)
  const startsBefore = countStarts()
  const run: RunProcesses = {
    rootPid,
    rootStartTicks,
    startsBefore,
    mark,
    folder: ownFolder(mark, cwd),
    isEnclosed,
    seen: new Map(),
    zombies: new Set(),
  }
  addLiveRun(run)
  return run
}

/** Turns the timeout, the abort signal and a flood into one promise: the first of them. */
function watchForStop(request: ProcessLimits) {
  const { promise: requested, resolve: stop } = Promise.withResolvers<Stop>()
  const cancel = (): void => stop('cancelled')
  const timer = setTimeout(() => stop('timed_out'), Math.min(request.timeoutMs, LONGEST_TIMER_MS))
  request.signal?.addEventListener('abort', cancel, { once: true })
  if (request.signal?.aborted) cancel()
  const end = (): void => {
    clearTimeout(timer)
    request.signal?.removeEventListener('abort', cancel)
  }
  return { requested, stop, end }
}

/** Asks a run to end before it is killed: SIGINT, so that an agent may print its last words, then the grace. */
async function askToEnd(run: RunProcesses, exited: Promise<Exit>, graceMs: number): Promise<void> {
  findRunProcesses(run) // remembers those whose parents are about to go
  signalGroup(run, 'SIGINT')
  signalGroup(run, 'SIGCONT') // a stopped process would not see the SIGINT
  await within(exited, graceMs)
}

function writeInput(child: ChildProcess, stdin: ProcessRequest['stdin']): void {
  child.stdin?.on('error', () => {
    // The child may close its stdin whenever it likes; how it ended says the rest.
  })
  if (stdin instanceof Promise) void stdin.then((text) => child.stdin?.end(text))
  else child.stdin?.end(stdin)
}

/** Lets go of pipes that something we could not kill still holds open. */
export function abandon(child: ChildProcess): void {
  child.stdin?.destroy()
  child.stdout?.destroy()
  child.stderr?.destroy()
  child.unref()
}

const DEFAULT_OUTPUT_BYTES = 2 ** 20
const MAX_LINE_BYTES = 8 * 2 ** 20

/** Reads both streams of a child with bounded memory; asks to stop it when it floods or a callback throws. */
function readOutput(
  child: ChildProcess,
  request: ProcessRequest,
  stop: (reason: 'flooded' | 'cancelled') => void,
) {
  const maxBytes = request.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES
  const killAbove = request.killAboveBytes ?? Number.POSITIVE_INFINITY
  const stdout = createBoundedText(maxBytes)
  const stderr = createBoundedText(maxBytes)
  const lines = request.onLine === undefined ? null : createLineSplitter(MAX_LINE_BYTES, request.onLine)
  const callbacks = createGuard(() => stop('cancelled'))
  let totalBytes = 0

  function listen(stream: Readable | null, onChunk: (chunk: Uint8Array) => void): void {
    stream?.on('data', (chunk: Uint8Array) => {
      onChunk(chunk)
      totalBytes += chunk.length
      if (totalBytes > killAbove) stop('flooded')
    })
    stream?.on('error', () => stream.destroy()) // a broken pipe is an early end of the stream
  }

  listen(child.stderr, (chunk) => {
    stderr.push(chunk)
    callbacks.run(() => request.onStderr?.(chunk))
  })
  listen(child.stdout, (chunk) => {
    stdout.push(chunk)
    callbacks.run(() => {
      request.onStdout?.(chunk)
      lines?.push(chunk)
    })
  })

  return {
    /** How many bytes of both streams have been read. */
    received: (): number => totalBytes,
    /** Ends the reading: hands over a last unfinished line and throws what a callback threw. */
    end(): { readonly stdout: BoundedText; readonly stderr: BoundedText } {
      callbacks.run(() => lines?.end())
      callbacks.rethrow()
      return { stdout: stdout.text(), stderr: stderr.text() }
    },
  }
}

/** Runs callbacks until one throws; what it threw is kept for later. */
function createGuard(onFault: () => void) {
  let fault: { readonly cause: unknown } | null = null
  return {
    run(call: () => void): void {
      if (fault !== null) return
      try {
        call()
      } catch (cause) {
        fault = { cause }
        onFault()
      }
    },
    rethrow(): void {
      if (fault !== null) throw fault.cause
    },
  }
}
