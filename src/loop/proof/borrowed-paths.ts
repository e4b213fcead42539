import { pathsOfBase } from '../../model/proof/owned-paths.ts'
import type { ImportGraph } from '../../model/proof/import-graph.ts'
import { touchedPaths, type Patch } from '../../model/proof/patch.ts'
import { isCode, isForPeople, pathKind } from '../../model/path-kind.ts'
import type { CheckCommand } from '../../model/proof/verification.ts'
import { findCheckFiles } from '../commands/check-files.ts'
import type { FileChange, Ports } from '../ports.ts'

export interface BorrowRequest {
  readonly patch: Patch
  readonly changes: readonly FileChange[]
  /** The files that the findings name; none where they name no file. */
  readonly cited: readonly string[]
  /** What a person allowed. */
  readonly approved: readonly string[]
  readonly commands: readonly Pick<CheckCommand, 'run'>[]
  readonly signal: AbortSignal
}

/**
 * The changed paths beyond the cited files, the files that they import, source that imports them, and added tests.
 * Tests and checks may load these paths, so a result that is green with them may not be green by the fix.
 */
export async function findBorrowedPaths(
  request: BorrowRequest,
  { imports, trees }: Pick<Ports, 'imports' | 'trees'>,
): Promise<readonly string[]> {
  const { patch, approved, commands, signal } = request
  const known = new Set([...request.cited, ...approved, ...pathsOfBase(patch, [])])
  const isPackages = request.cited.some((file) => pathKind(file) === 'lockfile')
  // The tamper gate lets a lock file pass only with what a finding about packages asks for.
  const goesWithPackages = (path: string): boolean =>
    pathKind(path) === 'lockfile' || (isPackages && pathKind(path) === 'manifest')
  const others = touchedPaths(patch).filter(
    (path) => !known.has(path) && !isForPeople(path) && !goesWithPackages(path),
  )
  if (others.length === 0) return []
  const before = await imports.graphOf(patch.base_tree, signal)
  const after = await imports.graphOf(patch.tree, signal)
  const checks = await findCheckFiles(commands, patch.base_tree, trees)
  return chooseBorrowed(others, request, { before, after, checks })
}

interface Surroundings {
  readonly before: ImportGraph
  readonly after: ImportGraph
  /** Programs that the commands run. */
  readonly checks: ReadonlySet<string>
}

/** Of the changed paths, those that the cited files have nothing to do with. */
export function chooseBorrowed(
  paths: readonly string[],
  { patch, changes, cited }: Pick<BorrowRequest, 'patch' | 'changes' | 'cited'>,
  { before, after, checks }: Surroundings,
): readonly string[] {
  const added = new Set(patch.files.flatMap(({ path, status }) => (status === 'added' ? [path] : [])))
  const touched = new Set(touchedPaths(patch))
  const mayImport = (path: string): boolean => isProgram(path) && !isForChecksAlone(path, before, checks)
  const isNear = (path: string, graph: ImportGraph): boolean =>
    cited.some(
      (file) => graph.importsOf(file).has(path) || (graph.importersOf(file).has(path) && mayImport(path)),
    )
  // Where the cited file did not load it before, tests of that file got it in another way, and it may be what judges
  // them.
  const isLoadedBesideCited = (path: string): boolean =>
    cited.some((file) =>
      [...before.importersOf(file)].some((by) => isTest(by) && before.importsOf(by).has(path)),
    )
  const isOwn = (path: string): boolean => {
    if (added.has(path) && isTest(path)) return ![...after.importersOf(path)].some((by) => !touched.has(by))
    // Without a cited file, or without a reader for it, source counts as belonging to it.
    if (!cited.some((file) => before.isRead(file) || after.isRead(file)))
      return isCode(path) && isProgram(path) && !isForTestsAlone(path, before)
    if (added.has(path)) return isNear(path, after)
    if (isNear(path, before)) return true
    const isNowLoaded = cited.some((file) => after.importsOf(file).has(path))
    if (isNowLoaded && [...before.importersOf(path)].some(isProgram)) return !isLoadedBesideCited(path)
    return changes.some((change) => change.path === path && addsOnlyExports(change))
  }
  return paths.filter((path) => !isOwn(path))
}

const isTest = (path: string): boolean => ['test', 'snapshot'].includes(pathKind(path))

/** Names under which projects keep what their tests need. */
const supportName =
  /(?:^|[/._-])(?:supports?|fixtures?|mocks?|stubs?|fakes?|golden|harness|test(?:ing|s|ed)?[-_]?(?:utils?|helpers?|kit|support|lib|data|tools?)|spec[-_]?helpers?|assert(?:s|ions?)?)(?=[/._-])/i

const isProgram = (path: string): boolean => pathKind(path) === 'source' && !supportName.test(path)

const isForTestsAlone = (path: string, graph: ImportGraph): boolean => {
  const importers = [...graph.importersOf(path)]
  return importers.length > 0 && importers.every((by) => !isProgram(by))
}

/** Whether a program of the commands loads it, and nothing else but tests does in the end. */
function isForChecksAlone(path: string, graph: ImportGraph, checks: ReadonlySet<string>): boolean {
  const importers = [...graph.importersOf(path)]
  const isStart = (by: string): boolean =>
    isProgram(by) && !checks.has(by) && graph.importersOf(by).size === 0
  return importers.some((by) => checks.has(by)) && !importers.some(isStart)
}

const exportLine = /^\s*(?:export\s[^;]*\sfrom\s.*|export\s*\{[^}]*\};?|from\s+\S+\s+import\s.*|\/\/.*|#.*)?$/

/** An entry file that exports more than before leads nobody elsewhere. */
function addsOnlyExports({ before, after, isBinary }: FileChange): boolean {
  if (before === null || after === null || isBinary) return false
  const old = before.split('\n')
  let at = 0
  for (const line of after.split('\n')) {
    if (line === old[at]) at += 1
    else if (!exportLine.test(line)) return false
  }
  return at === old.length
}
