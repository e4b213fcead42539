import type { FlatResults } from './result-tree.ts'

/** Reads the counts that `node --test` prints at its end, such as `ℹ tests 5`; tape pads them with blanks; several runs add up. */
export function readCounts(lines: readonly string[], prefix: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const line of lines) {
    if (!line.startsWith(prefix)) continue
    const [, name, value] =
      /^(tests|suites|pass|fail|cancelled|skipped|skip|todo) +(\d+)$/.exec(line.slice(prefix.length)) ?? []
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + Number(value))
  }
  return counts
}

/** Node counts suites apart, but prints an empty suite like a test and a test with subtests like a suite. */
export function agreesWithCounts(results: FlatResults, counts: ReadonlyMap<string, number>): boolean {
  const printed = results.leaves + results.groups
  return (
    printed === (counts.get('tests') ?? 0) + (counts.get('suites') ?? 0) && namesAllFailures(results, counts)
  )
}

export function ranByCounts(counts: ReadonlyMap<string, number>): number {
  return ['pass', 'fail', 'cancelled'].reduce((sum, name) => sum + (counts.get(name) ?? 0), 0)
}

export function namesAllFailures(results: FlatResults, counts: ReadonlyMap<string, number>): boolean {
  const failures = (counts.get('fail') ?? 0) + (counts.get('cancelled') ?? 0)
  return results.failedLeaves <= failures && failures <= results.failedLeaves + results.failedGroups
}
