import type { IncomingHttpHeaders } from 'node:http'
import { Fault } from '../../model/fault.ts'
import type { Caller } from './door.ts'

/** One request, as far as it can be judged before anything of it is done. */
export interface GuardedRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: IncomingHttpHeaders
}

export interface GuardOptions {
  /** Names and addresses that this server may be called by. */
  readonly hosts: ReadonlySet<string>
  /** Who asks; null when nothing proves it. */
  readonly identify: () => Promise<Caller | null>
}

/** Addresses that need no token: the page itself, whether the server lives, and requests that are signed instead. */
const isOpen = ({ method, path }: GuardedRequest): boolean =>
  (method === 'POST' && (path === '/api/login' || path === '/api/logout')) ||
  path === '/api/webhooks/github' ||
  !(path.startsWith('/api/') || path === '/api' || path === '/metrics')

/** Refuses requests that a browser sends on behalf of another site, and requests that prove nothing; returns who asks. */
export async function guardRequest(request: GuardedRequest, options: GuardOptions): Promise<Caller | null> {
  const { path, query, headers } = request
  requireHost(headers.host, options.hosts)
  if (/(^|&)(access_)?token=/i.test(query))
    throw new Fault(
      'unauthorized',
      'a token in an address is not taken: it would be kept in logs and histories',
    )
  const isPage = !(path.startsWith('/api') || path === '/metrics')
  if (isPage) {
    requireReading(request)
    return null
  }
  requireSameOrigin(headers)
  const caller = isOpen(request) ? null : await options.identify()
  if (!caller && !isOpen(request)) throw new Fault('unauthorized', 'the token is missing or wrong')
  requireContentType(request)
  return caller
}

/** A name that was made to point at this machine (DNS rebinding) is not one of ours. */
function requireHost(host: string | undefined, hosts: ReadonlySet<string>): void {
  const name = /^(\[[0-9a-f:.]+\]|[^:]+)(:\d+)?$/i.exec(host ?? '')?.[1]?.toLowerCase()
  if (name === undefined || !hosts.has(name))
    throw new Fault('forbidden', `this server is not called "${host ?? ''}"`)
}

function requireSameOrigin({ origin, host, ...headers }: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new Fault('forbidden', 'requests from other sites are refused')
  if (origin !== undefined && origin !== `http://${host ?? ''}` && origin !== `https://${host ?? ''}`)
    throw new Fault('forbidden', `requests from ${origin} are refused`)
}

function requireReading({ method, path }: GuardedRequest): void {
  if (method !== 'GET' && method !== 'HEAD') throw new Fault('not_found', `there is no ${method} ${path}`)
}

const reportTypes = ['application/sarif+json', 'application/octet-stream', 'multipart/form-data']

/** Takes only types that a form of another site cannot send. */
function requireContentType({ method, path, headers }: GuardedRequest): void {
  if (method === 'GET' || method === 'HEAD') return
  const { 'content-type': given, 'content-encoding': encoding } = headers
  if (encoding !== undefined && encoding !== 'identity')
    throw new Fault('unsupported_media_type', `a body in the encoding "${encoding}" is not taken`, {
      hint: 'Send it as it is.',
    })
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  if (given === undefined && isEmpty) return
  const type = (given ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/json') return
  if (path === '/api/findings/import' && reportTypes.includes(type)) return
  throw new Fault('unsupported_media_type', `a body of the type "${type}" is not taken`)
}

/** On every answer: nothing of another origin is loaded, nothing is guessed, nobody frames the page. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
