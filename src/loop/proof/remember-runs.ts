import type { TreeId } from '../../model/id.ts'
import type { CommandRun } from '../../model/proof/verification.ts'
import type { CheckRequest, Checks } from '../ports.ts'

/** Commands on trees, where what ran once is not run again. */
export interface RememberedRuns {
  run(request: CheckRequest): Promise<readonly CommandRun[]>
  /** Every tree that something ran on. */
  trees(): ReadonlySet<TreeId>
}

export function rememberRuns(checks: Checks): RememberedRuns {
  const seen = new Map<string, { readonly tree: TreeId; readonly runs: Promise<readonly CommandRun[]> }>()
  return {
    run(request) {
      const { revision, commands, isControl = false } = request
      const key = JSON.stringify([revision.tree, isControl, commands.map(({ name, run }) => [name, run])])
      const known = seen.get(key)
      if (known) return known.runs
      const runs = checks.run(request)
      seen.set(key, { tree: revision.tree, runs })
      // A run that was cut off or rejected says nothing about the tree, so it must not be remembered.
      runs.then(
        (ended) => ended.some((each) => each.ended === 'cancelled') && seen.delete(key),
        () => seen.delete(key),
      )
      return runs
    },
    trees: () => new Set([...seen.values()].map(({ tree }) => tree)),
  }
}
