import type { Issue } from '../../model/issue/issue.ts'
import { maxLineDistance, type FindingGroup } from './groups.ts'

/** What a claim is about, without what stands around it; null when it cites no code. */
export type CodeKey = (claimed: Pick<Issue, 'rule' | 'title' | 'current_code'>) => string | null

/**
 * A copy keeps the fingerprint of its original when only the surroundings of the original are edited: where the same
 * code still stands nearer to the issue, that is the issue, and the copy is new.
 */
export function preferOriginals(
  groups: readonly FindingGroup[],
  found: Map<FindingGroup, Issue>,
  keyOf: CodeKey,
): void {
  const placeKey = ({ lead }: FindingGroup): string | null => {
    const key = lead.line === null ? null : keyOf(lead)
    return key === null ? null : `${lead.file}\0${key}`
  }
  const strays = [...found].filter(([group, issue]) => isFar(group, issue))
  if (strays.length === 0) return
  const free = Map.groupBy(
    groups.filter((group) => !found.has(group)),
    placeKey,
  )
  for (const [copy, issue] of strays) {
    const candidates = free.get(placeKey(copy) ?? '') ?? []
    const original = candidates.find(
      (group) => !found.has(group) && distance(group, issue) < distance(copy, issue),
    )
    if (original === undefined) continue
    found.delete(copy)
    found.set(original, issue)
  }
}

const distance = ({ lead }: FindingGroup, issue: Issue): number =>
  Math.abs((lead.line ?? 0) - (issue.line ?? 0))

const isFar = (group: FindingGroup, issue: Issue): boolean =>
  group.lead.file === issue.file && distance(group, issue) > maxLineDistance
