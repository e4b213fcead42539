import type { Revision } from '../../model/attempt/attempt.ts'
import type { HiddenTest } from '../../model/attempt/reproduction.ts'
import type { TreeId } from '../../model/id.ts'
import { isCode, pathKind } from '../../model/path-kind.ts'
import { plantTests } from '../../model/proof/planting/plant-test.ts'
import { newFailure, proofFrom } from '../../model/proof/prove.ts'
import type { CheckCommand, CommandRun, Verification } from '../../model/proof/verification.ts'
import type { Ports } from '../ports.ts'
import { playPlanted } from './judging/play-planted.ts'
import { prepareAdded, type AddedRun } from './judging/run-added.ts'

export type HiddenPorts = Pick<Ports, 'trees' | 'composer' | 'checks' | 'imports' | 'hash'>

export interface HiddenRequest {
  readonly base: Revision
  readonly commands: readonly CheckCommand[]
  readonly signal: AbortSignal
}

type Files = HiddenTest['files']

/** Whether the output of a command names the tests that fail, so that a new one could be told from the others. */
export async function namesTests(
  { base: revision, commands, signal }: HiddenRequest,
  { checks }: Pick<HiddenPorts, 'checks'>,
): Promise<boolean> {
  const runs = await checks.run({ commands, revision, signal })
  return runs.some(({ tests }) => tests?.failures_named)
}

/** The test as it fails on the base by name, or why it shows nothing. */
export async function tryOnBase(
  files: Files,
  request: HiddenRequest,
  ports: HiddenPorts,
): Promise<Omit<HiddenTest, 'files'> | { readonly refusal: string }> {
  const { base, commands, signal } = request
  const known = await ports.checks.run({ commands, revision: base, signal })
  if (!(await loadsProject(files, request, ports)))
    return { refusal: "the new test loads none of the project's code" }
  const added = await prepareAdded({ files: asMap(files), ...request }, ports)
  const failure = newFailure(await added.run(base.tree), known)
  if (!failure) return { refusal: 'the new test does not fail on the base as a named test' }
  if (loadError.test(failure.excerpt))
    return { refusal: 'the new test fails while it loads, which shows nothing of the problem' }
  if ((await canFail({ files }, base.tree, { request, ports })) === false)
    return { refusal: 'what the new test loads does not load on the base' }
  return failure
}

/** A name that cannot be found or a text that cannot be parsed is the test's own mistake. */
const loadError =
  /Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|ERR_PACKAGE_PATH|does not provide an export named|SyntaxError|ModuleNotFoundError|ImportError|No module named|IndentationError|cannot import name/

/** Something that starts a program or talks to one needs no import. */
const reachesOut = /\b(?:spawn|exec|fork|subprocess|popen|system|fetch|request|https?)/i

async function loadsProject(
  files: Files,
  { base, signal }: HiddenRequest,
  { composer, imports }: HiddenPorts,
): Promise<boolean> {
  const graph = await imports.graphOf(await composer.add(base.tree, asMap(files)), signal)
  return files.some(
    ({ path, text }) =>
      (isCode(path) && !graph.isRead(path)) ||
      reachesOut.test(text) ||
      [...graph.importsOf(path)].some((loaded) => pathKind(loaded) === 'source'),
  )
}

const asMap = (files: Files): ReadonlyMap<string, string> =>
  new Map(files.map(({ path, text }) => [path, text]))

/**
 * Whether a twin of the test, which loads the same and then fails in every way, is seen to fail on the tree. Null where
 * nobody knows how to write one.
 */
async function canFail(
  { files, tests = [] }: Pick<HiddenTest, 'files'> & Partial<Pick<HiddenTest, 'tests'>>,
  tree: TreeId,
  { request, ports }: { readonly request: HiddenRequest; readonly ports: HiddenPorts },
): Promise<boolean | null> {
  const planted = files
    .map((file) => plantTests(file, ports.hash(`${tree} ${file.path}`)))
    // Its tests are red on the base because of the problem itself, so whether an altered one can fail there tells
    // nothing.
    .map((choices) => choices.map((choice) => ({ ...choice, unsure: [] })))
    .filter((choices) => choices.length > 0)
  if (planted.length === 0) return null
  const helpers = files.filter(({ path }) => !planted.some((choices) => choices[0]?.path === path))
  const { status } = await playPlanted({ planted, helpers, proving: tests, tree, ...request }, ports)
  return status === 'passed'
}

export interface HiddenProofRequest extends HiddenRequest {
  /** The tree with the fix, without what does not belong to it. */
  readonly tree: TreeId
  /** The paths that the fix itself changes. */
  readonly fix: readonly string[]
  /** Whether the checks were seen to be able to fail with the fix. */
  readonly isJudged: boolean
}

type Reproduced = NonNullable<Verification['reproduction']>

const unseen = (reason: string): Reproduced => ({ status: 'not_evaluated', reason })

/** The words about a test that the fixer may read without ever seeing the test. */
const redForIt: Reproduced = {
  status: 'failed',
  reason: 'an independent test of this problem fails with the fix',
}

/** Whether a test that is red on the base is green with the fix, and red again without its source hunks. */
export async function proveByHidden(
  test: HiddenTest,
  request: HiddenProofRequest,
  ports: HiddenPorts,
): Promise<Reproduced> {
  const { base, commands, tree, fix, signal } = request
  const added = await prepareAdded({ files: asMap(test.files), base, commands, signal }, ports)
  const green = await added.run(tree)
  const known = await ports.checks.run({ commands, revision: base, signal })
  if (newFailure(green, known) || isRed(green, added)) return redForIt
  const reverted = await ports.composer.restore(tree, base.tree, fix)
  if (reverted === tree) return unseen('the fix changes no source that could be taken away')
  const red = await added.run(reverted)
  const proof = proofFrom('reproduced', { red, redTree: reverted, green, greenTree: tree })
  if (!proof || !test.tests.every((name) => proof.tests.includes(name)))
    return unseen('the independent test does not pass by name with the fix and fail without it')
  const isAble = await canFail(test, tree, { request: { base, commands, signal }, ports })
  if (!(isAble ?? request.isJudged))
    return unseen('with the fix the checks could not be seen to fail for such a test')
  return { status: 'passed', reason: 'an independent test passes with the fix and fails without it', proof }
}

/** The exit code of a command that runs nothing else decides, also when the test does not even load any more. */
const isRed = (runs: readonly CommandRun[], { narrowed }: AddedRun): boolean =>
  runs.some(
    ({ name, ended, exit_code, flaky }) =>
      narrowed.has(name) && ended === 'exited' && exit_code !== 0 && !flaky,
  )
