import { sweepOrphans } from '../adapters/process/sweep-orphans.ts'
import { collectLeftovers, listAbandoned } from '../adapters/workspaces/index.ts'
import { isSettled } from '../model/attempt/attempt.ts'
import { isOver } from '../model/session/session.ts'
import type { App } from './open-app.ts'
import { collectRunFiles } from '../adapters/process/run-mark.ts'

export interface Recovered {
  /** Processes of dead Fixpoint processes that were ended. */
  readonly processes: readonly number[]
  /** Folders and files that no living process owned. */
  readonly folders: readonly string[]
}

const sessionsPerRepository = 200

/** Ends and removes what dead processes of this home left behind; workspaces of sessions that can be resumed stay. */
export async function recover(app: Pick<App, 'home' | 'store'>): Promise<Recovered> {
  const { killed } = await sweepOrphans(app.home, await listAbandoned(app.home))
  const kept = await resumableWorkspaces(app)
  const folders = await collectLeftovers(app.home, undefined, (id) => kept.has(id))
  return { processes: killed, folders: [...folders, ...(await collectRunFiles(app.home))] }
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
