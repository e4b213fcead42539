import { readFileSync } from 'node:fs'
import { lookup } from 'node:dns/promises'
import { connect, type Socket } from 'node:net'
import { rootCertificates } from 'node:tls'
import type { Variables } from '../../process/clean-environment.ts'
import { isPublicAddress, parseTarget, type Target, type Verdict } from './hosts.ts'

const connectTimeoutMs = 30_000
const longestAnswer = 16 * 1024

/** A host of a vendor that leads into somebody's own network. */
export class PrivateAddress extends Error {}

/** How this machine reaches the world, as the person set it up. */
export interface Outward {
  /** A connection to what was judged; rejects with why there is none. */
  reach(target: Target, verdict: Exclude<Verdict, 'refused'>): Promise<Socket>
  /** The certificates that are trusted, where the person added some. */
  readonly authorities: readonly string[] | undefined
}

/** Uses the person's proxy, unless they excluded the host, and their certificates. */
export function createOutward(env: Variables): Outward {
  const own = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'].flatMap((name) => readAuthorities(name, env[name]))
  return {
    authorities: own.length === 0 ? undefined : [...rootCertificates, ...own],
    async reach(target, verdict) {
      const proxy = verdict === 'anywhere' && isLocal(target.host) ? null : proxyFor(target, env)
      if (proxy !== null) return tunnel(proxy, target)
      // Resolved once, and that very address is used: a name that changes its mind in between leads nowhere else.
      const { address } = await lookup(target.host)
      if (verdict === 'public_only' && !isPublicAddress(address))
        throw new PrivateAddress(`${target.host}, which leads to the private address ${address}`)
      return open({ host: address, port: target.port })
    },
  }
}

/** The certificates that a variable of the person's names. */
function readAuthorities(name: string, file: string | undefined): readonly string[] {
  if (file === undefined || file === '') return []
  try {
    return [readFileSync(file, 'utf8')]
  } catch (cause) {
    throw new Error(`${name} names ${file}, which cannot be read`, { cause })
  }
}

const isLocal = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')

function proxyFor({ host }: Target, env: Variables): URL | null {
  const excluded = (env['NO_PROXY'] ?? env['no_proxy'] ?? '')
    .split(',')
    .map((part) => part.trim().replace(/^\*?\./, ''))
  if (excluded.some((part) => part === '*' || (part !== '' && (host === part || host.endsWith(`.${part}`)))))
    return null
  const written = [env['HTTPS_PROXY'], env['https_proxy'], env['HTTP_PROXY'], env['http_proxy']].find(Boolean)
  return written === undefined ? null : URL.parse(written)
}

function open({ host, port }: Target): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    const timer = setTimeout(
      () => socket.destroy(new Error(`${host}:${port} does not answer`)),
      connectTimeoutMs,
    )
    socket.once('error', reject).once('close', () => clearTimeout(timer))
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', reject)
      resolve(socket)
    })
  })
}

/** Asks the person's own proxy for the way. */
async function tunnel(proxy: URL, { host, port }: Target): Promise<Socket> {
  const at = parseTarget(proxy.host, proxy.protocol === 'https:' ? 443 : 80)
  if (at === null) throw new Error(`the proxy ${proxy.host} cannot be used`)
  const socket = await open(at)
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  const login =
    proxy.username === ''
      ? ''
      : `Proxy-Authorization: Basic ${Buffer.from(`${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`).toString('base64')}\r\n`
  socket.write(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${login}\r\n`)
  let answer = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    answer += (chunk as Buffer).toString('latin1')
    const end = answer.indexOf('\r\n\r\n')
    if (end === -1 && answer.length < longestAnswer) continue
    if (!/^HTTP\/1\.[01] 200/.test(answer)) break
    if (answer.length > end + 4) socket.unshift(Buffer.from(answer.slice(end + 4), 'latin1'))
    return socket
  }
  socket.destroy()
  throw new Error(`the proxy ${proxy.host} refused: ${answer.split('\r\n')[0] ?? ''}`)
}
