import type { Variables } from '../../adapters/process/clean-environment.ts'
import type { Store } from '../../adapters/store/index.ts'
import { collectSomeArtifacts } from '../../app/collect-artifacts.ts'
import { openMirrors } from '../../app/mirrors/open-mirrors.ts'
import type { App } from '../../app/open-app.ts'
import { finishLeftReviews } from '../../app/review/review-record.ts'
import type { ArtifactShelf } from '../../loop/ports.ts'

/** What a server does now and then, for all repositories. */
export interface Chores {
  /**
   * Finishes reviews that dead processes left, deletes some of the artifacts that retention no longer keeps, and
   * measures those that are left.
   */
  readonly collect: () => Promise<void>
  /** What the artifacts took when they were last measured; null before that, and when they could not be measured. */
  readonly artifactBytes: () => number | null
}

interface ChoreParts {
  readonly home: string
  readonly env: Variables
  readonly store: Store
  readonly artifacts: Pick<ArtifactShelf, 'bytes'>
  readonly withRepository: (id: string, use: (app: App) => Promise<void>) => Promise<void>
  readonly onError: (error: unknown, what: string) => void
}

export function createChores(parts: ChoreParts): Chores {
  const { artifacts, onError } = parts
  let measured: number | null = null
  return {
    async collect() {
      try {
        await collectEverywhere(parts)
      } finally {
        measured = await artifacts.bytes().catch((error: unknown) => {
          onError(error, 'measuring the artifacts')
          return null
        })
      }
    },
    artifactBytes: () => measured,
  }
}

async function collectEverywhere({ home, env, store, withRepository, onError }: ChoreParts): Promise<void> {
  const work = async (app: App): Promise<void> => {
    await finishLeftReviews(app)
    await collectSomeArtifacts(app)
  }
  for (const { id, path, url } of await store.repositories.list())
    // Of a repository by URL the end of each session collects: a mirror is not fetched for that.
    if (url === null)
      await withRepository(id, work).catch((error: unknown) =>
        onError(error, `looking after what is kept of ${path}`),
      )
  await openMirrors({ home, env, store }).collect()
}
