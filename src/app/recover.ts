import { collectControlGroups } from '../adapters/jail/control-group.ts'
import { sweepOrphans } from '../adapters/process/sweep-orphans.ts'
import { collectUnfinished } from '../adapters/artifacts/index.ts'
import { collectLeftovers, listAbandoned } from '../adapters/workspaces/index.ts'
import { isSettled } from '../model/attempt/attempt.ts'
import { AttemptId } from '../model/id.ts'
import type { Repository } from '../model/repository.ts'
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

/**
 * Ends the processes and removes the files that dead processes of this home left behind; workspaces of sessions that can
 * be resumed stay. It is done before every session: what it costs must not grow with the repositories of a database.
 */
export async function recover(app: Pick<App, 'home' | 'store' | 'repository'>): Promise<Recovered> {
  const { killed } = await sweepOrphans(app.home, await listAbandoned(app.home))
  await freeStrandedOf(app, [app.repository])
  const folders = await collectLeftovers(app.home, undefined, resumable(app))
  const files = [...(await collectRunFiles(app.home)), ...(await collectUnfinished(app.home))]
  return { processes: killed, folders: [...folders, ...files, ...(await collectControlGroups())] }
}

/** Tells whether a resumed session would go on with a workspace, which is named after its attempt. */
export const resumable =
  ({ store }: Pick<App, 'store'>) =>
  async (workspace: string): Promise<boolean> => {
    const id = AttemptId.safeParse(workspace)
    const attempt = id.success ? await store.leases.attempt(id.data) : null
    if (attempt === null || isSettled(attempt)) return false
    const stored = await store.sessions.load(attempt.session_id)
    return stored !== null && !isOver(stored.session)
  }

type Repositories = readonly Pick<Repository, 'id'>[]

/** Gives back the issues that ended sessions of these repositories still hold; returns their codes. */
export async function freeStrandedOf(
  app: Pick<App, 'store'>,
  repositories: Repositories,
): Promise<readonly string[]> {
  const freed: string[] = []
  for (const { held, stored } of await listStranded(app, repositories)) {
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
export async function listStranded(
  { store }: Pick<App, 'store'>,
  repositories: Repositories,
): Promise<readonly Stranded[]> {
  const stranded: Stranded[] = []
  for (const { id: repositoryId } of repositories) {
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
