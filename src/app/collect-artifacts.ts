import { openArtifacts, type ArtifactsPlace } from '../adapters/artifacts/index.ts'
import type { Store } from '../adapters/store/index.ts'
import { createBranches, createTrees, type GitRepository } from '../adapters/workspaces/index.ts'
import { collectArtifacts, type Collected, type CollectRequest } from '../loop/session/collect-artifacts.ts'
import type { Clock } from '../loop/ports.ts'
import type { App } from './open-app.ts'
import { clock } from './machine.ts'

interface CollectParts extends ArtifactsPlace {
  readonly git: GitRepository
  readonly store: Pick<Store, 'sessions' | 'reviews' | 'issues' | 'isOwnerAlive'>
  readonly clock?: Pick<Clock, 'now'>
}

/** Enough to keep up with any number of sessions, and few enough that nobody waits for it. */
const atMost = 20

/** Deletes what the retention no longer keeps of one repository. */
export const collectOldArtifacts = (
  { home, env, url, git, store, clock: time = clock }: CollectParts,
  request: Omit<CollectRequest, 'hasOtherClones'>,
): Promise<Collected> =>
  collectArtifacts(
    { ...request, hasOtherClones: store.isOwnerAlive !== null },
    {
      shelf: openArtifacts({ url, home, env }),
      sessions: store.sessions,
      reviews: store.reviews,
      issues: store.issues,
      trees: createTrees(git),
      branches: createBranches(git),
      clock: time,
    },
  )

/** Deletes a few of them: at the end of each session, and now and then in a server. */
export const collectSomeArtifacts = (
  app: Pick<App, 'home' | 'env' | 'git' | 'store' | 'repository' | 'loaded'>,
  time: Pick<Clock, 'now'> = clock,
): Promise<Collected> =>
  collectOldArtifacts(
    { ...app, url: app.loaded.config.artifacts.url, clock: time },
    {
      repositoryId: app.repository.id,
      retentionMs: app.loaded.config.artifacts.retention_ms,
      atMost,
    },
  )
