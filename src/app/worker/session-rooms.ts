import { createSharedSlots, type Slots } from '../../loop/context/slots.ts'
import type { Verifier } from '../../loop/context/verifier.ts'
import type { Ports } from '../../loop/ports.ts'
import { createVerifier } from '../../loop/proof/verify.ts'
import { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/id.ts'
import type { Session } from '../../model/session/session.ts'
import type { Store } from '../../adapters/store/index.ts'
import { requireAgents } from '../fix/fix-issues.ts'
import { requireTrusted } from '../fix/require-trusted.ts'
import { withCommands } from '../fix/stored-session.ts'
import type { App } from '../open-app.ts'
import type { Listener } from '../publisher.ts'
import { recover } from '../recover.ts'
import { requireForeignSafe } from '../trust/foreign-code.ts'
import { agentsAtOnce } from './running-sessions.ts'

/** What the attempts of one session share in a process that works on some of them. */
export interface SessionRoom {
  readonly app: App
  readonly ports: Ports
  readonly verifier: Verifier
  readonly slots: Slots
}

export interface SessionRooms {
  /** Works in the room of a session, which is opened for the first and closed some time after the last. */
  within<Value>(id: SessionId, work: (room: SessionRoom) => Promise<Value>): Promise<Value>
  close(): Promise<void>
}

export interface RoomParts {
  readonly store: Store
  readonly openFor: (session: Session) => Promise<App>
  readonly publish: Listener
}

interface Entry {
  readonly room: Promise<SessionRoom>
  users: number
  closing: NodeJS.Timeout | undefined
}

/** The next attempt of the same session mostly comes soon, and opening a repository takes several runs of git. */
const keptMs = 10_000

export function createSessionRooms(parts: RoomParts): SessionRooms {
  const entries = new Map<SessionId, Entry>()
  const places = createSharedSlots(agentsAtOnce)
  const leave = async (id: SessionId, entry: Entry): Promise<void> => {
    if (entries.get(id) === entry) entries.delete(id)
    await (await entry.room).app.close()
  }
  const enter = (id: SessionId): Entry => {
    const known = entries.get(id)
    if (known) return known
    const entry: Entry = { room: openRoom(id, parts, places), users: 0, closing: undefined }
    entries.set(id, entry)
    entry.room.catch(() => entries.delete(id))
    return entry
  }
  return {
    async within(id, work) {
      const entry = enter(id)
      clearTimeout(entry.closing)
      entry.users += 1
      try {
        return await work(await entry.room)
      } finally {
        entry.users -= 1
        if (entry.users === 0 && entries.get(id) === entry)
          entry.closing = setTimeout(() => void leave(id, entry), keptMs)
      }
    },
    async close() {
      for (const [id, entry] of entries) {
        clearTimeout(entry.closing)
        await leave(id, entry)
      }
    },
  }
}

/** Refuses what a driver would refuse here: code that nobody trusts, agents that are not there. */
async function openRoom(
  id: SessionId,
  { store, openFor, publish }: RoomParts,
  places: ReturnType<typeof createSharedSlots>,
): Promise<SessionRoom> {
  const stored = await store.sessions.load(id)
  if (!stored) throw new Fault('not_found', `there is no session "${id}"`)
  const app = await openFor(stored.session)
  try {
    app.subscribe(publish)
    await requireTrusted(app, { revisions: [stored.session.base.commit] })
    await requireForeignSafe(app, stored)
    const ports = await app.ports()
    requireAgents(app, ports)
    // A worker that was killed here has left what it had begun.
    await recover(app)
    const { options, base } = withCommands(stored.session, app.loaded.config.verify.commands)
    const verifier = createVerifier({ ...ports, ...options, base })
    return { app, ports, verifier, slots: places.forSession(options.concurrency) }
  } catch (error) {
    await app.close()
    throw error
  }
}
