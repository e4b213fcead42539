import { RequestError } from '@octokit/request-error'
import { z } from 'zod'
import { Fault, type FaultCode } from '../../../model/fault.ts'

/** What GitHub refused, as a fault of its kind: told apart by status and headers, never by words alone. */
export function githubFault(error: unknown, what: string): Fault {
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
export const isUncertain = (error: unknown): boolean =>
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
