import { answerThreads } from '../../loop/publish/answer-threads.ts'
import { syncPulls, type SyncedPull } from '../../loop/publish/sync-pulls.ts'
import { deliveryOf } from '../../model/forge/delivery.ts'
import { loadSession } from '../fix/stored-session.ts'
import type { App } from '../open-app.ts'
import { pushedFixes } from './create-pull-request.ts'
import { openForge, type OpenedForge } from './open-forge.ts'

/** Takes over what became of the pull requests of this repository's sessions, and answers the threads that issues came from. */
export const syncPullRequests = async (
  app: App,
  options: { readonly isResolving?: boolean } = {},
): Promise<readonly SyncedPull[]> => syncWith(app, await openForge(app), options)

async function syncWith(
  app: App,
  { forge }: Pick<OpenedForge, 'forge'>,
  { isResolving = false }: { readonly isResolving?: boolean },
): Promise<readonly SyncedPull[]> {
  const ports = { forge, issues: app.store.issues, sessions: app.store.sessions }
  const synced = await syncPulls(app.repository.id, ports)
  if (synced.length === 0) return synced
  const about = await forge.about()
  for (const { session_id } of synced) {
    const { session, attempts } = await loadSession(app, session_id)
    const delivery = deliveryOf(session, attempts, await app.store.issues.get(session.issue_ids))
    if (delivery) await answerThreads({ fixes: pushedFixes(delivery), about, isResolving }, forge)
  }
  return synced
}
