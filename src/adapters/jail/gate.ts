import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { connect as connectSecurely } from 'node:tls'
import type { HostsGate, ModelKey, Start } from '../../loop/ports.ts'
import { runFilePath } from '../process/run-mark.ts'
import { judgeTarget, namedTargets, parseTarget, type Allowed, type Target, type Verdict } from './hosts.ts'
import { createOutward, type Outward } from './outward.ts'

/** A way out of the jail: sockets that are bound into it, and what the program is told of them. */
export interface OpenGate {
  readonly folder: string
  /** Which port inside leads to which socket. */
  readonly doors: readonly (readonly [number, string])[]
  /** The environment with stand-ins in the place of keys. */
  readonly env: Readonly<Record<string, string>>
  /** The arguments, which may name the service too. */
  readonly args: readonly string[]
  close(): Promise<void>
}

/** What a program sees in the place of a key. */
export const standIn = 'fixpoint-keeps-this-key-outside-of-the-jail'
/** Its network is its own, so that these are always free. */
const proxyPort = 3128
/** A path of a socket may not be longer. */
const longestPath = 90

interface Service {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** A vendor's own service is a public one; another is wherever the person put it. */
  readonly verdict: Exclude<Verdict, 'refused'>
}

/** Opens the proxy of one run, and a door for each service whose key stays outside. */
export async function openGate(gate: HostsGate, start: Start, home: string): Promise<OpenGate> {
  const folder = await makeFolder(home)
  const services = servicesOf(gate, start.env)
  const outward = createOutward(start.env)
  const allowed = { hosts: gate.hosts, named: namedTargets(gate.allowed) }
  const servers = [
    proxyServer(allowed, outward, gate.onRefused),
    ...services.map(({ service }) => modelServer(service, outward)),
  ]
  const doors = await Promise.all(
    servers.map(async (server, index) => {
      const path = join(folder, `${index}.sock`)
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
      return [proxyPort + index, path] as const
    }),
  )
  return {
    folder,
    doors,
    ...tellProgram(start, gate.keys, services),
    async close() {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function makeFolder(home: string): Promise<string> {
  const folder = runFilePath(home, 'gate')
  if (folder.length > longestPath) return mkdtemp(join(tmpdir(), 'fixpoint-gate-'))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}

interface KnownService {
  readonly service: Service
  readonly keys: readonly ModelKey[]
}

/** The services for which the environment holds a key, each with all the headers that go there. */
function servicesOf({ keys, hosts }: HostsGate, env: Start['env']): readonly KnownService[] {
  const held = keys.filter(({ variable }) => (env[variable] ?? '') !== '')
  const urlOf = ({ baseVariable, baseUrl }: ModelKey): string => env[baseVariable ?? ''] || baseUrl
  return [...Map.groupBy(held, urlOf)].flatMap(([written, own]) => {
    const url = URL.parse(written)
    if (url === null) return []
    const headers = Object.fromEntries(own.flatMap((key) => Object.entries(headersOf(key, env))))
    const verdict = hosts.includes(url.hostname) ? 'public_only' : 'anywhere'
    return [{ keys: own, service: { url, headers, verdict } }]
  })
}

function headersOf({ variable, header, prefix = '' }: ModelKey, env: Start['env']): Record<string, string> {
  const value = env[variable] ?? ''
  if (header !== null) return { [header]: `${prefix}${value}` }
  const lines = value.split('\n').map((line) => /^([\w-]+):\s*(.*)$/.exec(line.trim()))
  return Object.fromEntries(
    lines.flatMap((line) => (line?.[1] ? [[line[1].toLowerCase(), line[2] ?? '']] : [])),
  )
}

function tellProgram(
  start: Start,
  keys: readonly ModelKey[],
  services: readonly KnownService[],
): Pick<OpenGate, 'env' | 'args'> {
  const proxy = `http://127.0.0.1:${proxyPort}`
  const env: Record<string, string> = { ...start.env }
  // No key goes in, also not where its service is named in a way that nobody understands.
  for (const { variable } of keys) delete env[variable]
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) {
    env[name] = proxy
    env[name.toLowerCase()] = proxy
  }
  env['NO_PROXY'] = env['no_proxy'] = 'localhost,127.0.0.1,::1'
  let args = start.args
  services.forEach(({ service: { url }, keys: held }, index) => {
    const inside = `http://127.0.0.1:${proxyPort + 1 + index}${url.pathname.replace(/\/$/, '')}`
    const written = url.href.replace(/\/$/, '')
    args = args.map((word) => word.replaceAll(written, inside))
    for (const { variable, baseVariable, header } of held) {
      if (header !== null) env[variable] = standIn
      if (baseVariable !== null) env[baseVariable] = inside
    }
  })
  return { env, args }
}

/** Lets through what is allowed: tunnels, and plain requests for hosts that a person named. */
function proxyServer(allowed: Allowed, outward: Outward, onRefused: (host: string) => void): Server {
  const server = createServer((incoming, answer) => {
    const url = URL.parse(incoming.url ?? '')
    const target = url && url.protocol === 'http:' ? parseTarget(url.host, 80) : null
    if (url === null || target === null || judgeTarget(target, allowed) !== 'anywhere') {
      onRefused(shown(url?.host ?? incoming.url ?? ''))
      answer.writeHead(403).end('Fixpoint does not let this host be reached.\n')
      return
    }
    forward({ incoming, answer, url, headers: {}, verdict: 'anywhere' }, outward)
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
      () => socket.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n'),
    )
  })
  return server
}

const shown = (host: string): string => host.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 200)

/** One service, whatever is asked: the host, the scheme and the key are ours to say. */
const modelServer = ({ url: base, headers, verdict }: Service, outward: Outward): Server =>
  createServer((incoming, answer) => {
    const path = incoming.url ?? '/'
    const url = URL.parse(`${base.origin}${path.startsWith('/') ? path : '/'}`)
    if (url === null || url.origin !== base.origin) {
      answer.writeHead(400).end()
      return
    }
    // A key in the query is the stand-in too; the header holds the real one.
    if (url.searchParams.get('key') === standIn) url.searchParams.delete('key')
    forward({ incoming, answer, url, headers, verdict }, outward)
  })

interface Forwarded {
  readonly incoming: IncomingMessage
  readonly answer: ServerResponse
  readonly url: URL
  /** Put in the place of those of the same name. */
  readonly headers: Readonly<Record<string, string>>
  readonly verdict: Exclude<Verdict, 'refused'>
}

const notPassedOn = ['host', 'connection', 'proxy-connection', 'proxy-authorization', 'keep-alive', 'upgrade']

function forward({ incoming, answer, url, headers, verdict }: Forwarded, outward: Outward): void {
  const isSecure = url.protocol === 'https:'
  const target: Target | null = parseTarget(url.host, isSecure ? 443 : 80)
  const fail = (): void => {
    if (!answer.headersSent) answer.writeHead(502)
    answer.end()
  }
  if (target === null) return fail()
  const own = Object.entries(incoming.headers).filter(([name]) => !notPassedOn.includes(name))
  outward.reach(target, verdict).then((socket) => {
    const outgoing = request({
      method: incoming.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { ...Object.fromEntries(own), ...headers, host: url.host },
      createConnection: () => (isSecure ? secured(socket, target, outward) : socket),
    })
    outgoing.on('response', (response) => {
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
