import fc from 'fast-check'
import { expect, it } from 'vitest'
import { patchFile, sampleRun } from '../../../test/fixtures/attempt-samples.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import type { AttemptId, CommitId, IssueId, SessionId, TreeId } from '../../model/id.ts'
import { createImportGraph } from '../../model/proof/import-graph.ts'
import type { Patch } from '../../model/proof/patch.ts'
import {
  VerifyStrategy,
  type CheckCommand,
  type CommandRun,
  type Verification,
} from '../../model/proof/verification.ts'
import type { CheckRequest, Composer, Ports } from '../ports.ts'
import { chooseExtent } from '../proof/extent/choose-extent.ts'
import { createVerifier } from '../proof/verify.ts'
import { createTrainComposer, type Accepted } from './compose-train.ts'
import { checkTrain } from './try-train.ts'

const runs = Number(process.env['FIXPOINT_FUZZ_RUNS'] ?? 200)

/** One patch per module, and what each file of tests says of a tree that holds some of them. */
interface World {
  readonly patches: number
  readonly tests: readonly TestFile[]
}

interface TestFile {
  /** What it imports; what it depends on without that stands in `breaks` only. */
  readonly imports: readonly number[]
  /** Each of these patches makes it red. */
  readonly breaks: readonly number[]
  /** It is red with both of these, and with neither alone. */
  readonly clash: readonly [number, number] | null
  /** With this patch it is green whatever else is there. */
  readonly mender: number | null
  /** It flips on every tree. */
  readonly isFlaky: boolean
}

const drawnWorld: fc.Arbitrary<World> = fc.integer({ min: 2, max: 9 }).chain((patches) => {
  const patch = fc.nat(patches - 1)
  const rarely = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null, freq: 6 })
  return fc.record({
    patches: fc.constant(patches),
    tests: fc.array(
      fc.record({
        imports: fc.uniqueArray(patch, { maxLength: 3 }),
        breaks: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.uniqueArray(patch, { maxLength: 2 })),
        clash: rarely(fc.tuple(patch, patch)).map((pair) => (pair?.[0] === pair?.[1] ? null : pair)),
        mender: rarely(patch),
        isFlaky: fc.integer({ min: 0, max: 30 }).map((drawn) => drawn === 0),
      }),
      { minLength: 3, maxLength: 12 },
    ),
  })
})

const treeOf = (patches: readonly number[]): TreeId =>
  JSON.stringify([...new Set(patches)].toSorted((a, b) => a - b)) as TreeId
const patchesIn = (tree: TreeId): ReadonlySet<number> => new Set(JSON.parse(tree) as number[])
const moduleName = (at: number): string => `src/m${at}.ts`
const testName = (at: number): string => `test/t${at}.test.ts`
const base: Revision = { commit: 'c' as CommitId, tree: treeOf([]) }
const { signal } = new AbortController()
const command: CheckCommand = { name: 'test', run: 'vitest run', timeout_ms: 1, paths: [] }

const isRed = ({ breaks, clash, mender }: TestFile, patches: ReadonlySet<number>): boolean =>
  !(mender !== null && patches.has(mender)) &&
  (breaks.some((at) => patches.has(at)) || (clash?.every((at) => patches.has(at)) ?? false))

/** Ports over the world: a tree is the set of patches that it holds. */
function openWorld({ patches, tests }: World) {
  const paths = new Set([...Array(patches).keys()].map(moduleName).concat(tests.map((_, at) => testName(at))))
  const graph = createImportGraph(
    new Map<string, readonly string[]>([
      ...[...Array(patches).keys()].map((at) => [moduleName(at), []] as const),
      ...tests.map(({ imports }, at) => [testName(at), imports.map(moduleName)] as const),
    ]),
  )
  const wholeTrees = new Set<TreeId>()
  const runOn = ({ revision, commands }: CheckRequest): readonly CommandRun[] =>
    commands.map(({ name, run }) => {
      const given = run.slice(command.run.length).trim().split(' ').filter(Boolean)
      if (given.length === 0) wholeTrees.add(revision.tree)
      const chosen = tests.flatMap((file, at) =>
        given.length === 0 || given.includes(testName(at)) ? [{ file, name: testName(at) }] : [],
      )
      const flips = chosen.filter(({ file }) => file.isFlaky).map((each) => each.name)
      const named = chosen.map(({ file, name: test }) => ({
        name: test,
        status: isRed(file, patchesIn(revision.tree)) ? ('failed' as const) : ('passed' as const),
        kind: 'test' as const,
      }))
      const isGreen = named.every(({ status }) => status === 'passed') && flips.length === 0
      return {
        name,
        run,
        ended: 'exited',
        exit_code: isGreen ? 0 : 1,
        output: '',
        tests: { format: 'x', tests: named, complete: true, failures_named: true, ran: named.length },
        duration_ms: 1,
        flaky: flips.length > 0,
        ...(flips.length > 0 && { flips }),
      }
    })
  const composer: Pick<Composer, 'restore' | 'compose'> = {
    restore: async (tree) => tree,
    compose: async (onto, { tree }) => ({ tree: treeOf([...patchesIn(onto), ...patchesIn(tree)]) }),
  }
  const ports = {
    trees: {
      list: async () => paths,
      readMany: async (_tree: TreeId, asked: readonly string[]) =>
        new Map(asked.flatMap((path) => (paths.has(path) ? [[path, new Uint8Array()]] : []))),
    },
    imports: { graphOf: async () => graph },
  } as unknown as Pick<Ports, 'trees' | 'imports'>
  const checks = { run: async (request: CheckRequest) => runOn(request) }
  const pace = { usualMs: async () => null }
  const verifier = createVerifier({ checks, pace, trees: ports.trees, composer, commands: [command], base })
  return { ports, verifier, composer, wholeTrees }
}

const acceptedWith = (at: number, patch: Patch, verification: Verification): Accepted => ({
  id: `att_${at}` as AttemptId,
  session_id: 'ses_1' as SessionId,
  issue_id: `iss_${at}` as IssueId,
  issue_code: `GEN-${at}`,
  position: at,
  files: [],
  after: [],
  policy: { max_rounds: 1, threshold: 90, challenge: false, min_evidence: 'E1', unattended: 'hold' },
  rounds: [],
  deferrals: 0,
  base,
  from_tree: base.tree,
  round: 1,
  feedback: [],
  run: sampleRun(),
  report: null,
  patch,
  diff: '',
  gates: [],
  files_outside_finding: [],
  verification,
  stage: 'accepted',
  challenge: null,
  evidence: 'E1',
})

/** The patches that land, and the tree that they make, under one strategy. */
async function landUnder(strategy: VerifyStrategy, world: World) {
  const { ports, verifier, composer, wholeTrees } = openWorld(world)
  const accepted: Accepted[] = []
  for (let at = 0; at < world.patches; at += 1) {
    const tree = treeOf([at])
    const patch: Patch = { base_tree: base.tree, tree, files: [patchFile(moduleName(at))], refused: [] }
    const request = { strategy, patch, base, borrowed: [], approved: [], wasRedTogether: false, signal }
    const { extent, commandsOn } = await chooseExtent(request, verifier, ports)
    const seen: Verification =
      extent?.runs === 'none'
        ? { status: 'not_applicable', reason: '', tree, commands: [], depends_on_patch: true }
        : await verifier.verify({
            revision: { ...base, tree },
            against: base,
            changed: [moduleName(at)],
            ...(commandsOn && { commandsOn }),
            signal,
          })
    if (seen.status === 'passed' || seen.status === 'not_applicable')
      accepted.push(acceptedWith(at, patch, { ...seen, ...(extent && { extent }) }))
  }
  const compose = createTrainComposer(base.tree, composer as Composer)
  const sorted = await checkTrain(accepted, { compose, verifier, tip: base, ports, signal })
  const landed = (sorted?.good ?? []).map(({ position }) => position).toSorted((a, b) => a - b)
  return { landed, isVerified: landed.length === 0 || wholeTrees.has(treeOf(landed)) }
}

/** Whether patches of this world depend on each other: then who is alone with whom may decide. */
const hasInteraction = ({ tests }: World): boolean =>
  tests.some(({ clash, mender }) => clash !== null || mender !== null)

it('the same patches land under every strategy, unless they depend on each other, and what lands is green as a whole', async () => {
  await fc.assert(
    fc.asyncProperty(drawnWorld, async (world) => {
      const ends = new Map<VerifyStrategy, readonly number[]>()
      for (const strategy of VerifyStrategy.options) {
        const { landed, isVerified } = await landUnder(strategy, world)
        // What flips on the base too is left out by every strategy.
        const red = world.tests.filter((file) => !file.isFlaky && isRed(file, new Set(landed)))
        expect([red, isVerified]).toEqual([[], true])
        ends.set(strategy, landed)
      }
      if (hasInteraction(world)) return
      expect(ends.get('affected')).toEqual(ends.get('each'))
      expect(ends.get('together')).toEqual(ends.get('each'))
    }),
    { numRuns: runs },
  )
})
