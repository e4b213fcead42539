import type { ImportGraph } from '../../model/proof/import-graph.ts'
import { pathKind } from '../../model/path-kind.ts'
import type { Patch } from '../../model/proof/patch.ts'
import { isWithin } from '../../model/repository-path.ts'
import type { Ports } from '../ports.ts'

export interface Relation {
  readonly patch: Patch
  /** The files that the findings name. */
  readonly cited: readonly string[]
  readonly signal: AbortSignal
}

/** Of these paths of a patch, the ones that the cited files have nothing to do with. */
export async function findUnrelated(
  paths: readonly string[],
  { patch, cited, signal }: Relation,
  { imports, trees }: Pick<Ports, 'imports' | 'trees'>,
): Promise<readonly string[]> {
  if (cited.length === 0) return []
  const own = new Set([...cited, ...renamedFrom(patch, cited)])
  const others = paths.filter((path) => !own.has(path) && !isRecord(path) && isJudgedHere(path))
  if (others.length === 0) return []
  const graphs = [await imports.graphOf(patch.base_tree, signal), await imports.graphOf(patch.tree, signal)]
  const files = new Set([...(await trees.list(patch.base_tree)), ...(await trees.list(patch.tree))])
  const isRead = (path: string): boolean => graphs.some((graph) => graph.isRead(path))
  return others.filter(
    (path) =>
      ![...own].some((file) => {
        if (graphs.some((graph) => isLinked(file, path, graph))) return true
        return !(isRead(path) && isRead(file)) && isWithin(path, packageOf(file, files))
      }),
  )
}

const isLinked = (file: string, path: string, graph: ImportGraph): boolean =>
  graph.importsOf(file).has(path) || graph.importersOf(file).has(path)

const renamedFrom = ({ files }: Patch, cited: readonly string[]): readonly string[] =>
  files.flatMap(({ path, old_path }) => (old_path !== null && cited.includes(old_path) ? [path] : []))

/** Tests, checks and rules are another gate's question: it knows a new test from a weakened one. */
const isJudgedHere = (path: string): boolean => ['source', 'manifest'].includes(pathKind(path))

/** What says for people that something changed: prose by its ending, so that no code hides under such a name. */
const isRecord = (path: string): boolean =>
  /(?:^|\/)(?:changelog|changes|history|news|release[-_]?notes)(?:\.(?:md|mdx|rst|txt|adoc))?$|(?:^|\/)(?:\.changeset|\.changes|changelog\.d|newsfragments|changes)\/[^/]+\.(?:md|mdx|rst|txt|feature|bugfix|misc|doc|removal)$/i.test(
    path,
  )

const manifest =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.py|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|[^/]+\.(?:csproj|gemspec)|Gemfile|mix\.exs|pubspec\.yaml|Package\.swift)$/

/** The folder of the nearest manifest above a file; the file's own folder where there is none. */
function packageOf(file: string, files: ReadonlySet<string>): string {
  const folders = new Set([...files].filter((path) => manifest.test(path)).map(folderOf))
  for (let folder = folderOf(file); ; folder = folderOf(folder)) {
    if (folders.has(folder)) return folder
    if (folder === '') return folderOf(file)
  }
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
