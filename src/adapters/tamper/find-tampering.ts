import { guardOf, inspectFile } from './inspect-file.ts'
import { findLookAlikes } from './look-alikes.ts'
import { findShadows } from './shadows.ts'
import type { FileChange, Inspection, Sign, TamperOptions, Tampering } from './markers/tampering.ts'

export type { FileChange, TamperOptions, Tampering } from './markers/tampering.ts'

/**
 * The ways in which a patch weakens the checks that would prove it wrong, and the parts of it that nobody can read.
 * Tests and markers that only moved between its files do not count.
 */
export function findTampering(changes: readonly FileChange[], options: TamperOptions): readonly Tampering[] {
  const guard = guardOf(changes, options)
  const inspected = changes.map((change) => ({ change, ...inspectFile(change, guard) }))
  const moved = countMoves(inspected)
  const found = inspected.flatMap(({ change, signs }) => {
    const left = signs.filter((sign) => !isMoved(sign, moved))
    return bounded(left).map((sign) => tamperingOf(sign, change, options))
  })
  const existing = options.existing ?? new Set()
  return [...found, ...findLookAlikes(changes, existing), ...findShadows(changes, existing)]
}

function countMoves(inspected: readonly Inspection[]): Map<string, number> {
  const moved = new Map<string, number>()
  for (const key of inspected.flatMap(({ moveKeys }) => moveKeys)) moved.set(key, (moved.get(key) ?? 0) + 1)
  return moved
}

/** Each thing accounts for one other only. */
function isMoved({ moveKeys = [] }: Sign, moved: Map<string, number>): boolean {
  if (moveKeys.length === 0 || !moveKeys.every((key) => (moved.get(key) ?? 0) > 0)) return false
  for (const key of moveKeys) moved.set(key, (moved.get(key) ?? 0) - 1)
  return true
}

const maxPerFile = 100

function bounded(signs: readonly Sign[]): readonly Sign[] {
  const sorted = signs.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
  const last = sorted[maxPerFile - 1]
  if (sorted.length <= maxPerFile || !last) return sorted
  return [
    ...sorted.slice(0, maxPerFile - 1),
    { ...last, what: `${last.what}, and ${sorted.length - maxPerFile} more` },
  ]
}

function tamperingOf(
  { line, kind, what, unlessRan }: Sign,
  { path, oldPath }: FileChange,
  options: TamperOptions,
): Tampering {
  const isFindings = options.findingFile !== null && [path, oldPath].includes(options.findingFile)
  const said = isFindings ? `${what} (the finding is in this file)` : what
  return { path, line, kind, what: said, ...(unlessRan !== undefined && { unlessRan }) }
}
