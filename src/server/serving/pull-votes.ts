import type { ReviewedPull } from '../../app/forge/review-pull-request.ts'
import type { PullRequestRow } from '../../model/api/pull-requests.ts'

interface Asked {
  /** The repository. */
  readonly id: string
  /** A number, a branch or an address. */
  readonly pull: string
}

/** The newest votes on pull requests that this process asked for. They are gone when it ends: what is posted stays. */
export interface PullVotes {
  /** Votes, and keeps what they came to. */
  during(asked: Asked, vote: () => Promise<ReviewedPull>): Promise<ReviewedPull>
  of(id: string, number: number): Pick<PullRequestRow, 'voting' | 'votes'>
}

const mostKept = 1_000

export function createPullVotes(): PullVotes {
  const kept = new Map<string, NonNullable<PullRequestRow['votes']>>()
  const asking = new Map<string, number>()
  const keyOf = (id: string, pull: number | string): string => `${id} ${pull}`
  const change = (key: string, by: 1 | -1): void => {
    const count = (asking.get(key) ?? 0) + by
    if (count > 0) asking.set(key, count)
    else asking.delete(key)
  }
  return {
    async during({ id, pull }, vote) {
      const key = keyOf(id, pull)
      change(key, 1)
      try {
        const review = await vote()
        const { number, status, average, reason, head_sha } = review
        const place = keyOf(id, number)
        kept.delete(place)
        kept.set(place, { status, average, reason, head_sha, at: new Date().toISOString() })
        const [oldest] = kept.keys()
        if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
        return review
      } finally {
        change(key, -1)
      }
    },
    of: (id, number) => ({
      voting: asking.has(keyOf(id, number)),
      votes: kept.get(keyOf(id, number)) ?? null,
    }),
  }
}
