import { listPaths, touchedPaths, type PatchFile, type Patch } from '../../model/proof/patch.ts'
import { isWithin } from '../../model/repository-path.ts'
import type { GateDefinition, JudgedPatch, PatchLimits } from './gate-definition.ts'
import { findCheckFiles } from '../commands/check-files.ts'
import type { ImportGraph } from '../../model/proof/import-graph.ts'
import { isDocument, pathKind } from '../../model/path-kind.ts'
import type { Ports } from '../ports.ts'
import { readTexts } from '../read-code.ts'

export const scopeGate: GateDefinition = {
  name: 'scope',
  description:
    "only files that have to do with the finding, not another issue's, not outside `workspace.path`, no links out, no nested repositories; else a person decides",
  asks: { whom: 'fixer_first', question: 'May this patch change these files as well?' },
  needs: 'patch',
  async judge(judged) {
    const { patch } = judged
    const final = [
      ...patch.refused.map(({ path, reason }) => ({ path, why: reason })),
      ...patch.files.flatMap(waysOut),
    ]
    const allowed = await allowedPaths(judged)
    const outside = patch.files.flatMap((file) => violationsOf(file, judged, allowed))
    const judgedPaths = new Set([...allowed, ...[...final, ...outside].map(({ path }) => path)])
    const violations = [...final, ...outside, ...(await unrelatedOf(judged, judgedPaths))]
    if (violations.length === 0) return { status: 'passed', reason: 'every changed file is in scope' }
    const said = violations.map(({ path, why }) => `${path} (${why})`)
    return {
      status: 'failed',
      reason: `changed outside the scope of this issue: ${listPaths(said)}`,
      paths: [...new Set(violations.map(({ path }) => path))],
      isFinal: final.length > 0,
    }
  },
}

interface Violation {
  readonly path: string
  readonly why: string
}

/** The changes that a person allowed, as far as they are still what the person saw. */
async function allowedPaths({ approved, patch, ports }: JudgedPatch): Promise<ReadonlySet<string>> {
  if (!approved) return new Set()
  const [then, now] = [await ports.trees.blobs(approved.tree), await ports.trees.blobs(patch.tree)]
  return new Set(approved.paths.filter((path) => then.get(path) === now.get(path)))
}

function violationsOf(
  file: PatchFile,
  { limits, issue }: JudgedPatch,
  allowed: ReadonlySet<string>,
): readonly Violation[] {
  const paths = file.old_path ? [file.old_path, file.path] : [file.path]
  return paths.flatMap((path) => {
    if (allowed.has(path)) return []
    if (limits.foreign.has(path)) return [{ path, why: 'belongs to another issue of this session' }]
    if (path !== issue?.file && !isInScope(path, limits))
      return [{ path, why: `not under ${limits.path ?? ''}` }]
    return []
  })
}

/** The paths that have nothing to do with the finding's file, where no folder bounds the patch. */
async function unrelatedOf(
  { patch, base, issue, limits, ports, signal }: JudgedPatch,
  judgedPaths: ReadonlySet<string>,
): Promise<readonly Violation[]> {
  const { cited = [] } = limits
  if (limits.path !== null || limits.reach === 'repository' || !issue || issue.file === null) return []
  const paths = touchedPaths(patch).filter((path) => !judgedPaths.has(path))
  const unrelated = await findUnrelated(paths, { patch, cited: [issue.file, ...cited], signal }, ports)
  if (unrelated.length === 0) return []
  // The tamper gate asks about these.
  const checks = await findCheckFiles(limits.commands, base.tree, ports.trees)
  return unrelated.filter(({ path }) => !checks.has(path))
}

/** Changes that nobody may allow: they lead out of the repository, or make another one inside it. */
function waysOut(file: PatchFile): readonly Violation[] {
  if (file.link_target !== null && leavesRepository(file.path, file.link_target))
    return [{ path: file.path, why: `a link to ${file.link_target}, outside the repository` }]
  return file.mode === '160000' ? [{ path: file.path, why: 'a nested repository' }] : []
}

const isInScope = (path: string, limits: PatchLimits): boolean =>
  limits.path === null || [limits.path, ...limits.extra].some((folder) => isWithin(path, folder))

/** Whether a link's target, followed from where the link stands, climbs out of the repository. */
function leavesRepository(path: string, target: string): boolean {
  if (target.startsWith('/') || /^[a-zA-Z]:/.test(target) || target.includes('\\')) return true
  let depth = path.split('/').length - 1
  for (const part of target.split('/')) {
    if (part === '..') depth -= 1
    else if (part !== '' && part !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}

interface Relation {
  readonly patch: Patch
  /** The files that the findings name. */
  readonly cited: readonly string[]
  readonly signal: AbortSignal
}

/** The paths of a patch that have nothing to do with the cited files, and why. */
async function findUnrelated(
  paths: readonly string[],
  { patch, cited, signal }: Relation,
  { imports, trees }: Pick<Ports, 'imports' | 'trees'>,
): Promise<readonly Violation[]> {
  const [first] = cited
  if (first === undefined) return []
  const own = new Set([...cited, ...renamedFrom(patch, cited)])
  const others = paths.filter((path) => !own.has(path) && !isRecord(path) && isJudgedHere(path))
  if (others.length === 0) return []
  const before = await imports.graphOf(patch.base_tree, signal)
  const after = await imports.graphOf(patch.tree, signal)
  const graphs = [before, after]
  // What tests of the file had from elsewhere may judge it; that the file loads it from now on does not make it its own.
  const judgesIt = (path: string, file: string): boolean =>
    !isLinked(file, path, before) &&
    [...before.importersOf(file)].some((by) => pathKind(by) === 'test' && before.importsOf(by).has(path))
  const isTied = (path: string, file: string): boolean =>
    declares(path, file) || (!judgesIt(path, file) && graphs.some((graph) => isLinked(file, path, graph)))
  const files = new Set([...(await trees.list(patch.base_tree)), ...(await trees.list(patch.tree))])
  const isRead = (path: string): boolean => graphs.some((graph) => graph.isRead(path))
  const texts = await readTexts(trees, patch.tree, [...own])
  const isNear = (path: string, file: string): boolean => {
    if (!isRead(file) || pathKind(path) === 'manifest') return isWithin(path, packageOf(file, files))
    // Files that no import can lead to: a text that the file names, or one beside it that is no page for people.
    if (isRead(path)) return false
    return (texts.get(file) ?? '').includes(nameOf(path)) || (!isDocument(path) && isBeside(path, file))
  }
  const why = (path: string): string => {
    const judged = [...own].find((file) => judgesIt(path, file) && isLinked(file, path, after))
    if (judged === undefined)
      return isRead(path) ? `neither imports ${first} nor is imported by it` : `${first} does not name it`
    return `tests of ${judged} loaded it before this patch tied the two together`
  }
  return others
    .filter((path) => ![...own].some((file) => isTied(path, file) || isNear(path, file)))
    .map((path) => ({ path, why: why(path) }))
}

/** Whether a path holds nothing but the types of a file of JavaScript; it runs nowhere. */
const declares = (path: string, file: string): boolean =>
  /\.d\.[cm]?ts$/.test(path) && path.replace(/\.d\.([cm]?)ts$/, '.$1js') === file

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Whether a file lies in the folder of another one, or below; the root of a repository is nobody's folder. */
const isBeside = (path: string, file: string): boolean =>
  folderOf(file) !== '' && isWithin(path, folderOf(file))

const isLinked = (file: string, path: string, graph: ImportGraph): boolean =>
  graph.importsOf(file).has(path) || graph.importersOf(file).has(path)

const renamedFrom = ({ files }: Patch, cited: readonly string[]): readonly string[] =>
  files.flatMap(({ path, old_path }) => (old_path !== null && cited.includes(old_path) ? [path] : []))

/** Tests, checks and rules are another gate's question: it knows a new test from a weakened one. */
const isJudgedHere = (path: string): boolean => ['source', 'manifest'].includes(pathKind(path))

/**
 * Whether a file is a record of changes for people, such as a changelog. Only endings of prose count, so that no code
 * hides under such a name.
 */
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
