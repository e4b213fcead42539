import { syncPulls, type SyncedPull } from '../../loop/publish/sync-pulls.ts'
import type { App } from '../open-app.ts'
import { openForge } from './open-forge.ts'

/** Takes over what became of the pull requests of this repository's sessions. */
export async function syncPullRequests(app: App): Promise<readonly SyncedPull[]> {
  const { forge } = await openForge(app)
  return syncPulls(app.repository.id, { forge, issues: app.store.issues, sessions: app.store.sessions })
}
