import type { Revision } from '../../../model/attempt/attempt.ts'
import type { TreeId } from '../../../model/id.ts'
import type { PlantedTest } from '../../../model/proof/planting/plant-test.ts'
import type { CheckCommand, CommandRun, Verification } from '../../../model/proof/verification.ts'
import type { Ports } from '../../ports.ts'
import { failuresOf, prepareAdded, reportedIn } from './run-added.ts'
import { namesPath } from './tests-about.ts'

export interface PlantedRequest {
  /** Each file of tests with what may be planted in its place, the best first. */
  readonly planted: readonly (readonly PlantedTest[])[]
  /** What the planted tests need beside them. */
  readonly helpers?: readonly { readonly path: string; readonly text: string }[]
  /** The tree that is looked at. */
  readonly tree: TreeId
  /** The tests by whose names something is proven. */
  readonly proving?: readonly string[]
  /** Files of tests in it that the base does not have: they run beside the planted ones, as they would in the whole. */
  readonly beside?: readonly string[]
  readonly base: Revision
  readonly commands: readonly CheckCommand[]
  readonly signal: AbortSignal
}

type Judge = NonNullable<Verification['judge']>

/** Whether every planted test that fails on the base is seen to fail on the tree as well. */
export async function playPlanted(request: PlantedRequest, ports: PlayPorts): Promise<Judge> {
  const { planted, tree, base, beside = [] } = request
  const most = Math.max(...planted.map((choices) => choices.length))
  for (let at = 0; at < most; at += 1) {
    // A later choice is taken where the base does not run the test that the earlier one plants.
    const chosen = planted.flatMap((choices) => choices[Math.min(at, choices.length - 1)] ?? [])
    const play = await preparePlay(chosen, request, ports)
    const now = await play(tree, beside)
    const all = chosen.flatMap((test) => [...test.titles, ...test.unsure].map((title) => keyOf(test, title)))
    const untrue = findFalse(chosen, request.proving ?? [], now)
    if (all.every((key) => now.has(key))) return untrue ?? seen
    const unsure = chosen.flatMap((test) => test.unsure.map((title) => keyOf(test, title)))
    const before = (await play(base.tree, []))
      .difference(await failingAlready(unsure, request, ports))
      .intersection(new Set(all))
    if (before.size === 0) continue
    const lost = [...before].filter((title) => !now.has(title))
    return lost.length === 0 ? (untrue ?? seen) : switchedOff(lost, before)
  }
  return {
    status: 'not_applicable',
    reason:
      'the commands do not run a test that is added beside the others, so nobody can tell whether they could fail',
  }
}

type PlayPorts = Pick<Ports, 'trees' | 'composer' | 'checks'>

const seen: Judge = { status: 'passed', reason: 'a planted test fails with the patch' }

const switchedOff = (lost: readonly string[], before: ReadonlySet<string>): Judge => ({
  status: 'not_evaluated',
  reason: `the checks can no longer fail: ${lost.length} of ${before.size} ways for a test to fail that are seen on the base are not seen with the patch`,
})

/** Tests that prove something and pass, although the values that they compare are not the same. */
function findFalse(
  chosen: readonly PlantedTest[],
  proving: readonly string[],
  now: ReadonlySet<string>,
): Judge | null {
  const passing = chosen.flatMap((test) =>
    test.inverted
      .filter(({ of }) => proving.some((name) => isCalled(name, of)))
      .filter(({ title }) => !now.has(keyOf(test, title)))
      .map(({ of }) => of),
  )
  if (passing.length === 0) return null
  const reason = `what proves the fix passes although the values that it compares differ: ${passing.join(', ')}`
  return { status: 'not_evaluated', reason }
}

/** Runners put the suites, the file or the module before a title, and some the class behind it. */
const isCalled = (name: string, title: string): boolean =>
  name.endsWith(title) || name.split(/ > |::|\.| \(/).includes(title)

/** One planted test of one file. */
const keyOf = ({ path }: PlantedTest, title: string): string => `${path}\0${title}`
const titleOf = (key: string): string => key.slice(key.indexOf('\0') + 1)

type Play = (tree: TreeId, beside: readonly string[]) => Promise<ReadonlySet<string>>

/** Runs planted tests on trees, and says which of them are seen to fail. */
async function preparePlay(
  chosen: readonly PlantedTest[],
  { helpers = [], base, commands, signal }: PlantedRequest,
  ports: PlayPorts,
): Promise<Play> {
  const files = new Map([...helpers, ...chosen].map(({ path, text }) => [path, text]))
  const added = await prepareAdded({ files, base, commands, signal }, ports)
  return async (tree, beside) => {
    const runs = await added.run(tree, { isRedExpected: true, beside })
    const isAlone = runs.every(({ name }) => added.narrowed.has(name))
    // Tests of other files may bear the same titles, and be red: these ran before, so this is remembered.
    const usual = isAlone
      ? []
      : await ports.checks.run({ commands, revision: { commit: base.commit, tree }, signal })
    return new Set(
      chosen.flatMap((test) =>
        [...test.titles, ...test.unsure, ...test.inverted.map(({ title }) => title)]
          .filter((title) => isReported(title, test.path, { runs, usual }))
          .map((title) => keyOf(test, title)),
      ),
    )
  }
}

/** Whether a failing test is the planted one: by its file, where names tell it, else by one failure more than usual. */
function isReported(
  title: string,
  path: string,
  { runs, usual }: Readonly<Record<'runs' | 'usual', readonly CommandRun[]>>,
): boolean {
  const failed = failuresOf(runs, title)
  const own = failed.filter((name) => namesPath(name, path))
  if (own.length > 0 || failed.some((name) => namesSomeFile.test(name))) return own.length > 0
  const bearers = usual.flatMap(({ tests }) => tests?.tests ?? []).filter(({ name }) => name.includes(title))
  return failed.length > (bearers.length > 1 ? failuresOf(usual, title).length : 0)
}

const namesSomeFile = /^[\w@./-]+\.\w{1,5}(?: > |::)/

/** Of the planted tests, those whose titles are red on the base as it is. */
async function failingAlready(
  keys: readonly string[],
  { base, commands, signal }: PlantedRequest,
  { checks }: Pick<Ports, 'checks'>,
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set()
  // They ran before, so this is remembered.
  const runs = await checks.run({ commands, revision: base, signal })
  const red = reportedIn(runs, keys.map(titleOf))
  return new Set(keys.filter((key) => red.has(titleOf(key))))
}
