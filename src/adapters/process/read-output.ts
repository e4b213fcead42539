import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { createBoundedText, type BoundedText } from './bounded-text.ts'
import { createLineSplitter } from './line-splitter.ts'
import type { ProcessRequest } from './process-request.ts'

const DEFAULT_OUTPUT_BYTES = 2 ** 20
const MAX_LINE_BYTES = 8 * 2 ** 20

/** Reads both streams of a child with bounded memory; asks to stop it when it floods or a callback throws. */
export function readOutput(
  child: ChildProcess,
  request: ProcessRequest,
  stop: (reason: 'flooded' | 'cancelled') => void,
) {
  const maxBytes = request.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES
  const killAbove = request.killAboveBytes ?? Number.POSITIVE_INFINITY
  const stdout = createBoundedText(maxBytes)
  const stderr = createBoundedText(maxBytes)
  const lines = request.onLine === undefined ? null : createLineSplitter(MAX_LINE_BYTES, request.onLine)
  let totalBytes = 0
  let fault: { readonly cause: unknown } | null = null

  function guarded(call: () => void): void {
    if (fault !== null) return
    try {
      call()
    } catch (cause) {
      fault = { cause }
      stop('cancelled')
    }
  }

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
    guarded(() => {
      request.onStdout?.(chunk)
      lines?.push(chunk)
    })
  })

  return {
    /** How many bytes of both streams have been read. */
    received: (): number => totalBytes,
    /** Ends the reading: hands over a last unfinished line and throws what a callback threw. */
    end(): { readonly stdout: BoundedText; readonly stderr: BoundedText } {
      guarded(() => lines?.end())
      if (fault !== null) throw fault.cause
      return { stdout: stdout.text(), stderr: stderr.text() }
    },
  }
}
