import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HostsGate, ModelKey, Start } from '../../../loop/ports.ts'
import { runFilePath } from '../../process/run-mark.ts'
import { namedTargets } from './hosts.ts'
import { createOutward } from './outward.ts'
import { modelServer, proxyServer, standIn, type Service } from './servers.ts'
import { createMeter, type Meter } from './usage.ts'

/** A way out of the jail: sockets that are bound into it, and the variables that tell the program of them. */
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

/** The jail has a network of its own, so these ports are always free. */
const proxyPort = 3128
const tooManyRequests = 429
const leastServerError = 500
/** A path of a socket may not be longer. */
const longestPath = 90

/** Opens the proxy of one run, and a door for each service whose key stays outside. */
export async function openGate(gate: HostsGate, start: Start, home: string): Promise<OpenGate> {
  const outward = createOutward(start.env)
  const services = servicesOf(gate, start.env)
  const folder = await makeFolder(home)
  // The only way to a service whose key is kept here is its door: a tunnel would carry any other key there.
  const kept = new Set(services.map(({ service }) => service.url.hostname))
  const allowed = {
    hosts: gate.loginHosts.filter((host) => !kept.has(host)),
    named: namedTargets(gate.allowed),
  }
  const count = createMeter(gate.onUsage)
  const meter: Meter = (answer) => {
    const { statusCode = 0 } = answer
    if (statusCode === tooManyRequests || statusCode >= leastServerError) gate.onBusy?.(statusCode)
    count(answer)
  }
  const onRefused = reportOnce(gate.onRefused)
  const servers = [
    proxyServer(allowed, outward, onRefused),
    ...services.map(({ service }) => modelServer(service, meter, { outward, onRefused })),
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
    ...programWithStandIns(start, gate.keys, services),
    async close() {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const mostReported = 50

/** Each host once, and no flood of them: a program may try without end. */
function reportOnce(onRefused: (host: string) => void): (host: string) => void {
  const reported = new Set<string>()
  return (host) => {
    if (reported.has(host) || reported.size >= mostReported) return
    reported.add(host)
    onRefused(host)
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
    const verdict = hosts.includes(url.hostname) ? 'public_only' : 'anywhere'
    const values = (list: readonly ModelKey[]): Record<string, string> =>
      Object.fromEntries(list.flatMap((key) => Object.entries(headersOf(key, env))))
    const headers = values(own.filter(({ header }) => header === null))
    // Of two keys in one header the first counts.
    const real = values(own.filter(({ header }) => header !== null).toReversed())
    return [{ keys: own, service: { url, headers, keys: real, verdict } }]
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

function programWithStandIns(
  start: Start,
  keys: readonly ModelKey[],
  services: readonly KnownService[],
): Pick<OpenGate, 'env' | 'args'> {
  const proxy = `http://127.0.0.1:${proxyPort}`
  const env: Record<string, string> = { ...start.env }
  // No key goes in, even where its service is named in a way that nobody understands.
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
