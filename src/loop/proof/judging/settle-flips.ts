import type { Revision } from '../../../model/attempt/attempt.ts'
import type { TreeId } from '../../../model/id.ts'
import { redByFlipping, unknownFlips } from '../../../model/proof/judge-command.ts'
import type { Baseline } from '../../../model/proof/judge-verification.ts'
import type { CheckCommand, CommandRun } from '../../../model/proof/verification.ts'
import { parseScripts } from '../../commands/check-files.ts'
import type { Checks, Ports } from '../../ports.ts'
import { readTexts } from '../../read-code.ts'
import { narrowCommand } from './narrow-command.ts'
import { readTestTexts } from './read-test-texts.ts'
import { testsNamed } from './tests-about.ts'

export interface FlipTools {
  readonly checks: Checks
  readonly trees: Pick<Ports['trees'], 'list' | 'readMany'>
  /** As they are configured. */
  readonly commands: readonly CheckCommand[]
  /** Where the session began: what comes later is the work of agents, and must not make a test known to flip. */
  readonly base: Revision
}

export interface JudgedRuns {
  readonly revision: Revision
  readonly runs: readonly CommandRun[]
  readonly against: Revision
  readonly baseline: readonly CommandRun[]
  /** The same commands on the base once more. */
  readonly control: () => Promise<readonly CommandRun[]>
  readonly signal: AbortSignal
}

export interface SettledRuns extends Baseline {
  /** The runs on the tree, with what flipped there once more was known of it. */
  readonly own: readonly CommandRun[]
}

/**
 * Finds out whose fault a flaky result is. A test that flips on the base too is left out, and is known from then on; one
 * that is known may be red twice in a row, and only more runs tell that from a failure.
 */
export async function settleFlips(given: JudgedRuns, tools: FlipTools): Promise<SettledRuns> {
  const { runs, baseline } = given
  const pairs = runs.flatMap((run) => {
    const base = baseline.find(({ name }) => name === run.name)
    return base && run.exit_code !== 0 ? [{ run, base }] : []
  })
  if (pairs.length === 0) return { own: runs, runs: baseline }
  const flips = new Map<string, readonly string[]>()
  for (const { run } of pairs) flips.set(run.name, (await tools.checks.flipsOf?.(run.name)) ?? [])
  const knownOf = (name: string) => ({ flips: flips.get(name) ?? [] })
  const isUnsure = pairs.some(({ run, base }) => unknownFlips(run, base, knownOf(run.name)).length > 0)
  const control = isUnsure ? await given.control() : []
  for (const pair of pairs) {
    const { name } = pair.run
    const controlled = control.find((each) => each.name === name)
    const found = await flipsOnBase({ ...pair, ...(controlled && { control: controlled }) }, given, tools)
    const known = knownOf(name).flips
    if (given.against.tree === tools.base.tree && found.some((each) => !known.includes(each)))
      await tools.checks.noteFlips?.(name, found)
    flips.set(name, [...new Set([...known, ...found])])
  }
  const own = new Map<CommandRun, CommandRun>()
  for (const { run, base } of pairs) {
    const names = redByFlipping(run, base, knownOf(run.name))
    const at = given.revision
    const passed = await findOtherEnds({ names, run, wanted: 'passed', at }, given, tools)
    const calm = passed.length > 0 ? await findCalm({ names: passed, run, at }, given, tools) : null
    if (calm) own.set(run, { ...run, ...calm, flaky: true, flips: [...(run.flips ?? []), ...passed] })
  }
  return {
    own: runs.map((run) => own.get(run) ?? run),
    runs: baseline,
    flips,
    ...(control.length > 0 && { control }),
  }
}

interface Pair {
  readonly run: CommandRun
  readonly base: CommandRun
  readonly control?: CommandRun
}

/** Those of the tests that flipped on the tree that flip on the base as well, where it runs them alone if need be. */
async function flipsOnBase(
  { run, base, control }: Pair,
  given: JudgedRuns,
  tools: FlipTools,
): Promise<readonly string[]> {
  const names = unknownFlips(run, base, control && { control })
  const seen = (run.flips ?? []).filter((name) => !names.includes(name))
  // What was steady in a control of the whole suite may still flip now and then.
  const failed = control
    ? await findOtherEnds({ names, run, wanted: 'failed', at: given.against }, given, tools)
    : []
  return [...(base.flips ?? []), ...seen, ...failed]
}

interface Search {
  readonly names: readonly string[]
  readonly run: CommandRun
  /** How the tests have not ended yet. */
  readonly wanted: 'passed' | 'failed'
  readonly at: Revision
}

const mostRuns = 5

/** Runs the files of these tests alone, up to five times, until each of them has ended as it is wanted to; tells which have. */
async function findOtherEnds(
  { names, run, wanted, at }: Search,
  { signal }: JudgedRuns,
  tools: FlipTools,
): Promise<readonly string[]> {
  const alone =
    names.length === 0 ? null : await commandFor({ names, command: run.name, tree: at.tree }, tools)
  const seen = new Set<string>()
  if (alone === null) return []
  for (let count = 0; count < mostRuns && seen.size < names.length && !signal.aborted; count += 1) {
    const request = { commands: [alone], revision: at, signal, isControl: true, isRedExpected: true }
    const [ended] = await tools.checks.run(request)
    for (const { name, status } of ended?.tests?.tests ?? [])
      if (status === wanted && names.includes(name)) seen.add(name)
  }
  return [...seen]
}

const mostWholeRuns = 3

/**
 * Runs all of the command until none of these tests hides what else may be red; null when that never happened. A test that
 * passes alone says nothing of a threshold, of an unhandled error or of the tests that run beside it.
 */
async function findCalm(
  { names, run: { name }, at }: Omit<Search, 'wanted'>,
  { signal }: JudgedRuns,
  { checks, commands }: FlipTools,
): Promise<Pick<CommandRun, 'red_besides'> | null> {
  const whole = commands.filter((command) => command.name === name)
  const request = { commands: whole, revision: at, signal, isControl: true, isRedExpected: true }
  for (let count = 0; count < mostWholeRuns && !signal.aborted; count += 1) {
    const [run] = await checks.run(request)
    const failed = (run?.tests?.tests ?? []).filter(({ status }) => status === 'failed')
    if (run?.ended !== 'exited' || failed.some((test) => names.includes(test.name))) continue
    return run.exit_code !== 0 && failed.length === 0 ? { red_besides: true } : {}
  }
  return null
}

interface TestsOfTree {
  readonly names: readonly string[]
  readonly command: string
  readonly tree: TreeId
}

/** The command for nothing but the files of these tests; null where nobody can tell them, or the runner takes no files. */
async function commandFor(
  { names, command, tree }: TestsOfTree,
  { trees, commands }: FlipTools,
): Promise<CheckCommand | null> {
  const configured = commands.find(({ name }) => name === command)
  if (!configured) return null
  const tests = await readTestTexts(trees, tree)
  const files = [...new Set(names.flatMap((name) => testsNamed(name, tests)?.map(({ path }) => path) ?? []))]
  if (files.length === 0) return null
  const scripts = parseScripts((await readTexts(trees, tree, ['package.json'])).get('package.json'))
  const run = narrowCommand(configured.run, files, scripts)
  return run === configured.run ? null : { ...configured, run }
}
