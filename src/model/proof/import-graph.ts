/** Which files of one tree load which, over any number of steps. */
export interface ImportGraph {
  /** Every file that this one loads, without itself. */
  importsOf(file: string): ReadonlySet<string>
  /** Every file that loads this one, without itself. */
  importersOf(file: string): ReadonlySet<string>
  /** Whether somebody reads imports in the file's language: where nobody does, empty answers say nothing. */
  isRead(file: string): boolean
}

/** The graph of what each read file loads by itself. */
export function createImportGraph(imports: ReadonlyMap<string, readonly string[]>): ImportGraph {
  const importers = reverse(imports)
  return {
    importsOf: (file) => reach(file, imports),
    importersOf: (file) => reach(file, importers),
    isRead: (file) => imports.has(file),
  }
}

function reverse(edges: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  const back = new Map<string, string[]>()
  for (const [from, targets] of edges)
    for (const target of targets) {
      const known = back.get(target)
      if (known) known.push(from)
      else back.set(target, [from])
    }
  return back
}

function reach(start: string, edges: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const seen = new Set<string>()
  const waiting = [...(edges.get(start) ?? [])]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file) || file === start) continue
    seen.add(file)
    waiting.push(...(edges.get(file) ?? []))
  }
  return seen
}
