import { adoptPulls } from '../../loop/publish/adopt-pulls.ts'
import { answerThreads } from '../../loop/publish/answer-threads.ts'
import type { Forge } from '../../loop/ports.ts'
import { syncPull, syncPulls, type SyncedPull } from '../../loop/publish/sync-pulls.ts'
import { deliveryOf } from '../../model/forge/delivery.ts'
import { listIssues } from '../fix/choose-issues.ts'
import { loadSession } from '../fix/stored-session.ts'
import type { App } from '../open-app.ts'
import { pushedFixes } from './create-pull-request.ts'
import { openForge, type OpenedForge } from './open-forge.ts'

/** Records which pull requests of this repository's sessions were merged or closed, and answers the threads that issues came from. */
export const syncPullRequests = async (
  app: App,
  options: { readonly isResolving?: boolean } = {},
): Promise<readonly SyncedPull[]> => syncWith(app, await openForge(app), options)

/** The same for one pull request, as the forge has it now. */
export async function syncPullRequest(app: App, number: number): Promise<readonly SyncedPull[]> {
  const { forge } = await openForge(app)
  const pull = await forge.pulls.get(number)
  const { name } = await forge.about()
  // A branch of another repository may have the name of one of ours.
  if (pull.headRepository !== name) return []
  const synced: SyncedPull[] = []
  for (const { id, branch, branch_made } of await app.store.sessions.list(
    app.repository.id,
    sessionsLookedAt,
  ))
    if (branch_made && branch === pull.branch)
      synced.push(await syncPull(pull, await loadSession(app, id), { issues: app.store.issues }))
  await answerFor(app, forge, { synced, isResolving: false })
  return synced
}

const sessionsLookedAt = 200

async function syncWith(
  app: App,
  { forge, remote }: OpenedForge,
  { isResolving = false }: { readonly isResolving?: boolean },
): Promise<readonly SyncedPull[]> {
  const ports = { forge, issues: app.store.issues, sessions: app.store.sessions }
  const synced = await syncPulls(app.repository.id, ports)
  await answerFor(app, forge, { synced, isResolving })
  const { trees } = await app.ports()
  const adopted = await adoptPulls(await listIssues(app, {}), { ...ports, remote, trees })
  return [...synced, ...adopted]
}

async function answerFor(
  app: App,
  forge: Forge,
  { synced, isResolving }: { readonly synced: readonly SyncedPull[]; readonly isResolving: boolean },
): Promise<void> {
  if (synced.length === 0) return
  const about = await forge.about()
  for (const { session_id } of synced) {
    if (session_id === null) continue
    const { session, attempts } = await loadSession(app, session_id)
    const delivery = deliveryOf(session, attempts, await app.store.issues.get(session.issue_ids))
    if (delivery) await answerThreads({ fixes: pushedFixes(delivery), about, isResolving }, forge)
  }
}
