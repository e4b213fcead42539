import type { TreeId } from '../../model/id.ts'
import type { CheckCommand, CommandRun } from '../../model/proof/verification.ts'
import type { CheckRequest, Checks } from '../ports.ts'

/** Commands on trees, where what ran once is not run again. */
export interface RememberedRuns {
  run(request: CheckRequest): Promise<readonly CommandRun[]>
  /** Every tree that something ran on. */
  trees(): ReadonlySet<TreeId>
  /** How long these took when they ran last, here or in an earlier session; null where that is not known of each. */
  expectedMs(commands: readonly CheckCommand[]): number | null
}

export function rememberRuns(checks: Checks): RememberedRuns {
  const seen = new Map<string, { readonly tree: TreeId; readonly runs: Promise<readonly CommandRun[]> }>()
  const tookMs = new Map<string, number>()
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
        (ended) => {
          if (ended.some((each) => each.ended === 'cancelled')) seen.delete(key)
          else for (const each of ended) tookMs.set(each.run, each.duration_ms)
        },
        () => seen.delete(key),
      )
      return runs
    },
    expectedMs(commands) {
      const known = commands.flatMap(({ run }) => tookMs.get(run) ?? [])
      return known.length < commands.length ? null : known.reduce((sum, ms) => sum + ms, 0)
    },
    trees: () => new Set([...seen.values()].map(({ tree }) => tree)),
  }
}
