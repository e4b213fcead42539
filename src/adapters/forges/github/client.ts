import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import { RequestError } from '@octokit/request-error'
import { setTimeout as delay } from 'node:timers/promises'
import { Fault, type FaultCode } from '../../../model/fault.ts'
import { z } from 'zod'

const Client = Octokit.plugin(paginateRest, retry, throttling)
export type GitHubClient = InstanceType<typeof Client>

export interface GitHubAccess {
  readonly apiUrl: string
  /** A token, or how one is made for each request. */
  readonly auth: string | { readonly strategy: unknown; readonly options: Readonly<Record<string, unknown>> }
}

/** The longest limit that is waited for. */
const longestWaitSeconds = 60
const mostRetries = 2
const timeoutMs = 60_000

export function connectGitHub({ apiUrl, auth }: GitHubAccess): GitHubClient {
  return new Client({
    baseUrl: apiUrl.replace(/\/+$/, ''),
    userAgent: 'fixpoint',
    ...(typeof auth === 'string' ? { auth } : { authStrategy: auth.strategy as never, auth: auth.options }),
    // Commands print the faults in full; Octokit's own log would repeat them.
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    request: {
      fetch: (url: string, init: RequestInit) =>
        fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }),
    },
    throttle: { enabled: !isOnThisMachine(apiUrl), onRateLimit: isShort, onSecondaryRateLimit: isShort },
    retry: { enabled: true, retries: mostRetries },
  })
}

const isShort = (seconds: number, _options: object, ...[, tried]: readonly [unknown, number]): boolean =>
  seconds <= longestWaitSeconds && tried < mostRetries

const nothing = (): void => undefined

/** GitHub asks for a second between writes; a server on this machine has nothing to be spared. */
export const isOnThisMachine = (url: string): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)

/** Asks GitHub; every way it can go wrong is a fault that says what was asked. */
export async function ask<Answer>(what: string, request: () => Promise<Answer>): Promise<Answer> {
  try {
    return await request()
  } catch (error) {
    throw githubFault(error, what)
  }
}

/** Writes are never repeated blindly: a lost answer may hide one that was carried out. */
export const once = { retries: 0 } as const

const tries = 3
const pauseMs = 1_000

interface Findable<Found> {
  readonly what: string
  readonly find: () => Promise<Found | null>
  readonly create: () => Promise<Found>
}

/** Finds something, or makes it: after a lost answer it is looked for again before it is made again. */
export async function findOrCreate<Found>({ what, find, create }: Findable<Found>): Promise<Found> {
  for (let tried = 1; ; tried += 1) {
    const found = await ask(what, find)
    if (found !== null) return found
    try {
      return await create()
    } catch (error) {
      if (!isUncertain(error) || tried === tries) {
        const made = error instanceof Fault ? null : await ask(what, find).catch(() => null)
        if (made !== null) return made
        throw githubFault(error, what)
      }
      await delay(pauseMs * tried)
    }
  }
}

/** Whether GitHub says that there is nothing at an address, or nothing any more. */
export const isNotThere = (error: unknown): boolean =>
  error instanceof RequestError && (error.status === 404 || error.status === 410)

/** GitHub's refusal as a fault of its kind: status and headers decide, never words alone. */
function githubFault(error: unknown, what: string): Fault {
  if (error instanceof Fault) return error
  if (!(error instanceof RequestError))
    return new Fault('internal', `${what}: ${String(error)}`, { cause: error })
  const { status } = error
  const said = messageOf(error)
  const fault = (code: FaultCode, message: string, hint?: string): Fault =>
    new Fault(code, message, { cause: error, ...(hint !== undefined && { hint }), details: { status } })
  const resetMs = limitedUntil(error)
  if (resetMs !== null)
    return fault(
      'forge_busy',
      `${what}: GitHub limits the rate of requests${resetMs > 0 ? ` until ${new Date(resetMs).toISOString()}` : ''}`,
      'Run the same command again then; what is done already is found again.',
    )
  if (!error.response || status >= 500)
    return fault('forge_busy', `${what}: GitHub gives no answer (${error.response ? status : said})`)
  if (status === 401) return fault('forge_auth', `${what}: GitHub does not accept the token`)
  if (status === 403)
    return fault('forge_refused', `${what}: GitHub refuses it: ${said}`, permissionHint(error))
  if (status === 404)
    return fault('forge_missing', `${what}: GitHub does not know it, or the token may not see it`)
  if (status === 410 || status === 451)
    return fault('forge_missing', `${what}: it is gone from GitHub (${status})`)
  return fault('forge_refused', `${what}: GitHub refuses it (${status}): ${said}`)
}

/** Whether a write may have been carried out although nobody heard of it. */
const isUncertain = (error: unknown): boolean =>
  error instanceof RequestError && (!error.response || error.status >= 500)

const mostSaid = 300

const Refusal = z.object({
  message: z.string().optional(),
  errors: z
    .array(z.looseObject({ message: z.string().optional() }))
    .optional()
    .catch([]),
})

function messageOf(error: RequestError): string {
  const { message, errors = [] } = Refusal.safeParse(error.response?.data).data ?? {}
  const parts = [message, ...errors.map((one) => one.message)].filter((part) => part !== undefined)
  return (parts.length > 0 ? parts.join(': ') : error.message).replaceAll(/\s+/g, ' ').slice(0, mostSaid)
}

/** When the limit ends, 0 when that is not said; null when no limit was reached. */
function limitedUntil({ status, response }: RequestError): number | null {
  if (status !== 403 && status !== 429) return null
  const headers = response?.headers ?? {}
  const retryAfter = Number(headers['retry-after'])
  if (retryAfter > 0) return Date.now() + retryAfter * 1_000
  if (headers['x-ratelimit-remaining'] === '0') return Number(headers['x-ratelimit-reset'] ?? 0) * 1_000
  return status === 429 ? 0 : null
}

function permissionHint({ response }: RequestError): string | undefined {
  const needed = response?.headers['x-accepted-github-permissions']
  return typeof needed === 'string' && needed !== ''
    ? `The token needs the permission ${needed.slice(0, 100)}; docs/guide/github.md says what each is for.`
    : undefined
}
