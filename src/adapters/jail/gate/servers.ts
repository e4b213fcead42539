import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { connect as connectSecurely } from 'node:tls'
import { judgeTarget, parseTarget, type Allowed, type Target, type Verdict } from './hosts.ts'
import { PrivateAddress, type Outward } from './outward.ts'
import type { Meter } from './usage.ts'

/** What a program sees in the place of a key. */
export const standIn = 'fixpoint-keeps-this-key-outside-of-the-jail'

/** A service whose key stays outside. */
export interface Service {
  readonly url: URL
  /** Goes with every request. */
  readonly headers: Readonly<Record<string, string>>
  /** The keys, by the header that carries them. */
  readonly keys: Readonly<Record<string, string>>
  /** A vendor's own service is a public one; another is wherever the person put it. */
  readonly verdict: Exclude<Verdict, 'refused'>
}

/** A jailed program must not use up the sockets of the process that it talks to. */
const mostConnections = 256

/** Lets through what is allowed: tunnels, and plain requests for hosts that a person named. */
export function proxyServer(allowed: Allowed, outward: Outward, onRefused: (host: string) => void): Server {
  const server = createServer((incoming, answer) => {
    const url = URL.parse(incoming.url ?? '')
    const target = url && url.protocol === 'http:' ? parseTarget(url.host, 80) : null
    if (url === null || target === null || judgeTarget(target, allowed) !== 'anywhere') {
      onRefused(shown(url?.host ?? incoming.url ?? ''))
      answer.writeHead(403).end('Fixpoint does not let this host be reached.\n')
      return
    }
    forward({ incoming, answer, url, headers: {}, without: [], verdict: 'anywhere', onRefused }, outward)
  })
  server.on('connect', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const target = parseTarget(incoming.url ?? '', 443)
    const verdict = target === null ? 'refused' : judgeTarget(target, allowed)
    if (target === null || verdict === 'refused') {
      onRefused(shown(incoming.url ?? ''))
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
      return
    }
    outward.reach(target, verdict).then(
      (outer) => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        if (head.length > 0) outer.write(head)
        pipeline(socket, outer, socket, () => outer.destroy())
      },
      (error: unknown) => {
        if (error instanceof PrivateAddress) onRefused(error.message)
        socket.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n')
      },
    )
  })
  server.maxConnections = mostConnections
  return server
}

const shown = (host: string): string => host.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 200)

/** With a key of its own a program could send what it read to an account of its own, at the very same service. */
const credentials = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'cookie']

/** The keys in the headers that a request uses, and all of them for one that uses none: a CLI with two logins takes one. */
function keysFor(incoming: IncomingMessage, keys: Service['keys']): Service['keys'] {
  const used = Object.entries(keys).filter(([header]) => incoming.headers[header] !== undefined)
  return used.length === 0 ? keys : Object.fromEntries(used)
}

interface Ways {
  readonly outward: Outward
  readonly onRefused: (host: string) => void
}

/** One service, whatever is asked: the host, the scheme and the key are ours to say. */
export function modelServer(service: Service, meter: Meter, { outward, onRefused }: Ways): Server {
  const { url: base, verdict } = service
  const server = createServer((incoming, answer) => {
    const path = incoming.url ?? '/'
    const url = URL.parse(`${base.origin}${path.startsWith('/') ? path : '/'}`)
    if (url === null || url.origin !== base.origin) {
      answer.writeHead(400).end()
      return
    }
    for (const name of ['key', 'access_token']) url.searchParams.delete(name)
    const headers = { ...service.headers, ...keysFor(incoming, service.keys) }
    forward({ incoming, answer, url, headers, without: credentials, verdict, meter, onRefused }, outward)
  })
  server.maxConnections = mostConnections
  return server
}

interface Forwarded {
  readonly incoming: IncomingMessage
  readonly answer: ServerResponse
  readonly url: URL
  /** Put in the place of those of the same name. */
  readonly headers: Readonly<Record<string, string>>
  /** Headers of the program's that do not go out. */
  readonly without: readonly string[]
  readonly verdict: Exclude<Verdict, 'refused'>
  readonly meter?: Meter
  readonly onRefused: (host: string) => void
}

const notPassedOn = ['host', 'connection', 'proxy-connection', 'proxy-authorization', 'keep-alive', 'upgrade']

function forward(given: Forwarded, outward: Outward): void {
  const { incoming, answer, url, headers, without, verdict, meter, onRefused } = given
  const isSecure = url.protocol === 'https:'
  const target: Target | null = parseTarget(url.host, isSecure ? 443 : 80)
  const fail = (error?: unknown): void => {
    if (error instanceof PrivateAddress) onRefused(error.message)
    if (!answer.headersSent) answer.writeHead(502)
    answer.end()
  }
  if (target === null) return fail()
  const dropped = [...notPassedOn, ...without]
  const own = Object.entries(incoming.headers).filter(([name]) => !dropped.includes(name))
  outward.reach(target, verdict).then((socket) => {
    const outgoing = request({
      method: incoming.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      headers: {
        ...Object.fromEntries(own),
        ...headers,
        host: url.host,
        // What is counted on its way must be plain text.
        ...(meter && { 'accept-encoding': 'identity' }),
      },
      createConnection: () => (isSecure ? secured(socket, target, outward) : socket),
    })
    outgoing.on('response', (response) => {
      meter?.(response)
      answer.writeHead(response.statusCode ?? 502, response.headers)
      pipeline(response, answer, () => undefined)
    })
    outgoing.on('error', fail)
    answer.on('close', () => outgoing.destroy())
    pipeline(incoming, outgoing, (error) => {
      if (error) fail()
    })
  }, fail)
}

const secured = (socket: Socket, { host }: Target, { authorities }: Outward): Socket =>
  connectSecurely({
    socket,
    ...(isIP(host) === 0 && { servername: host }),
    ...(authorities && { ca: [...authorities] }),
  })
