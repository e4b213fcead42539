import type { Revision } from '../../../model/attempt/attempt.ts'
import type { TreeId } from '../../../model/id.ts'
import { isCode, isNamedAsTest, pathKind } from '../../../model/path-kind.ts'
import type { Patch } from '../../../model/proof/patch.ts'
import { plantTests, type PlantedTest } from '../../../model/proof/planting/plant-test.ts'
import type { CheckCommand, Verification } from '../../../model/proof/verification.ts'
import { isUnopposed } from '../../../model/proof/judge-verification.ts'
import { readTexts } from '../../read-code.ts'
import type { Ports } from '../../ports.ts'
import { playPlanted } from './play-planted.ts'
import { isWrittenIn, mentions } from './tests-about.ts'

export interface JudgeRequest {
  readonly patch: Patch
  readonly base: Revision
  readonly commands: readonly CheckCommand[]
  readonly signal: AbortSignal
}

type JudgePorts = Pick<Ports, 'trees' | 'composer' | 'checks' | 'imports' | 'hash'>

/**
 * A green verification, after it was seen whether the checks can still fail: a test that must fail is planted for each
 * changed file, in a tree that nothing else uses. Checks that fail for it on the base and not with the patch judge
 * nothing. Where no such test can run, tests prove nothing beyond being green.
 */
export async function checkJudge(
  verification: Verification,
  request: JudgeRequest,
  ports: JudgePorts,
): Promise<Verification> {
  const isLater = verification.status === 'not_applicable'
  if (!isUnopposed(verification) || (verification.commands.length === 0 && !isLater)) return verification
  const proving = verification.proof?.tests ?? []
  const planted = await plantFor(request, proving, ports)
  const ran = new Set(verification.commands.map(({ name }) => name))
  const commands = request.commands.filter(({ name }) => isLater || ran.has(name))
  const { patch, base, signal } = request
  const beside = newTests(patch)
  const judge =
    planted.length === 0
      ? nothingToLoad
      : await playPlanted({ planted, proving, tree: patch.tree, beside, base, commands, signal }, ports)
  const { proof, ...unproven } = { ...verification, judge }
  if (judge.status === 'passed') return { ...unproven, ...(proof && { proof }) }
  return judge.status === 'not_applicable'
    ? unproven
    : { ...unproven, status: judge.status, reason: judge.reason, depends_on_patch: true }
}

type Judge = NonNullable<Verification['judge']>

const nothingToLoad: Judge = {
  status: 'not_applicable',
  reason: 'nothing loads a changed file that a test could be planted beside',
}

/** What a patch brings may run in one process with the tests that were there before. */
const newTests = ({ files }: Patch): readonly string[] =>
  files.flatMap(({ path, status }) =>
    status === 'added' && pathKind(path) === 'test' && isCode(path) ? [path] : [],
  )

/** For each changed file the nearest file of tests that loads it, and those with the tests that prove the fix. */
async function plantFor(
  { patch, base, signal }: JudgeRequest,
  proving: readonly string[],
  { trees, imports, hash }: JudgePorts,
): Promise<readonly (readonly PlantedTest[])[]> {
  const changed = patch.files.flatMap(({ path, old_path, status }) =>
    status !== 'added' && status !== 'deleted' && pathKind(path) === 'source' && isCode(path)
      ? [old_path ?? path]
      : [],
  )
  if (changed.length === 0) return []
  const before = await readTests(base.tree, { trees, imports, signal })
  const after = await readTests(patch.tree, { trees, imports, signal })
  // A test that proves the fix may stand in a file that the fix brings, or at the end of an old one.
  const written = new Set(patch.files.flatMap(({ path, status }) => (status === 'deleted' ? [] : [path])))
  const planted = new Map<string, readonly PlantedTest[]>()
  const plantable = async (tree: TreeId, paths: readonly string[]): Promise<readonly Plantable[]> => {
    const texts = await readTexts(trees, tree, paths)
    return paths.flatMap((path) => {
      const test = { path, text: texts.get(path) ?? '' }
      const choices = plantTests(test, hash(`${patch.tree} ${path}`))
      return choices.length > 0 ? [{ test, choices }] : []
    })
  }
  for (const file of changed.slice(0, mostPlanted)) {
    const known = await plantable(base.tree, await before.loading(file))
    const added = await plantable(
      patch.tree,
      (await after.loading(file)).filter((path) => written.has(path)),
    )
    // What the fix brings along comes first only where the base has no test for the file.
    const [nearest, ...others] = [...known, ...added]
    const provingToo = others
      .filter(({ test }) => proving.some((name) => isWrittenIn(test, name)))
      .slice(0, mostProving)
    for (const { test, choices } of [...(nearest ? [nearest] : []), ...provingToo])
      planted.set(test.path, choices)
  }
  return [...planted.values()]
}

interface Plantable {
  readonly test: { readonly path: string; readonly text: string }
  readonly choices: readonly PlantedTest[]
}

/** The tests of a tree by what they load; where nobody reads the language, by their folder and what their text says. */
async function readTests(
  tree: TreeId,
  { trees, imports, signal }: Pick<JudgePorts, 'trees' | 'imports'> & Pick<JudgeRequest, 'signal'>,
) {
  const graph = await imports.graphOf(tree, signal)
  const all = await trees.list(tree)
  const isTest = (path: string): boolean => pathKind(path) === 'test' && isCode(path)
  const loadingUnread = async (file: string): Promise<readonly string[]> => {
    const ending = file.slice(file.lastIndexOf('.'))
    const tests = [...all].filter((path) => isTest(path) && path.endsWith(ending)).slice(0, mostRead)
    const texts = await readTexts(trees, tree, tests)
    return tests.filter((path) => folderOf(path) === folderOf(file) || mentions(texts.get(path) ?? '', file))
  }
  return {
    async loading(file: string): Promise<readonly string[]> {
      const isRead = graph.isRead(file)
      const tests = isRead ? [...graph.importersOf(file)].filter(isTest) : await loadingUnread(file)
      return nearestFirst(tests, file)
    },
  }
}

/** More files of tests than this are not read. */
const mostRead = 5_000

/** Some files of a very large patch are enough: a judge is switched off for all at once. */
const mostPlanted = 20
/** Further files of tests in which the proof of a changed file may stand. */
const mostProving = 2

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** Beside the tests of a file there may be files that only help them: those have no test to go by. */
const mostChoices = 12

/** A test that is called like the file comes first, then what is named as a test, then what lies near it. */
function nearestFirst(tests: readonly string[], file: string): readonly string[] {
  const stem = file.slice(folderOf(file).length).replace(/\..*$/, '')
  const score = (path: string): number =>
    (path.slice(folderOf(path).length).includes(stem) ? 2000 : 0) +
    (isNamedAsTest(path) ? 1000 : 0) +
    sharedLength(path, file)
  return tests.toSorted((a, b) => score(b) - score(a) || (a < b ? -1 : 1)).slice(0, mostChoices)
}

function sharedLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return length
}
