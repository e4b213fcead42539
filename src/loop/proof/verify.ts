import picomatch from 'picomatch'
import type { Revision } from '../../model/attempt/attempt.ts'
import type { TreeId } from '../../model/id.ts'
import { pathKind } from '../../model/path-kind.ts'
import { judgeVerification } from '../../model/proof/judge-verification.ts'
import { failedTests, keepProofs, whyWorse } from '../../model/proof/prove.ts'
import type { CheckCommand, CommandRun, Verification } from '../../model/proof/verification.ts'
import type { CommandsOn, PathsOf, Verifier, VerifierRequest } from '../context/verifier.ts'
import type { CheckOutput, Checks, Composer, CheckRequest, Pace } from '../ports.ts'
import { settleFlips, type FlipTools } from './judging/settle-flips.ts'
import { findProof } from './prove.ts'

export interface VerifierOptions extends FlipTools {
  readonly composer: Pick<Composer, 'restore'>
  readonly pace: Pick<Pace, 'usualMs'>
}

export function createVerifier({
  checks,
  pace,
  trees: read,
  composer,
  commands,
  base,
}: VerifierOptions): Verifier {
  const { run, trees, expectedMs } = rememberRuns(checks, pace, base)
  const chosenFor = (changed: readonly string[]) => commands.filter((each) => appliesTo(each, changed))
  const choose = (request: VerifierRequest): Chosen => {
    const chosen = chosenFor(request.changed)
    return { ...request, isAny: chosen.length > 0, commandsOn: request.commandsOn ?? (async () => chosen) }
  }
  const bench: Bench = { composer, run, checks, trees: read, commands, base }
  return {
    verify: async (request) => (await verifyAlone(choose(request), bench)).verification,
    async findFailing({ revision, changed, commandsOn, signal }) {
      const chosen = (await commandsOn?.(revision.tree)) ?? chosenFor(changed)
      const runs = await run({ revision, commands: chosen, signal })
      return runs.flatMap(failedTests)
    },
    commandsFor: chosenFor,
    expectedMs,
    run: (revision, chosen, signal) => run({ revision, commands: chosen, signal, isFirstLook: true }),
    count: () => [...trees()].filter((tree) => tree !== base.tree).length,
  }
}

interface Chosen extends VerifierRequest {
  /** Whether any command cares for the change. */
  readonly isAny: boolean
  readonly commandsOn: CommandsOn
}

interface Bench extends Pick<RememberedRuns, 'run'>, FlipTools {
  readonly composer: Pick<Composer, 'restore'>
}

interface Verified {
  readonly verification: Verification
  /** Those on the tree as it would be committed. */
  readonly runs: readonly CommandRun[]
}

/** The verdict on the whole patch, and on the patch without the paths that have nothing to do with the fix: the second one proves it. */
async function verifyAlone(given: Chosen, bench: Bench): Promise<Verified> {
  const { revision, against, borrowed: paths = [] } = given
  const whole = await verifyTree(given, bench)
  const tree = await putBack(revision.tree, [{ tree: against.tree, paths }], bench.composer)
  if (whole.verification.status !== 'passed' || tree === revision.tree) return whole
  const part = await verifyTree({ ...given, revision: { ...revision, tree } }, bench)
  const { proof: _whole, ...verification } = whole.verification
  const worse = whyWorse(part.runs, whole.runs)
  const status = part.verification.status === 'passed' && worse === null ? 'passed' : 'failed'
  const reason = part.verification.status === 'passed' ? (worse ?? '') : part.verification.reason
  const { proof } = part.verification
  return {
    ...whole,
    verification: { ...verification, alone: { tree, paths, status, reason }, ...(proof && { proof }) },
  }
}

/** First with the base's own tests, then as it would be committed, then without the fix; mostly the first two are one tree. */
async function verifyTree(given: Chosen, bench: Bench): Promise<Verified> {
  const { revision, fix, commandsOn, signal } = given
  if (!given.isAny) return { verification: judgeVerification(revision.tree, [], { runs: [] }), runs: [] }
  const approved = given.approved ? [given.approved] : []
  const restore = [...(given.restore ?? []), ...approved]
  const baseTree = await putBack(given.against.tree, approved, bench.composer)
  const request = { ...given, against: { ...given.against, tree: baseTree } }
  const tree = await putBack(revision.tree, restore, bench.composer)
  const own = await judgeTree({ ...revision, tree }, request, bench)
  const restored = tree === revision.tree ? null : { tree, paths: restore.flatMap(({ paths }) => paths) }
  if (restored && own.verification.status !== 'passed') {
    const reason = withBaseTests(own.verification, restored.paths)
    const expects = await changedTests(own.verification, request, bench)
    const refused = { ...own.verification, tree: revision.tree, restored, reason }
    return { ...own, verification: expects.length > 0 ? { ...refused, expects } : refused }
  }
  const whole = restored ? await judgeTree(revision, request, bench) : own
  const verification = { ...whole.verification, ...(restored && { restored }) }
  if (verification.status !== 'passed' || !fix) return { verification, runs: whole.runs }
  const runs = { baseline: own.baseline, own: { tree, runs: own.runs }, whole: whole.runs }
  const proof = await findProof(
    { ...request, ...runs, fix },
    {
      composer: bench.composer,
      run: async (at) => bench.run({ revision: at, commands: await commandsOn(at.tree), signal }),
    },
  )
  return { verification: proof ? { ...verification, proof } : verification, runs: whole.runs }
}

/** The tests that a patch changes, where nothing but those of the base is red: then a person says whether they were wrong. */
async function changedTests(own: Verification, request: Chosen, bench: Bench): Promise<readonly string[]> {
  const paths = (request.restore ?? []).flatMap((from) => from.paths).filter(isExpectation)
  if (own.status !== 'failed' || paths.length === 0) return []
  const { verification } = await judgeTree(request.revision, request, bench)
  return verification.status === 'passed' ? paths : []
}

const isExpectation = (path: string): boolean => ['test', 'snapshot'].includes(pathKind(path))

/** The runs on one tree, judged against those on the base; a flaky result asks the base once more. */
async function judgeTree(revision: Revision, request: Chosen, bench: Bench) {
  const { run } = bench
  const { against, commandsOn, signal, onOutput, proofs = [] } = request
  const onBase = ({ name, text }: CheckOutput): void => onOutput?.({ name: `${name} on the base`, text })
  const onTree = { revision: against, commands: await commandsOn(against.tree), signal }
  const before = { ...onTree, onOutput: onBase, isFirstLook: true }
  const baseline = await run(before)
  const commands = await commandsOn(revision.tree)
  const runs = await run({ revision, commands, signal, ...(onOutput && { onOutput }) })
  const control = () => run({ ...before, isControl: true })
  const given = { revision, runs, against, baseline, control, signal }
  const { own, ...known } = await settleFlips(given, bench)
  const verification = judgeVerification(revision.tree, own, known)
  return { verification: keepProofs(verification, own, proofs), runs: own, baseline }
}

async function putBack(
  tree: TreeId,
  restore: readonly PathsOf[],
  composer: Bench['composer'],
): Promise<TreeId> {
  let current = tree
  for (const { tree: from, paths } of restore)
    if (paths.length > 0) current = await composer.restore(current, from, paths)
  return current
}

const namedPaths = 3

function withBaseTests({ reason }: Verification, paths: readonly string[]): string {
  const more = paths.length > namedPaths ? ` and ${paths.length - namedPaths} more` : ''
  return `with the base's own ${paths.slice(0, namedPaths).join(', ')}${more}: ${reason}`
}

const appliesTo = (command: CheckCommand, changed: readonly string[]): boolean =>
  command.paths.length === 0 ||
  changed.some((path) => picomatch.isMatch(path, [...command.paths], { dot: true }))

/** Runs commands on trees; nothing that ran once runs again. */
interface RememberedRuns {
  run(request: CheckRequest): Promise<readonly CommandRun[]>
  /** Every tree that something ran on. */
  trees(): ReadonlySet<TreeId>
  /** How long these took when they ran last, here or in an earlier session; null where that is not known of each. */
  expectedMs(commands: readonly CheckCommand[]): Promise<number | null>
}

function rememberRuns(
  checks: Checks,
  pace: Pick<Pace, 'usualMs'>,
  base: Pick<Revision, 'tree'>,
): RememberedRuns {
  const seen = new Map<string, { readonly tree: TreeId; readonly runs: Promise<readonly CommandRun[]> }>()
  const tookMs = new Map<string, number>()
  return {
    run(request) {
      const { revision, commands, isControl = false } = request
      const key = JSON.stringify([revision.tree, isControl, commands.map(({ name, run }) => [name, run])])
      const known = seen.get(key)
      if (known) return known.runs
      // What was red before the patch, in an earlier session or process, would hide what the patch breaks.
      const { isFirstLook = revision.tree === base.tree } = request
      const runs = checks.run({ ...request, isFirstLook })
      seen.set(key, { tree: revision.tree, runs })
      // A run that was cut off or rejected says nothing about the tree, so it must not be remembered.
      runs.then(
        (ended) => {
          if (ended.some((each) => each.ended === 'cancelled')) seen.delete(key)
          else for (const each of ended) tookMs.set(each.run, each.duration_ms)
        },
        () => seen.delete(key),
      )
      return runs
    },
    async expectedMs(commands) {
      const each = commands.map(async ({ run }) => tookMs.get(run) ?? (await pace.usualMs(run)))
      const known = (await Promise.all(each)).filter((ms) => ms !== null)
      return known.length < commands.length ? null : known.reduce((sum, ms) => sum + ms, 0)
    },
    trees: () => new Set([...seen.values()].map(({ tree }) => tree)),
  }
}
