import { collectControlGroups } from '../adapters/jail/control-group.ts'
import { sweepOrphans } from '../adapters/process/sweep-orphans.ts'
import { collectUnfinished } from '../adapters/artifacts/index.ts'
import { collectLeftovers, listAbandoned } from '../adapters/workspaces/index.ts'
import { isSettled } from '../model/attempt/attempt.ts'
import { isOver } from '../model/session/session.ts'
import { createRecorder, settleOpenAttempts } from '../loop/context/recorder.ts'
import type { StoredSession } from '../loop/ports.ts'
import { clock } from './machine.ts'
import type { App } from './open-app.ts'
import { collectRunFiles } from '../adapters/process/leftovers/remove-tree.ts'

export interface Recovered {
  /** Processes of dead Fixpoint processes that were ended. */
  readonly processes: readonly number[]
  /** Folders and files that no living process owned. */
  readonly folders: readonly string[]
}

const sessionsPerRepository = 200

/** Ends the processes and removes the files that dead processes of this home left behind; workspaces of sessions that can be resumed stay. */
export async function recover(app: Pick<App, 'home' | 'store'>): Promise<Recovered> {
  const { killed } = await sweepOrphans(app.home, await listAbandoned(app.home))
  await freeAllStranded(app)
  const kept = await resumableWorkspaces(app)
  const folders = await collectLeftovers(app.home, undefined, (id) => kept.has(id))
  const files = [...(await collectRunFiles(app.home)), ...(await collectUnfinished(app.home))]
  return { processes: killed, folders: [...folders, ...files, ...(await collectControlGroups())] }
}

/** The workspaces that a resumed session would go on with. */
export async function resumableWorkspaces({ store }: Pick<App, 'store'>): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  for (const { id } of await store.repositories.list()) {
    const sessions = await store.sessions.list(id, sessionsPerRepository)
    for (const session of sessions.filter((open) => !isOver(open))) {
      const stored = await store.sessions.load(session.id)
      stored?.attempts.filter((attempt) => !isSettled(attempt)).forEach((attempt) => ids.add(attempt.id))
    }
  }
  return ids
}

/** Gives back the issues that ended sessions still hold, of every repository; returns their codes. */
export async function freeAllStranded(app: Pick<App, 'store'>): Promise<readonly string[]> {
  const freed: string[] = []
  for (const { held, stored } of await listStranded(app)) {
    await freeStranded(app.store, stored)
    freed.push(...held)
  }
  return freed
}

export interface Stranded {
  readonly stored: StoredSession
  readonly held: readonly string[]
}

const issuesPerRepository = 500

/** Sessions that are over, and still hold issues. */
export async function listStranded({ store }: Pick<App, 'store'>): Promise<readonly Stranded[]> {
  const stranded: Stranded[] = []
  for (const { id: repositoryId } of await store.repositories.list()) {
    const { issues } = await store.issues.list({
      repositoryId,
      status: ['in_progress'],
      limit: issuesPerRepository,
    })
    for (const [id, members] of Map.groupBy(issues, ({ fix_session_id }) => fix_session_id)) {
      const stored = id && (await store.sessions.load(id))
      if (stored && isOver(stored.session)) stranded.push({ stored, held: members.map(({ code }) => code) })
    }
  }
  return stranded
}

/** Ends the open attempts of a session that is over: nobody can go on with it. */
export async function freeStranded(
  { sessions }: Pick<App['store'], 'sessions'>,
  stored: StoredSession,
): Promise<StoredSession> {
  const recorder = createRecorder(stored, {
    sessions,
    clock,
    publisher: { publish: () => undefined },
  })
  await settleOpenAttempts(recorder, {
    outcome: 'not_evaluated',
    reason: `${stored.session.id} is over, and left this undone`,
  })
  return { session: stored.session, attempts: recorder.attempts() }
}
