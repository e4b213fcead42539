import type { Revision } from '../../../model/attempt/attempt.ts'
import { isCode, isForPeople, isNamedAsTest } from '../../../model/path-kind.ts'
import { pathsOfBase } from '../../../model/proof/owned-paths.ts'
import { touchedPaths, type Patch } from '../../../model/proof/patch.ts'
import type { Extent, VerifyStrategy } from '../../../model/proof/verification.ts'
import { parseScripts } from '../../commands/check-files.ts'
import type { CommandsOn, Verifier } from '../../context/verifier.ts'
import type { Ports } from '../../ports.ts'
import { readTexts } from '../../read-code.ts'
import { choosePackages, packageRunnerFor } from './choose-packages.ts'
import { narrowCommands, onlyThere, whyUnfit, type NarrowRequest, type Part } from './narrow-commands.ts'
import { findReachedTests, isTestFile } from './reached-tests.ts'

export interface ExtentRequest {
  readonly strategy: VerifyStrategy
  readonly patch: Patch
  readonly base: Revision
  /** The changed paths that have nothing to do with the cited files. */
  readonly borrowed: readonly string[]
  /** What a person allowed. */
  readonly approved: readonly string[]
  /** A train was red with an earlier patch of this attempt. */
  readonly wasRedTogether: boolean
  readonly signal: AbortSignal
}

/** How much runs on an attempt. Without an extent everything runs, as it was asked for. */
export interface ChosenExtent {
  readonly extent?: Extent
  /** The commands for a part of the tests; left out where all of them run, or none. */
  readonly commandsOn?: CommandsOn
}

type ExtentPorts = Pick<Ports, 'trees' | 'imports'>
type Runner = Pick<Verifier, 'run' | 'commandsFor'>

/**
 * Chooses what runs on an attempt. Less than everything runs only where the train, which runs everything, sees all that
 * the attempt would have seen: the base is green, and the patch holds nothing but source and new tests that belong to
 * it.
 */
export async function chooseExtent(
  request: ExtentRequest,
  verifier: Runner,
  ports: ExtentPorts,
): Promise<ChosenExtent> {
  const commands = verifier.commandsFor(touchedPaths(request.patch))
  if (request.strategy === 'each' || commands.length === 0) return {}
  const reason = whyWhole(request)
  if (reason !== null) return runWhole(reason)
  const baseline = await verifier.run(request.base, commands, request.signal)
  const known: Known = { ...request, commands, baseline, scripts: await readScripts(request, ports) }
  return request.strategy === 'together'
    ? leaveToTrain(known, verifier, ports)
    : chooseReached(known, verifier, ports)
}

type Known = ExtentRequest & NarrowRequest

/** Everything, for this reason. */
export const runWhole = (reason: string): ChosenExtent => ({
  extent: { runs: 'whole', reason: `all tests ran: ${reason}`, files: [] },
})

/** Why the train alone could not judge such a patch. */
function whyWhole({ patch, borrowed, approved, wasRedTogether }: ExtentRequest): string | null {
  const [owned] = [...approved, ...pathsOfBase(patch, [])]
  if (owned !== undefined) return `the patch changes ${owned}, which the checks depend on`
  if (borrowed[0] !== undefined) return `the patch changes ${borrowed[0]} beside the finding's file`
  const odd = patch.files.find(({ link_target }) => link_target !== null)
  if (odd) return `${odd.path} is a link`
  return wasRedTogether ? 'an earlier patch for this issue was red on the train' : null
}

async function readScripts(
  { base }: ExtentRequest,
  { trees }: ExtentPorts,
): Promise<Readonly<Record<string, unknown>>> {
  const manifest = await readTexts(trees, base.tree, ['package.json'])
  return parseScripts(manifest.get('package.json'))
}

/** Only the tests that load what was changed. */
async function chooseReached(known: Known, verifier: Runner, ports: ExtentPorts): Promise<ChosenExtent> {
  const { patch, base, signal } = known
  const changed = touchedPaths(patch).filter((path) => !isForPeople(path))
  const runner = packageRunnerFor(changed)
  const part = runner
    ? await choosePackages({ ...known, changed, runner }, ports)
    : await chooseFiles(known, changed, ports)
  if ('untold' in part) return runWhole(part.untold)
  const { files, count, narrowed, commandsOn } = part
  const seen = await verifier.run(base, await commandsOn(base.tree), signal)
  const unfit = whyUnfit(narrowed, seen, known.baseline)
  if (unfit !== null) return runWhole(`by themselves, the tests that the change reaches ${unfit} on the base`)
  return {
    extent: { runs: 'affected', reason: `the change reaches ${count}; the others run on the train`, files },
    commandsOn,
  }
}

/** The files of tests that load what was changed. */
async function chooseFiles(
  known: Known,
  changed: readonly string[],
  ports: ExtentPorts,
): Promise<Part | { readonly untold: string }> {
  const { patch, base, signal } = known
  const paths = await ports.trees.list(base.tree)
  const graphs = {
    before: await ports.imports.graphOf(patch.base_tree, signal),
    after: await ports.imports.graphOf(patch.tree, signal),
    paths,
  }
  const reached = findReachedTests(changed, graphs)
  if ('untold' in reached) return reached
  const { files } = reached
  const reason = whyNotThese(files, paths)
  if (reason !== null) return { untold: reason }
  const narrowing = narrowCommands(known, files)
  if ('untold' in narrowing) return narrowing
  return {
    files,
    count: files.length === 1 ? '1 file of tests' : `${files.length} files of tests`,
    narrowed: new Set(narrowing.narrowed.keys()),
    commandsOn: onlyThere(narrowing, files, ports),
  }
}

const mostFiles = 200

/** Why a part of the tests is none, or saves nothing: it runs on the base once more. */
function whyNotThese(files: readonly string[], paths: ReadonlySet<string>): string | null {
  const old = files.filter((file) => paths.has(file))
  if (old.length === 0) return 'no test of the base loads what was changed'
  const all = [...paths].filter((path) => isTestFile(path) && isNamedAsTest(path)).length
  if (old.length * 2 >= all) return `the change reaches ${old.length} of ${all} files of tests`
  return files.length > mostFiles ? `the change reaches ${files.length} files of tests` : null
}

/** Nothing but the tests that the patch adds, to see whether they prove it. */
async function leaveToTrain(known: Known, verifier: Runner, ports: ExtentPorts): Promise<ChosenExtent> {
  const { patch, base, baseline, signal } = known
  const red = baseline.find((run) => run.ended !== 'exited' || run.exit_code !== 0 || run.flaky)
  if (red) return runWhole(`${red.name} is not green on the base`)
  const odd = touchedPaths(patch).find((path) => !isForPeople(path) && !isCode(path))
  if (odd !== undefined) return runWhole(`${odd} is no program text`)
  const reason = 'all commands run there'
  const added = patch.files.flatMap(({ path, status }) =>
    status === 'added' && isTestFile(path) && isNamedAsTest(path) ? [path] : [],
  )
  if (added.length === 0) return { extent: { runs: 'none', reason, files: [] } }
  const narrowing = narrowCommands(known, added)
  if ('untold' in narrowing) return runWhole(narrowing.untold)
  const commands = narrowing.commands.filter(({ name }) => narrowing.narrowed.has(name))
  const commandsOn = onlyThere({ ...narrowing, commands }, added, ports)
  const revision = { commit: base.commit, tree: patch.tree }
  const unfit = whyUnfit(
    narrowing.narrowed.keys(),
    await verifier.run(revision, await commandsOn(patch.tree), signal),
    baseline,
  )
  if (unfit !== null) return runWhole(`by themselves, the tests that the patch adds ${unfit}`)
  return { extent: { runs: 'none', reason, files: added }, commandsOn }
}
