import { isCode, isNamedAsTest, pathKind } from '../../../model/path-kind.ts'
import type { ImportGraph } from '../../../model/proof/import-graph.ts'

/** Files of tests that load what was changed, or why nobody can tell which do. */
export type Reached = { readonly files: readonly string[] } | { readonly untold: string }

/** The imports of the tree before the change and after it. */
export interface Graphs {
  readonly before: ImportGraph
  readonly after: ImportGraph
  /** Every path of the tree before the change. */
  readonly paths: ReadonlySet<string>
}

/** The files of tests that load one of the changed files, over any number of steps, before the change or after it, and those of which nobody can tell. */
export function findReachedTests(changed: readonly string[], { before, after, paths }: Graphs): Reached {
  const loading = new Set<string>()
  for (const path of changed) {
    if (!before.isRead(path) && !after.isRead(path)) return { untold: `nobody can read what loads ${path}` }
    for (const graph of [before, after]) for (const by of graph.importersOf(path)) loading.add(by)
    loading.add(path)
  }
  // A test that puts the names together may load what was changed.
  for (const graph of [before, after])
    for (const path of graph.composing)
      if (isTestFile(path))
        for (const by of [path, ...graph.importersOf(path)]) if (isTestFile(by)) loading.add(by)
  const all = [...loading]
  const files = new Set(all.filter((path) => isRunnable(path, after.isRead(path) ? after : before)))
  for (const path of all.filter((each) => pathKind(each) === 'config')) {
    const folder = /^(.*\/|)conftest\.py$/.exec(path)?.[1]
    // A file that a runner loads by itself concerns every test; pytest's concerns those beside it and below.
    if (folder === undefined) return { untold: `${path} loads it, which every test depends on` }
    for (const test of paths)
      if (test.startsWith(folder) && test.endsWith('.py') && isNamedAsTest(test)) files.add(test)
  }
  return { files: [...files].toSorted() }
}

/** Whether a runner would be given the file: a file that other test files load only helps them. */
const isRunnable = (path: string, graph: ImportGraph): boolean =>
  isTestFile(path) && (isNamedAsTest(path) || graph.importersOf(path).size === 0)

export const isTestFile = (path: string): boolean => pathKind(path) === 'test' && isCode(path)
