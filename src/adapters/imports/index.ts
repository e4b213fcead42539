import type { Imports, Trees } from '../../loop/ports.ts'
import type { TreeId } from '../../model/id.ts'
import { NewestMap } from '../../model/newest-map.ts'
import {
  composesImports,
  createImportGraph,
  type ImportGraph,
  type PackageRunner,
  type PackageTree,
} from '../../model/proof/import-graph.ts'
import { readJavaScriptImports } from './javascript.ts'
import { cargoPackages } from './cargo.ts'
import { goPackages, isGoFile, readGoImports } from './go.ts'
import { parseAliases, parseManifest } from './packages.ts'
import { pythonRoots, readPythonImports, resolvePythonImport } from './python.ts'
import { resolveJavaScriptImport, type ModuleTree } from './resolve-javascript.ts'

type Read = (text: string) => readonly string[]
type Resolve = (from: string, written: string) => readonly string[]

interface Language {
  readonly files: RegExp
  readonly read: Read
  /** Finds the files of this tree that an import leads to. */
  readonly resolver: (tree: ModuleTree) => Resolve
}

/** Every language whose imports are read. */
const languages: readonly Language[] = [
  {
    files: /\.[cm]?[jt]sx?$/,
    read: readJavaScriptImports,
    resolver: (tree) => (from, written) => resolveJavaScriptImport(from, written, tree),
  },
  {
    files: /\.pyi?$/,
    read: readPythonImports,
    resolver: ({ files }) => {
      const roots = pythonRoots(files)
      return (from, written) => resolvePythonImport(from, written, { files, roots })
    },
  },
]

/** Stands for what a text names while it runs; no import is written so. */
const anything = '\0'

const withComposed =
  (read: Read): Read =>
  (text) =>
    composesImports.test(text) ? [...read(text), anything] : read(text)

/** Larger texts are generated; nobody reads what they load. */
const largestText = 1_000_000
const readAtOnce = 500
const rememberedGraphs = 8

/** Imports of git trees. Each content is read once, however many trees hold it. */
export function createImports(trees: Pick<Trees, 'blobs' | 'readMany'>): Imports {
  const written = new Map<string, readonly string[] | null>()
  const graphs = new NewestMap<TreeId, Promise<ImportGraph>>(rememberedGraphs)
  return {
    graphOf(tree, signal) {
      const known = graphs.get(tree)
      if (known) return known
      const graph = readGraph(tree, { trees, written, signal })
      graphs.set(tree, graph)
      graph.catch(() => graphs.delete(tree))
      return graph
    },
    packagesOf: (tree, runner, signal) => readPackages(tree, runner, { trees, written, signal }),
  }
}

interface GraphTools {
  readonly trees: Pick<Trees, 'blobs' | 'readMany'>
  /** What each content loads, as it is written; null for one that is too large. */
  readonly written: Map<string, readonly string[] | null>
  readonly signal: AbortSignal
}

async function readGraph(tree: TreeId, tools: GraphTools): Promise<ImportGraph> {
  const blobs = await tools.trees.blobs(tree)
  const modules = await readModuleTree(tree, new Set(blobs.keys()), tools)
  const edges = new Map<string, readonly string[]>()
  const composing = new Set<string>()
  for (const { files, read, resolver } of languages) {
    const own = [...blobs.keys()].filter((path) => files.test(path))
    await readWritten(tree, { paths: own, blobs, read }, tools)
    const resolve = resolver(modules)
    for (const path of own) {
      const imports = tools.written.get(keyOf(blobs, path, read))
      if (imports?.includes(anything)) composing.add(path)
      if (imports) edges.set(path, [...new Set(imports.flatMap((each) => resolve(path, each)))])
    }
  }
  return createImportGraph(edges, composing)
}

/** The packages that a runner knows in a tree; null where nobody can tell. */
async function readPackages(
  tree: TreeId,
  runner: PackageRunner,
  tools: GraphTools,
): Promise<PackageTree | null> {
  const blobs = await tools.trees.blobs(tree)
  const named = runner === 'go' ? /(?:^|\/)go\.(?:mod|work)$/ : /(?:^|\/)Cargo\.toml$/
  const manifests = await readTexts(
    tree,
    [...blobs.keys()].filter((path) => named.test(path)),
    tools,
  )
  if (runner === 'cargo') return cargoPackages(manifests)
  const files = [...blobs.keys()].filter(isGoFile)
  await readWritten(tree, { paths: files, blobs, read: readGoImports }, tools)
  const imports = new Map<string, readonly string[]>()
  for (const path of files) {
    const written = tools.written.get(keyOf(blobs, path, readGoImports))
    if (!written) return null
    imports.set(path, written)
  }
  return goPackages(imports, manifests)
}

async function readTexts(
  tree: TreeId,
  paths: readonly string[],
  { trees }: GraphTools,
): Promise<ReadonlyMap<string, string>> {
  const bytes = await trees.readMany(tree, paths)
  return new Map([...bytes].map(([path, content]) => [path, new TextDecoder().decode(content)]))
}

/** The same content may be two languages' text. */
const keyOf = (blobs: ReadonlyMap<string, string>, path: string, read: Read): string =>
  `${read.name} ${blobs.get(path) ?? ''}`

interface Unread {
  readonly paths: readonly string[]
  readonly blobs: ReadonlyMap<string, string>
  readonly read: Read
}

async function readWritten(tree: TreeId, { paths, blobs, read }: Unread, tools: GraphTools): Promise<void> {
  const unread = new Map<string, string>()
  for (const path of paths) {
    const key = keyOf(blobs, path, read)
    if (!tools.written.has(key)) unread.set(key, path)
  }
  const waiting = [...unread]
  for (let at = 0; at < waiting.length; at += readAtOnce) {
    tools.signal.throwIfAborted()
    const part = waiting.slice(at, at + readAtOnce)
    const contents = await tools.trees.readMany(
      tree,
      part.map(([, path]) => path),
    )
    for (const [key, path] of part) {
      const bytes = contents.get(path)
      const isSmall = bytes !== undefined && bytes.length <= largestText
      tools.written.set(key, isSmall ? withComposed(read)(new TextDecoder().decode(bytes)) : null)
    }
  }
}

async function readModuleTree(
  tree: TreeId,
  files: ReadonlySet<string>,
  { trees }: GraphTools,
): Promise<ModuleTree> {
  const named = [...files].filter((path) => /(?:^|\/)(?:package|[tj]sconfig[\w.-]*)\.json$/.test(path))
  const texts = await trees.readMany(tree, named)
  const textOf = (path: string): string => new TextDecoder().decode(texts.get(path))
  const isManifest = (path: string): boolean => path.endsWith('package.json')
  const manifests = new Map(
    named.filter(isManifest).flatMap((path) => {
      const manifest = parseManifest(path, textOf(path))
      return manifest ? [[path, manifest] as const] : []
    }),
  )
  const aliases = new Map(
    named
      .filter((path) => !isManifest(path))
      .flatMap((path) => {
        const settings = parseAliases(path, textOf(path))
        return settings ? [[path, settings] as const] : []
      }),
  )
  const packages = new Map(
    [...manifests.values()].flatMap((manifest) =>
      manifest.name === null ? [] : [[manifest.name, manifest]],
    ),
  )
  return { files, manifests, aliases, packages }
}
