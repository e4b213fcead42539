import { foldersAbove } from '../repository-path.ts'

/** Which files of one tree load which, over any number of steps. */
export interface ImportGraph {
  /** Every file that this one loads, without itself. */
  importsOf(file: string): ReadonlySet<string>
  /** Every file that loads this one, without itself. */
  importersOf(file: string): ReadonlySet<string>
  /** Whether somebody reads imports in the file's language: where nobody does, empty answers say nothing. */
  isRead(file: string): boolean
  /** The files that put together the names of what they load: they may load any other. */
  readonly composing: ReadonlySet<string>
}

/** Whether a text in JavaScript or Python loads what it names while it runs. */
export const composesImports =
  /\b(?:import|require|import_module|__import__|run_path|run_module|spec_from_file_location)\((?!\s*(?:'[^'\n]*'|"[^"\n]*"|`[^`$\n]*`)\s*[,)])(?!\s*\))/

/** The graph of what each read file loads by itself. */
export function createImportGraph(
  imports: ReadonlyMap<string, readonly string[]>,
  composing: ReadonlySet<string> = new Set(),
): ImportGraph {
  const importers = reverse(imports)
  return {
    importsOf: (file) => reach(file, imports),
    importersOf: (file) => reach(file, importers),
    isRead: (file) => imports.has(file),
    composing,
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

/** Runners that are given packages, and no files. */
export type PackageRunner = 'go' | 'cargo'

/** A part of a project that its runner can be given by itself: a package of Go, a member of a Cargo workspace. */
export interface CodePackage {
  /** Where it is, with a slash at its end; the root is empty. */
  readonly folder: string
  /** How the runner is told of it. */
  readonly argument: string
  /** The folders of the packages that it loads. */
  readonly uses: readonly string[]
  /** The folders of those that only its tests load. */
  readonly testUses: readonly string[]
  /** Whether it may hold tests. */
  readonly hasTests: boolean
}

export interface PackageTree {
  readonly packages: readonly CodePackage[]
  /** Whether the runner takes all of them where none is named. */
  readonly areAllByDefault: boolean
}

/** Folders of packages whose tests the change reaches, or why nobody can tell which do. */
export type ReachedPackages = { readonly folders: readonly string[] } | { readonly untold: string }

/** The packages with tests that load one of the changed files, over any number of steps, before the change or after it. */
export function findReachedPackages(
  changed: readonly string[],
  runner: PackageRunner,
  trees: readonly PackageTree[],
): ReachedPackages {
  const reached = new Set<string>()
  for (const path of changed) {
    const owners = trees.map((tree) => ownerOf(path, runner, tree))
    if (owners.every((owner) => owner === null)) return { untold: `nobody can tell the package of ${path}` }
    for (const [index, { packages }] of trees.entries()) {
      const owner = owners[index] ?? null
      if (owner !== null)
        (isGoTest(path) ? [owner] : reachedFrom(owner, packages)).forEach((each) => reached.add(each))
    }
  }
  const hasTests = (folder: string): boolean =>
    trees.some(({ packages }) => packages.some((each) => each.folder === folder && each.hasTests))
  return { folders: [...reached].filter(hasTests).toSorted() }
}

const isGoTest = (path: string): boolean => path.endsWith('_test.go')

/** A package of Go is one folder; one of Cargo is all that lies below its manifest. */
function ownerOf(path: string, runner: PackageRunner, { packages }: PackageTree): string | null {
  const folders = new Set(packages.map(({ folder }) => folder))
  const above = foldersAbove(path)
  return (runner === 'go' ? above.slice(0, 1) : above).find((folder) => folders.has(folder)) ?? null
}

function reachedFrom(start: string, packages: readonly CodePackage[]): readonly string[] {
  const seen = new Set([start])
  for (const folder of seen)
    for (const { folder: by, uses } of packages) if (uses.includes(folder)) seen.add(by)
  const testing = packages.filter(({ testUses }) => testUses.some((folder) => seen.has(folder)))
  return [...seen, ...testing.map(({ folder }) => folder)]
}
