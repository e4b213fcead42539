import { posix } from 'node:path'

/**
 * Groups of folders that import each other in a circle today. The list may only shrink: a circle that is not here
 * fails the check, and so does a listed group that is no longer a circle.
 */
export const KNOWN_TANGLES: readonly (readonly string[])[] = []

type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** The circles of folders that are not in the list; `imports` maps each file to the files it imports. */
export function findTangles(
  imports: ReadonlyMap<string, readonly string[]>,
  known: readonly (readonly string[])[] = KNOWN_TANGLES,
): readonly string[] {
  const circles = findCircles(folderGraph(imports))
  const isKnown = (circle: readonly string[]): boolean =>
    known.some((group) => circle.every((folder) => group.includes(folder)))
  const isAlive = (group: readonly string[]): boolean =>
    circles.some(
      (circle) => circle.length === group.length && circle.every((folder) => group.includes(folder)),
    )
  return [
    ...circles
      .filter((circle) => !isKnown(circle))
      .map((circle) => `folders in a circle: ${circle.join(', ')}`),
    ...known
      .filter((group) => !isAlive(group))
      .map(
        (group) => `known tangle is smaller now, shrink it in scripts/check-folders.ts: ${group.join(', ')}`,
      ),
  ]
}

function folderGraph(imports: ReadonlyMap<string, readonly string[]>): Graph {
  const graph = new Map<string, Set<string>>()
  for (const [file, targets] of imports) {
    const from = posix.dirname(file)
    const reached = graph.get(from) ?? new Set()
    graph.set(from, reached)
    for (const target of targets) if (posix.dirname(target) !== from) reached.add(posix.dirname(target))
  }
  return graph
}

/** Folders that can reach each other, as sorted groups of two or more. */
function findCircles(graph: Graph): readonly (readonly string[])[] {
  const reachable = new Map([...graph.keys()].map((folder) => [folder, reachFrom(folder, graph)]))
  const grouped = new Set<string>()
  return [...graph.keys()].toSorted().flatMap((folder) => {
    if (grouped.has(folder)) return []
    const circle = [...(reachable.get(folder) ?? [])].filter((other) => reachable.get(other)?.has(folder))
    circle.forEach((other) => grouped.add(other))
    return circle.length > 1 ? [circle.toSorted()] : []
  })
}

function reachFrom(start: string, graph: Graph): ReadonlySet<string> {
  const seen = new Set<string>()
  const waiting = [start]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop())
    for (const next of graph.get(folder) ?? [])
      if (!seen.has(next)) {
        seen.add(next)
        waiting.push(next)
      }
  return seen
}
