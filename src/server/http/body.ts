import type { IncomingMessage } from 'node:http'
import { Fault } from '../../model/fault.ts'

const jsonBytes = 1_000_000

/** The body as it arrives, and a fault as soon as it is too large. */
export async function* limitedBody(incoming: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  const tooLarge = (): Fault => new Fault('too_large', `the body is larger than ${megabytes(maxBytes)}`)
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge()
    yield chunk
  }
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
