import type { Store } from '../../adapters/store/index.ts'
import type { SessionHead, SessionHeadQuery } from '../../loop/ports.ts'
import type { Attempt } from '../../model/attempt/attempt.ts'
import type { SessionRow } from '../../model/api/sessions.ts'
import { NewestMap } from '../../model/newest-map.ts'
import { isOver } from '../../model/session/session.ts'
import { sessionEndsOf, type SessionEnds } from '../insights/insights.ts'
import { sessionRowOf } from './session-views.ts'

/** A session as lists and figures need it, without its rounds. */
export interface SessionDigest {
  readonly row: SessionRow
  readonly ends: SessionEnds
  /** The stage of each of its attempts. */
  readonly stages: readonly Attempt['stage'][]
  /** How often it was taken over since it last got further. */
  readonly takeovers: number
}

export interface SessionDigests {
  /** The newest first; of all repositories when none is given. */
  list(query: SessionHeadQuery): Promise<readonly SessionDigest[]>
}

const keptDigests = 5_000

/** Reads sessions for lists. One that is over does not change any more, so it is read once. */
export function createSessionDigests(store: Pick<Store, 'sessions' | 'isOwnerAlive'>): SessionDigests {
  const { sessions } = store
  const kept = new NewestMap<string, SessionDigest>(keptDigests)
  const digestOf = async ({ id, status }: SessionHead): Promise<readonly SessionDigest[]> => {
    const known = kept.get(id)
    if (known) return [known]
    const stored = await sessions.load(id)
    if (!stored) return []
    const digest = {
      row: sessionRowOf(stored, store),
      ends: sessionEndsOf(stored),
      stages: stored.attempts.map(({ stage }) => stage),
      takeovers: stored.session.takeovers?.count ?? 0,
    }
    if (isOver({ status })) kept.set(id, digest)
    return [digest]
  }
  return {
    async list(query) {
      const digests: SessionDigest[] = []
      for (const head of await sessions.heads(query)) digests.push(...(await digestOf(head)))
      return digests
    },
  }
}
