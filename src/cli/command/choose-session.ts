import { listWaiting } from '../../app/fix/answer-approval.ts'
import type { App } from '../../app/open-app.ts'
import { Fault } from '../../model/fault.ts'
import { isOver } from '../../model/session/session.ts'

/** How far back a session is looked for that nobody named. */
export const recentSessions = 50

/** The one session in which the issues of these codes, or any when none are given, wait for a person's word. */
export async function theWaitingSession(app: App, verb: string, codes: readonly string[]): Promise<string> {
  const wanted = codes.map((code) => code.toUpperCase())
  const found = new Map<string, string>()
  for (const { id } of await app.store.sessions.list(app.repository.id, recentSessions)) {
    const stored = await app.store.sessions.load(id)
    const waiting = stored ? await listWaiting(app, stored) : []
    const isMeant = waiting.length > 0 && wanted.every((code) => waiting.includes(code))
    if (isMeant) found.set(id, `fixpoint ${verb} ${id} ${(wanted.length > 0 ? wanted : waiting).join(' ')}`)
  }
  return theOnly(found, `waits for an answer${wanted.length > 0 ? ` about ${wanted.join(', ')}` : ''}`)
}

/** The one session that has not ended. */
export async function theOpenSession(app: App): Promise<string> {
  const sessions = await app.store.sessions.list(app.repository.id, recentSessions)
  const open = sessions.filter((session) => !isOver(session))
  return theOnly(new Map(open.map(({ id }) => [id, `fixpoint cancel ${id}`])), 'is left to cancel')
}

/** Of several the person chooses: each is named by the command that means it. */
function theOnly(commands: ReadonlyMap<string, string>, what: string): string {
  const [id, ...others] = commands.keys()
  if (id === undefined)
    throw new Fault('not_found', `no session of this repository ${what}`, {
      hint: 'fixpoint sessions list shows them all.',
    })
  if (others.length === 0) return id
  throw new Fault('usage', `more than one session of this repository ${what}`, {
    hint: `Say which: ${[...commands.values()].join(', or ')}`,
  })
}
