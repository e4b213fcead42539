import { setTimeout as delay } from 'node:timers/promises'
import { isDriven } from '../../adapters/process/run-mark.ts'
import { loadSession, outcomeOf } from '../../app/fix/stored-session.ts'
import type { App } from '../../app/open-app.ts'
import { isFinalEvent } from '../../model/session/event.ts'
import { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/id.ts'
import { describeResult } from '../text/describe.ts'
import type { Output } from '../command/output.ts'
import { storeAccess } from './store-access.ts'
import type { FollowOptions, Watched } from './watched.ts'

const pollMs = 250
const eventsPerRead = 500

/** A session in the database: whoever drives it, and whether or not anyone does. */
export async function watchStore(app: App, output: Output, given: string | undefined): Promise<Watched> {
  const id = given === undefined ? await newest(app) : (await loadSession(app, given)).session.id
  return {
    id,
    access: storeAccess(app, id),
    follow: (options) => followStore(app, id, options),
    readEnd: async () => {
      const stored = await loadSession(app, id)
      const { result, exitCode } = await outcomeOf(app, stored)
      return {
        result,
        exitCode,
        text: describeResult(result, output),
        isDriven: isDriven(app.store, stored.session),
      }
    },
  }
}

/** The newest one at work; the newest of all when none is. */
async function newest(app: App): Promise<SessionId> {
  const sessions = await app.store.sessions.list(app.repository.id, 50)
  const found = sessions.find((session) => isDriven(app.store, session)) ?? sessions[0]
  if (found) return found.id
  throw new Fault('not_found', 'there is no session in this repository yet', {
    hint: 'fixpoint fix starts one.',
  })
}

async function followStore(app: App, id: SessionId, { signal, onEvent }: FollowOptions): Promise<void> {
  let last = 0
  while (!signal.aborted) {
    const events = await app.store.sessions.events(id, last, eventsPerRead)
    for (const event of events) {
      onEvent(event)
      if (isFinalEvent(event)) return
      last = event.seq ?? last
    }
    if (events.length < eventsPerRead) await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }
}
