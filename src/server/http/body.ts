import type { IncomingMessage } from 'node:http'
import { Fault } from '../../model/fault.ts'

const jsonBytes = 1_000_000

/** So much of a body that is too large is read and dropped: who still writes it would not hear the answer. */
const droppedBytes = 16_000_000
const droppedMs = 5_000

/** The body as it arrives, and a fault when it is too large. */
export async function* limitedBody(incoming: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  const tooLarge = (): Fault => new Fault('too_large', `the body is larger than ${megabytes(maxBytes)}`)
  const announced = Number(incoming.headers['content-length'] ?? 0)
  if (announced > maxBytes + droppedBytes) throw tooLarge()
  const until = performance.now() + droppedMs
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    const isOver = announced > maxBytes || bytes > maxBytes
    if (!isOver) yield chunk
    else if (bytes > maxBytes + droppedBytes || performance.now() > until) throw tooLarge()
  }
  if (announced > maxBytes || bytes > maxBytes) throw tooLarge()
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
