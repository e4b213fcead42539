import type { Revision } from '../../model/attempt/attempt.ts'
import type { TreeId } from '../../model/id.ts'
import { isCode, isNamedAsTest, pathKind } from '../../model/path-kind.ts'
import type { Patch } from '../../model/proof/patch.ts'
import { plantTest, type PlantedTest } from '../../model/proof/plant-test.ts'
import type { CheckCommand, Verification } from '../../model/proof/verification.ts'
import { readTexts } from '../read-code.ts'
import type { Ports } from '../ports.ts'
import { prepareAdded, reportedIn } from './run-added.ts'

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
  if (verification.status !== 'passed' || verification.commands.length === 0) return verification
  const planted = await plantFor(request, ports)
  const ran = new Set(verification.commands.map(({ name }) => name))
  const commands = request.commands.filter(({ name }) => ran.has(name))
  const judge =
    planted.length === 0 ? nothingToLoad : await playPlanted(planted, { ...request, commands }, ports)
  const { proof, ...unproven } = { ...verification, judge }
  if (judge.status === 'passed') return { ...unproven, ...(proof && { proof }) }
  return judge.status === 'not_applicable'
    ? unproven
    : { ...unproven, status: judge.status, reason: judge.reason, depends_on_patch: true }
}

type Judge = NonNullable<Verification['judge']>

const nothingToLoad: Judge = {
  status: 'not_applicable',
  reason: 'no test that is known how to write loads a changed file',
}

/** One test for each changed file that a test loads, in the place of that test. */
async function plantFor(
  { patch, base, signal }: JudgeRequest,
  { trees, imports, hash }: JudgePorts,
): Promise<readonly PlantedTest[]> {
  const changed = patch.files.flatMap(({ path, old_path, status }) =>
    status !== 'added' && status !== 'deleted' && pathKind(path) === 'source' && isCode(path)
      ? [old_path ?? path]
      : [],
  )
  if (changed.length === 0) return []
  const before = await readTests(base.tree, { trees, imports, signal })
  const after = await readTests(patch.tree, { trees, imports, signal })
  const planted: PlantedTest[] = []
  for (const file of changed.slice(0, mostPlanted)) {
    // What the fix brings along is taken only where the base has no test for the file.
    const known = before.loading(file)
    const [tree, paths] = known.length > 0 ? [base.tree, known] : [patch.tree, after.loading(file)]
    const texts = await readTexts(trees, tree, paths)
    const tests = paths.flatMap(
      (path) => plantTest({ path, text: texts.get(path) ?? '' }, hash(`${patch.tree} ${path}`)) ?? [],
    )
    planted.push(...tests.slice(0, 1))
  }
  return [...new Map(planted.map((test) => [test.path, test])).values()]
}

/** The tests of a tree by what they load; where nobody reads the language, by the folder they are in. */
async function readTests(
  tree: TreeId,
  { trees, imports, signal }: Pick<JudgePorts, 'trees' | 'imports'> & Pick<JudgeRequest, 'signal'>,
) {
  const graph = await imports.graphOf(tree, signal)
  const all = await trees.list(tree)
  return {
    loading(file: string): readonly string[] {
      const isNear = (path: string): boolean => graph.isRead(file) || folderOf(path) === folderOf(file)
      const loading = [...(graph.isRead(file) ? graph.importersOf(file) : all)]
      const tests = loading.filter((path) => pathKind(path) === 'test' && isCode(path) && isNear(path))
      return nearestFirst(tests, file)
    },
  }
}

/** Of a patch of very many files some are enough: a judge is switched off for all at once. */
const mostPlanted = 20

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** Beside the tests of a file there may be files that only help them: those have no test to go by. */
const mostChoices = 5

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

async function playPlanted(
  planted: readonly PlantedTest[],
  { patch, base, commands, signal }: JudgeRequest,
  ports: JudgePorts,
): Promise<Judge> {
  const titles = planted.flatMap((test) => test.titles)
  const files = new Map(planted.map(({ path, text }) => [path, text]))
  const added = await prepareAdded({ files, base, commands, signal }, ports)
  const play = async (tree: TreeId): Promise<ReadonlySet<string>> =>
    reportedIn(await added.run(tree, { isRedExpected: true }), titles)
  const now = await play(patch.tree)
  if (now.size === titles.length) return { status: 'passed', reason: 'a planted test fails with the patch' }
  const before = await play(base.tree)
  const lost = [...before].filter((title) => !now.has(title))
  if (lost.length > 0)
    return {
      status: 'not_evaluated',
      reason: `the checks can no longer fail: ${lost.length} of ${before.size} ways for a test to fail that are seen on the base are not seen with the patch`,
    }
  return before.size > 0
    ? { status: 'passed', reason: 'a planted test fails with the patch' }
    : {
        status: 'not_applicable',
        reason:
          'the commands do not run a test that is added beside the others, so nobody can tell whether they could fail',
      }
}
