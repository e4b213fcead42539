import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { EMPTY_TEXT, createBoundedText, type BoundedText } from './bounded-text.ts'
import {
  findRunProcesses,
  killRun,
  sendSignal,
  addLiveRun,
  removeLiveRun,
  type RunProcesses,
} from './kill-run.ts'
import { createLineSplitter } from './line-splitter.ts'
import { processTable, countStarts } from './process-table.ts'
import { createRunMark, ownFolder } from './run-mark.ts'
import { startProcess, type ProcessEnding, type ProcessRequest, type ProcessResult } from './start-process.ts'
import { drain, LONGEST_TIMER_MS, within } from './within.ts'

const DEFAULT_GRACE_MS = 2000
export const REAP_MS = 2000

type Stop = Extract<ProcessEnding, 'timed_out' | 'cancelled' | 'flooded'>
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

  const run = trackRun(started.pid, mark, request.cwd)
  const closed = new Promise<void>((resolve) => started.child.once('close', () => resolve()))
  const exited = new Promise<Exit>((resolve) => {
    started.child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
  })
  const { requested, stop, end } = watchForStop(request)
  const output = readOutput(started.child, request, stop)
  writeInput(started.child, request.stdin)

  const first = await Promise.race([exited, requested])
  end()
  const graceMs = first === 'flooded' ? 0 : (request.graceMs ?? DEFAULT_GRACE_MS)
  if (typeof first === 'string') await askToEnd(run, exited, graceMs)
  const survivors = await killRun(run)
  const exit = await within(exited, REAP_MS)
  await drain(closed, output.received)
  abandon(started.child)
  removeLiveRun(run)

  return {
    ended: typeof first === 'string' ? first : first.signal === null ? 'exited' : 'signalled',
    exitCode: exit?.exitCode ?? null,
    signal: exit?.signal ?? null,
    ...output.end(),
    durationMs: performance.now() - startedAt,
    ...(survivors.length === 0 ? {} : { error: `processes could not be killed: ${survivors.join(', ')}` }),
  }
}

/** Remembers a run until it is over, so that it ends with this process at the latest. */
export function trackRun(rootPid: number, mark: string, cwd: string): RunProcesses {
  const rootStartTicks = processTable.startTicksOf(rootPid)
  const startsBefore = countStarts()
  const run: RunProcesses = {
    rootPid,
    rootStartTicks,
    startsBefore,
    mark,
    folder: ownFolder(mark, cwd),
    seen: new Map(),
    zombies: new Set(),
  }
  addLiveRun(run)
  return run
}

/** Turns the timeout, the abort signal and a flood into one promise: the first of them. */
export function watchForStop(request: Pick<ProcessRequest, 'timeoutMs' | 'signal'>) {
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

/** The polite half of a kill: SIGINT, so that an agent may write its last words, then the grace. */
async function askToEnd(run: RunProcesses, exited: Promise<Exit>, graceMs: number): Promise<void> {
  findRunProcesses(run) // remembers those whose parents are about to go
  sendSignal(-run.rootPid, 'SIGINT')
  sendSignal(-run.rootPid, 'SIGCONT') // a stopped process would not see the SIGINT
  await within(exited, graceMs)
}

function writeInput(child: ChildProcess, stdin: string | Uint8Array | undefined): void {
  child.stdin?.on('error', () => {
    // The child may close its stdin whenever it likes; how it ended says the rest.
  })
  child.stdin?.end(stdin)
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

  listen(child.stderr, stderr.push)
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
