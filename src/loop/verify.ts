import picomatch from 'picomatch'
import type { Revision } from '../model/attempt.ts'
import type { TreeId } from '../model/id.ts'
import {
  judgeVerification,
  type CheckCommand,
  type CommandRun,
  type Verification,
} from '../model/verification.ts'
import type { Checks } from './ports.ts'

/** Verifies trees against one baseline. No tree is verified twice; `count` says how many were. */
export interface Verifier {
  verify(revision: Revision, changed: readonly string[], signal: AbortSignal): Promise<Verification>
  count(): number
}

export function createVerifier(checks: Checks, commands: readonly CheckCommand[], base: Revision): Verifier {
  const seen = new Map<string, Promise<readonly CommandRun[]>>()

  const runAll = (revision: Revision, chosen: readonly CheckCommand[], signal: AbortSignal) => {
    const key = `${revision.tree} ${chosen.map((command) => command.name).join(' ')}`
    const known = seen.get(key)
    if (known) return known
    const started = checks.run({ commands: chosen, revision, signal })
    seen.set(key, started)
    // A run that was cut off or rejected says nothing about the tree, so it must not be remembered.
    started.then(
      (runs) => runs.some((run) => run.ended === 'cancelled') && seen.delete(key),
      () => seen.delete(key),
    )
    return started
  }

  return {
    async verify(revision, changed, signal) {
      const chosen = commands.filter((command) => appliesTo(command, changed))
      if (chosen.length === 0) return judgeVerification(revision.tree, [], [])
      const baseline = await runAll(base, chosen, signal)
      const runs = await runAll(revision, chosen, signal)
      return judgeVerification(revision.tree, runs, baseline)
    },
    count: () => countTrees(seen.keys(), base.tree),
  }
}

const appliesTo = (command: CheckCommand, changed: readonly string[]): boolean =>
  command.paths.length === 0 ||
  changed.some((path) => picomatch.isMatch(path, [...command.paths], { dot: true }))

function countTrees(keys: Iterable<string>, base: TreeId): number {
  const trees = new Set([...keys].map((key) => key.split(' ')[0]))
  trees.delete(base)
  return trees.size
}
