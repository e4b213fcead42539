import { Fault } from '../../model/fault.ts'
import { NewestMap } from '../../model/newest-map.ts'

export interface RateLimit {
  /** So many at once. */
  readonly burst: number
  /** So many in the long run. */
  readonly perSecond: number
}

/** A page that loads asks for a dozen things at once; a script that asks more than this has lost its way. */
export const requestRate: RateLimit = { burst: 300, perSecond: 20 }

/** Wrong tokens from one address: enough for people who mistype, and for pages that were left open. */
export const refusedRate: RateLimit = { burst: 60, perSecond: 0.5 }

export interface RateLimiter {
  /** Counts one; a fault that says when to come back when it was one too many. */
  count(key: string): void
}

const mostKeys = 10_000

/** Each key has a bucket that fills by itself; the one that was used longest ago need not be remembered. */
export function createRateLimiter({ burst, perSecond }: RateLimit, now: () => number): RateLimiter {
  const buckets = new NewestMap<string, { level: number; atMs: number }>(mostKeys)
  const levelOf = (key: string): number => {
    const known = buckets.get(key)
    return known ? Math.min(burst, known.level + ((now() - known.atMs) / 1_000) * perSecond) : burst
  }
  const refuse = (level: number): never => {
    const seconds = Math.max(1, Math.ceil((1 - level) / perSecond))
    throw new Fault('rate_limited', 'too many requests in a short time', {
      hint: `Try again in ${seconds} s.`,
      details: { retry_after_s: seconds },
    })
  }
  return {
    count(key) {
      const level = levelOf(key)
      if (level < 1) refuse(level)
      buckets.set(key, { level: level - 1, atMs: now() })
    },
  }
}
