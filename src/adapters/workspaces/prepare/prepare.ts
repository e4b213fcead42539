import type { CommitId, TreeId } from '../../../model/id.ts'
import type { Preparation } from '../../../model/attempt/workspace.ts'
import type { GitRepository } from '../repository/open-repository.ts'
import type { CheckedOut } from '../working-tree/check-out.ts'
import { copyTree } from './copy-tree.ts'
import { setupKeyOf } from './setup-key.ts'
import { setUpOnce, type RunSetup, type SetUp, type SetupCommand } from './setup-pool.ts'
import { sharePaths } from './share.ts'

/** How workspaces get what git ignores: `workspace.setup` and `workspace.share` of the configuration. */
export interface Prepare {
  readonly share: readonly string[]
  readonly setup: SetupCommand | null
  readonly runSetup: RunSetup
}

export interface PrepareRequest {
  readonly tree: TreeId
  readonly head: CommitId
  readonly checkedOut: CheckedOut
}

export interface Prepared {
  /** Paths that are not the agent's, left out of every capture. */
  readonly excluded: readonly string[]
  readonly preparation: Preparation
}

export type Preparer = (request: PrepareRequest) => Promise<Prepared>

/** A setup that failed is not tried again by the same process, until the command or a lock file changes. */
export function createPreparer(repository: GitRepository, prepare: Prepare): Preparer {
  const failed = new Map<string, SetUp>()
  const setUp = async (setup: SetupCommand, request: PrepareRequest): Promise<SetUp> => {
    const key = await setupKeyOf(repository, request.tree, setup.run)
    const result =
      failed.get(key) ?? (await setUpOnce(repository, { ...prepare, setup }, { key, ...request }))
    if (result.status === 'failed') failed.set(key, result)
    return result
  }
  return async (request) => {
    const { checkedOut } = request
    const result = prepare.setup === null ? null : await setUp(prepare.setup, request)
    const made = result?.status === 'done' ? result.made : []
    if (result?.status === 'done') {
      for (const path of made) await copyTree({ from: result.root, to: checkedOut.tree }, path)
    }
    const { excluded, warnings } = await sharePaths(repository, prepare.share, checkedOut)
    return {
      excluded: [...made, ...excluded],
      preparation: {
        setup: result?.status ?? 'none',
        reason: result?.status === 'failed' ? result.reason : null,
        warnings,
      },
    }
  }
}
