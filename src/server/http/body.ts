import type { IncomingMessage } from 'node:http'
import { Fault } from '../../model/fault.ts'

const jsonBytes = 1_000_000

/** So much of a body that is too large is read and dropped: a client that still writes would not hear the answer. */
const droppedBytes = 16_000_000
const droppedMs = 5_000
const answerMs = 1_000

/** The body as it arrives, and a fault when it is too large. */
export async function* limitedBody(incoming: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  const declared = Number(incoming.headers['content-length'] ?? 0)
  let bytes = declared > maxBytes ? declared : 0
  try {
    if (bytes === 0)
      for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
        bytes += chunk.length
        if (bytes > maxBytes) break
        yield chunk
      }
    if (bytes <= maxBytes) return
    if (declared <= maxBytes + droppedBytes) await dropRest(incoming)
    throw new Fault('too_large', `the body is larger than ${megabytes(maxBytes)}`)
  } finally {
    // A client that still writes is cut off, once the answer had time to go out.
    if (!incoming.readableEnded) setTimeout(() => incoming.destroy(), answerMs).unref()
  }
}

/** Reads on until the end, within limits of time and size. */
function dropRest(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let left = droppedBytes
    const timer = setTimeout(resolve, droppedMs)
    const done = (): void => {
      clearTimeout(timer)
      resolve()
    }
    incoming.on('data', (chunk: Uint8Array) => {
      left -= chunk.length
      if (left < 0) done()
    })
    incoming.once('end', done)
    incoming.once('close', done)
    incoming.resume()
  })
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`

/** A JSON body, parsed and not yet judged; undefined when there is none. */
export async function readJsonBody(incoming: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = []
  for await (const chunk of limitedBody(incoming, jsonBytes)) chunks.push(chunk)
  if (chunks.length === 0) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)))
  } catch (cause) {
    throw new Fault('usage', 'the body is not JSON', { cause, hint: 'Send one JSON object in UTF-8.' })
  }
}
