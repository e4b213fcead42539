import { openArtifacts } from '../../adapters/artifacts/index.ts'
import {
  createBranches,
  createParcels,
  createTrees,
  type GitRepository,
} from '../../adapters/workspaces/index.ts'
import type { Variables } from '../../adapters/process/clean-environment.ts'
import type {
  ArtifactShelf,
  Branches,
  Parcels,
  SessionChange,
  SessionStore,
  StoredSession,
} from '../../loop/ports.ts'
import { Fault } from '../../model/fault.ts'
import type { CommitId, SessionId } from '../../model/id.ts'
import type { Config } from '../../model/config/config.ts'
import type { Repository } from '../../model/repository.ts'
import type { Store } from '../../adapters/store/index.ts'
import { objectsOf, type NamedObject } from '../../model/session/named-objects.ts'
import { fetchNotes, readBounded } from './carry-notes.ts'

/** Lets trees and commits be where the rows are that speak of them: everywhere. */
export interface Carrier {
  /** Keeps what a change speaks of, before it is written. */
  keep(change: Pick<SessionChange, 'sessionId' | 'session' | 'attempts'>): Promise<void>
  /** Brings what the rows speak of and is not here. */
  bring(stored: StoredSession): Promise<void>
  /** Brings the notes on the commits that the session has landed, as far as they are not here. */
  bringNotes(stored: StoredSession): Promise<void>
}

export interface CarrierPlace {
  readonly home: string
  readonly env: Variables
  readonly git: GitRepository
  readonly artifactsUrl: string
}

export function openCarrier({ home, env, git, artifactsUrl }: CarrierPlace): Carrier {
  const shelf = openArtifacts({ url: artifactsUrl, home, env })
  const parcels = createParcels(git)
  const kept = new Set<string>()
  return {
    async keep({ sessionId, session, attempts = [] }) {
      for (const object of objectsOf(session, attempts)) {
        if (kept.has(object.id)) continue
        await shelf.put(sessionId, nameOf(object), await parcels.pack(object))
        kept.add(object.id)
      }
    },
    async bring({ session, attempts }) {
      for (const object of objectsOf(session, attempts)) {
        if (kept.has(object.id)) continue
        if (!(await parcels.has(object))) await fetchObject(session.id, object, { shelf, parcels })
        kept.add(object.id)
      }
    },
    bringNotes: ({ session, attempts }) => fetchNotes(shelf, { git, sessionId: session.id, attempts }),
  }
}

const nameOf = ({ id }: NamedObject): string => `objects/${id}.bundle`

async function fetchObject(
  sessionId: SessionId,
  object: NamedObject,
  { shelf, parcels }: { readonly shelf: Pick<ArtifactShelf, 'stream'>; readonly parcels: Parcels },
): Promise<void> {
  const stream = await shelf.stream(sessionId, nameOf(object))
  if (stream === null)
    throw new Fault(
      'not_found',
      `the ${object.kind} ${object.id} of ${sessionId} is on another machine and not among the artifacts`,
      { hint: 'Resume it where it was worked on, or set artifacts.url to a bucket that all workers reach.' },
    )
  await parcels.unpack(object, await readBounded(stream))
}

/** Sessions whose rows speak of nothing that only this machine has. */
export const carryObjects = (sessions: SessionStore, { keep }: Pick<Carrier, 'keep'>): SessionStore => ({
  ...sessions,
  async record(change) {
    await keep(change)
    return sessions.record(change)
  },
})

interface BringTo extends Omit<CarrierPlace, 'artifactsUrl'> {
  readonly store: Pick<Store, 'isOwnerAlive'>
  readonly loaded: { readonly config: Pick<Config, 'artifacts'> }
  readonly repository: Pick<Repository, 'url'>
}

/** Brings all that a session has done on another machine, and its branch where this is a mirror. */
export async function bringSession(
  { store, git, home, env, loaded, repository }: BringTo,
  stored: StoredSession,
): Promise<void> {
  if (store.isOwnerAlive === null) return
  const carrier = openCarrier({ home, env, git, artifactsUrl: loaded.config.artifacts.url })
  await carrier.bring(stored)
  const { branch, branch_made, tip, base } = stored.session
  // In a person's own clone a branch that is not there was deleted by somebody.
  if (repository.url === null || branch === null || !branch_made) return
  const branches: Pick<Branches, 'check' | 'move'> = createBranches(git)
  const state = await branches.check(branch)
  const isBehind =
    state.state === 'exists' && state.commit !== tip.commit && (await isOlder(git, state.commit, tip.commit))
  const from = state.state === 'exists' ? state.commit : null
  if (state.state === 'free' || isBehind)
    await branches.move({ branch, from, to: tip.commit, base: base.commit })
  await carrier.bringNotes(stored)
}

/** A mirror that worked on the session earlier has its branch where it was then. */
const isOlder = (git: GitRepository, commit: CommitId, tip: CommitId): Promise<boolean> =>
  createTrees(git).isReached(commit, tip)
