import { request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { connect as connectSecurely } from 'node:tls'
import { parseTarget, type Target, type Verdict } from './hosts.ts'
import { PrivateAddress, type Outward } from './outward.ts'
import { keysAmong, keyStriker, strikeKeys } from './strike-keys.ts'
import type { Meter } from './usage.ts'

/** A request of a jailed program, and the parts of it that the proxy sets. */
export interface Forwarded {
  readonly incoming: IncomingMessage
  readonly answer: ServerResponse
  readonly url: URL
  /** Replaces headers of the same name; a key among them is struck out of the answer. */
  readonly headers: Readonly<Record<string, string>>
  /** Headers of the program's that do not go out. */
  readonly without?: RegExp
  readonly verdict: Exclude<Verdict, 'refused'>
  readonly meter?: Meter
  readonly onRefused: (host: string) => void
}

/** Headers between two neighbours only; each hop sets its own. */
const notPassedOn =
  /^(host|connection|proxy-connection|proxy-authorization|proxy-authenticate|keep-alive|upgrade|trailer|te|expect)$/

/** Sends the request on and the answer back. Whatever either side sends ends in an answer, never in the end of this process. */
export function forward(given: Forwarded, outward: Outward): void {
  const { incoming, answer, url, verdict, onRefused } = given
  const target = parseTarget(url.host, url.protocol === 'https:' ? 443 : 80)
  const fail = (error?: unknown): void => {
    if (error instanceof PrivateAddress) onRefused(error.message)
    incoming.resume()
    if (!answer.headersSent) answer.writeHead(502)
    answer.end()
  }
  // Both sides must agree on the length, or the rest of the body would be read as a request of its own.
  if (target === null || !/^(chunked)?$/i.test(incoming.headers['transfer-encoding'] ?? '')) return fail()
  outward.reach(target, verdict).then((socket) => {
    try {
      send(given, { socket, target, outward }, fail)
    } catch (error) {
      socket.destroy()
      fail(error)
    }
  }, fail)
}

interface Way {
  readonly socket: Socket
  readonly target: Target
  readonly outward: Outward
}

function send(given: Forwarded, way: Way, fail: (error?: unknown) => void): void {
  const { incoming, answer, url, headers, without, meter } = given
  const outgoing = request({
    method: incoming.method ?? 'GET',
    path: `${url.pathname}${url.search}`,
    headers: {
      ...passedOn(incoming.headers, without),
      ...headers,
      host: url.host,
      // An answer that is read on its way must be plain text.
      ...(meter && { 'accept-encoding': 'identity' }),
    },
    createConnection: () => (url.protocol === 'https:' ? secured(way) : way.socket),
  })
  const keys = keysAmong(headers)
  outgoing.on('response', (response) => {
    // A key in a packed answer cannot be seen, and plain text was asked for.
    if (keys.length > 0 && !/^(identity)?$/i.test(response.headers['content-encoding'] ?? '')) {
      response.destroy()
      fail()
      return
    }
    meter?.(response)
    try {
      answer.writeHead(response.statusCode ?? 502, struck(passedOn(response.headers), keys))
    } catch (error) {
      response.destroy()
      fail(error)
      return
    }
    const ways = keys.length === 0 ? [response, answer] : [response, keyStriker(keys), answer]
    pipeline(ways, () => undefined)
  })
  outgoing.on('upgrade', (_, socket) => {
    socket.destroy()
    fail()
  })
  outgoing.on('error', fail)
  answer.on('close', () => outgoing.destroy())
  // The headers are set here and not with the first bytes, because here somebody catches the fault of headers that
  // cannot be sent.
  outgoing.flushHeaders()
  pipeline(incoming, outgoing, (error) => {
    if (error) fail()
  })
}

const passedOn = (headers: IncomingHttpHeaders, without?: RegExp): IncomingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !notPassedOn.test(name) && !without?.test(name)),
  )

const struck = (headers: IncomingHttpHeaders, keys: readonly string[]): IncomingHttpHeaders =>
  JSON.parse(strikeKeys(JSON.stringify(headers), keys)) as IncomingHttpHeaders

const secured = ({ socket, target: { host }, outward: { authorities } }: Way): Socket =>
  connectSecurely({
    socket,
    ...(isIP(host) === 0 && { servername: host }),
    ...(authorities && { ca: [...authorities] }),
  })
