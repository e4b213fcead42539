import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import { RequestError } from '@octokit/request-error'
import { setTimeout as delay } from 'node:timers/promises'
import { Fault } from '../../../model/fault.ts'
import { githubFault, isUncertain } from './faults.ts'

const Client = Octokit.plugin(paginateRest, retry, throttling)
export type GitHubClient = InstanceType<typeof Client>

export interface GitHubAccess {
  readonly apiUrl: string
  /** A token, or how one is made for each request. */
  readonly auth: string | { readonly strategy: unknown; readonly options: Readonly<Record<string, unknown>> }
}

/** A limit that ends sooner is waited for. */
const longestWaitSeconds = 60
const mostRetries = 2
const timeoutMs = 60_000

export function connectGitHub({ apiUrl, auth }: GitHubAccess): GitHubClient {
  return new Client({
    baseUrl: apiUrl.replace(/\/+$/, ''),
    userAgent: 'fixpoint',
    ...(typeof auth === 'string' ? { auth } : { authStrategy: auth.strategy as never, auth: auth.options }),
    // The faults that commands print say it all; Octokit's own log would say it twice.
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
