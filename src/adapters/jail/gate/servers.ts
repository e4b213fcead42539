import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { forward } from './forward.ts'
import { judgeTarget, parseTarget, type Allowed, type Verdict } from './hosts.ts'
import { PrivateAddress, type Outward } from './outward.ts'
import { readGreeting } from './server-name.ts'
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
    forward({ incoming, answer, url, headers: {}, verdict: 'anywhere', onRefused }, outward)
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
        if (head.length > 0) socket.unshift(head)
        const begin = (): unknown => pipeline(socket, outer, socket, () => outer.destroy())
        if (verdict === 'anywhere') return begin()
        outer.on('error', () => socket.destroy())
        afterGreeting(socket, target.host, (posed) => {
          if (posed === null) return begin()
          onRefused(`${shown(posed)}, by the way to ${target.host}`)
          outer.destroy()
          socket.destroy()
        })
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

/**
 * Reads which host a tunnel asks for before anything of it goes out, because one address answers for many names; null
 * when it is the allowed host.
 */
function afterGreeting(socket: Socket, host: string, onName: (posed: string | null) => void): void {
  let bytes = Buffer.alloc(0)
  const hear = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk])
    const greeting = readGreeting(bytes)
    if (greeting.kind === 'unfinished') return
    socket.off('data', hear).pause()
    socket.unshift(bytes)
    onName(
      greeting.kind === 'other' ? 'something without a name' : greeting.host === host ? null : greeting.host,
    )
  }
  socket.on('data', hear)
}

const shown = (host: string): string => host.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 200)

/**
 * With a key of its own a program could send what it read to an account of its own, at the very same service. A part of
 * an answer could be a part of a key.
 */
const notItsOwn = /authorization|cookie|api-?key|token|secret|credential|^x-amz-|^range$/
const credentialNames = /^\$?(key|api[-_]?key|(access|oauth|bearer|auth|id)?[-_]?token|authorization)$/i

/** TRACE would answer with all that it was sent. */
const methods = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS'.split(' '))

/** A batch carries requests of its own, with keys of their own. */
const batch = /^multipart\/mixed/i

/** The address that is asked for, when it is the service's own; others at the same host are not what the key is for. */
function urlWithin(base: URL, { url: path = '/', method = '', headers }: IncomingMessage): URL | null {
  const url = path.startsWith('/') ? URL.parse(`${base.origin}${path}`) : null
  if (url === null || url.origin !== base.origin || !methods.has(method)) return null
  if (
    batch.test(headers['content-type'] ?? '') ||
    /(\/|%2f|%5c)\.+(%2f|%5c)|(%2f|%5c)\.+(\/|$)/i.test(url.pathname)
  )
    return null
  const folder = base.pathname.replace(/\/$/, '')
  if (url.pathname !== folder && !url.pathname.startsWith(`${folder}/`)) return null
  const given = url.searchParams.keys().filter((name) => credentialNames.test(name))
  given.toArray().forEach((name) => url.searchParams.delete(name))
  return url
}

/** The keys in the headers that a request uses, and all of them for one that uses none: a CLI with two logins takes one. */
function keysFor(incoming: IncomingMessage, keys: Service['keys']): Service['keys'] {
  const used = Object.entries(keys).filter(([header]) => incoming.headers[header] !== undefined)
  return used.length === 0 ? keys : Object.fromEntries(used)
}

interface Ways {
  readonly outward: Outward
  readonly onRefused: (host: string) => void
}

/** A door leads to one service, whatever is asked: the host, the scheme and the key are set here. */
export function modelServer(service: Service, meter: Meter, { outward, onRefused }: Ways): Server {
  const { url: base, verdict } = service
  const server = createServer((incoming, answer) => {
    const url = urlWithin(base, incoming)
    if (url === null) {
      incoming.resume()
      onRefused(shown(`${base.host}${incoming.url ?? ''}`))
      answer.writeHead(403).end('Fixpoint keeps the key for the service that it is for.\n')
      return
    }
    const headers = { ...service.headers, ...keysFor(incoming, service.keys) }
    forward({ incoming, answer, url, headers, without: notItsOwn, verdict, meter, onRefused }, outward)
  })
  server.maxConnections = mostConnections
  return server
}
