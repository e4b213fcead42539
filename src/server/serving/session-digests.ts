import type { SqliteStore } from '../../adapters/store/index.ts'
import type { SessionRow } from '../../model/api/sessions.ts'
import type { RepositoryId } from '../../model/id.ts'
import { isOver, type Session } from '../../model/session/session.ts'
import { sessionEndsOf, type SessionEnds } from './insights.ts'
import { sessionRowOf } from './session-views.ts'

/** A session as lists and figures need it, without its rounds. */
export interface SessionDigest {
  readonly row: SessionRow
  readonly ends: SessionEnds
}

export interface SessionDigests {
  /** The newest first; of all repositories when none is given. */
  list(limit: number, repositoryId?: RepositoryId): Promise<readonly SessionDigest[]>
}

const keptDigests = 5_000

/** Reads sessions for lists. One that is over does not change any more, so it is read once. */
export function createSessionDigests({ sessions, repositories }: SqliteStore): SessionDigests {
  const kept = new Map<string, SessionDigest>()
  const digestOf = async (session: Session): Promise<readonly SessionDigest[]> => {
    const known = kept.get(session.id)
    if (known) return [known]
    const stored = await sessions.load(session.id)
    if (!stored) return []
    const digest = { row: sessionRowOf(stored), ends: sessionEndsOf(stored) }
    if (kept.size >= keptDigests) kept.clear()
    if (isOver(stored.session)) kept.set(session.id, digest)
    return [digest]
  }
  return {
    async list(limit, repositoryId) {
      const ids = repositoryId ? [repositoryId] : (await repositories.list()).map(({ id }) => id)
      const found: Session[] = []
      for (const id of ids) found.push(...(await sessions.list(id, limit)))
      const newest = found.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)
      const digests: SessionDigest[] = []
      for (const session of newest) digests.push(...(await digestOf(session)))
      return digests
    },
  }
}
