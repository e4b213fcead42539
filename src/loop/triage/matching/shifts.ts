import type { FindingGroup } from './groups.ts'
import type { KnownClaim } from './known-claim.ts'

/** Where a line is now. */
export interface Expected {
  readonly line: number
  /** Problems above and below moved by as much. */
  readonly isSure: boolean
}

/** Says where a line of a file should be now, from problems that are certainly the same before and after. */
export type Shifts = (claim: Pick<KnownClaim, 'file' | 'line'>) => Expected

interface Anchor {
  readonly line: number
  readonly by: number
}

export const noShifts: Shifts = ({ line }) => ({ line: line ?? 0, isSure: false })

export function createShifts(pairs: Iterable<readonly [FindingGroup, KnownClaim]>): Shifts {
  const anchors = new Map<string, Anchor[]>()
  for (const [{ lead }, { file, line }] of pairs) {
    if (file === null || line === null || lead.line === null) continue
    const ofFile = anchors.get(file) ?? []
    anchors.set(file, ofFile)
    ofFile.push({ line, by: lead.line - line })
  }
  for (const ofFile of anchors.values()) ofFile.sort((a, b) => a.line - b.line)
  return (claim) => expectedLine(claim.line ?? 0, anchors.get(claim.file ?? '') ?? [])
}

function expectedLine(line: number, anchors: readonly Anchor[]): Expected {
  const next = firstAfter(anchors, line)
  const [above, below] = [anchors[next - 1], anchors[next]]
  const nearest = nearer(line, above, below)
  return {
    line: line + (nearest?.by ?? 0),
    isSure: above?.line === line || (above !== undefined && above.by === below?.by),
  }
}

function nearer(line: number, above: Anchor | undefined, below: Anchor | undefined): Anchor | undefined {
  if (above === undefined || below === undefined) return above ?? below
  return line - above.line <= below.line - line ? above : below
}

/** The first index whose line is after `line`. */
function firstAfter(anchors: readonly Anchor[], line: number): number {
  let [low, high] = [0, anchors.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((anchors[middle]?.line ?? 0) <= line) low = middle + 1
    else high = middle
  }
  return low
}
