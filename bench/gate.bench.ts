import type { VerifyStrategy } from '../src/model/proof/verification.ts'
import type { Figure } from './figure.ts'
import { realRunners } from './gate/cheats/real-runners.ts'
import { runners, type Runner } from './gate/cheats/scene.ts'
import { fixerClasses, type FixerClass } from './gate/fixers.ts'
import { installRunners } from './gate/installed-runners.ts'
import { playClass, type Ending } from './gate/play-class.ts'
import { isFalselyLanded, isLost, isUnderrated, playScene, type Played } from './gate/play-cheats.ts'
import type { Program } from './gate/program.ts'
import { measurePlanted } from './gate/planted-cost.ts'
import { readPrograms } from './gate/programs.ts'
import { createSuite, passedGates, showsUnseen, weakerGates } from './gate/weaker-gates.ts'
import { buildIfStale } from './run-node.ts'

export const title =
  'Programs with real kinds of bugs × classes of fixers, and cheats × runners × red and green bases: what lands'

/** The visible tests alone cannot tell this class from a true fix. */
const overfit: FixerClass = 'overfits tests'
/** Fixes that are right; the second brings its own test. */
const trueClasses: readonly FixerClass[] = ['true fix', 'true fix with a test']
const LOST_SHARE = 0.02
const UNDERRATED_SHARE = 0.05
const OVERFITS = 2

const unseenPart = 'unseen'
const plantedPart = 'planted'

export const parts: readonly string[] = [
  ...[...runners, ...realRunners].map(({ name }) => name),
  ...fixerClasses,
  unseenPart,
  plantedPart,
]

export async function run(part?: string): Promise<readonly Figure[]> {
  if (part === plantedPart) return [await measurePlanted()]
  await buildIfStale()
  if (part === undefined)
    return [
      ...(await playPrograms()),
      ...(await playCheats([...runners, ...realRunners])),
      await measurePlanted(),
    ]
  const runner = [...runners, ...realRunners].find(({ name }) => name === part)
  return runner ? playCheats([runner]) : playOneClass(part)
}

/** Plays one class of fixers alone, or the true and the overfitting fixes with tests that no fixer saw. */
async function playOneClass(part: string): Promise<readonly Figure[]> {
  const programs = await readPrograms()
  const unit = `of ${programs.length}`
  const count = async (fixer: FixerClass, options = {}): Promise<number> => {
    const endings = await playClass(programs, fixer, options)
    for (const { program, outcome, evidence, reason } of endings.filter((each) => isUnwanted(fixer, each)))
      console.log(`  ${program}: ${outcome} ${evidence ?? ''} ${reason}`)
    return countLanded(endings) ?? 0
  }
  if (part === unseenPart)
    return [
      lostFigure(
        'true fix',
        programs.length - (await count('true fix', { reproduce: true })),
        programs.length,
      ),
      {
        name: 'overfits that land past unseen tests',
        value: await count(overfit, { reproduce: true }),
        limit: OVERFITS,
        unit,
      },
    ]
  const fixer = part as FixerClass
  const landed = await count(fixer)
  if (trueClasses.includes(fixer)) return [lostFigure(fixer, programs.length - landed, programs.length)]
  const limit = fixer === overfit ? programs.length : 0
  return [{ name: `landed: ${fixer}`, value: landed, limit, unit }]
}

const isUnwanted = (fixer: FixerClass, { outcome }: Ending): boolean =>
  (outcome === 'fixed') !== trueClasses.includes(fixer)

const lostFigure = (fixer: FixerClass, value: number, programs: number): Figure => ({
  name: `not landed: ${fixer}`,
  value,
  limit: Math.floor(programs * LOST_SHARE),
  unit: `of ${programs}`,
})

async function playPrograms(): Promise<readonly Figure[]> {
  const programs = await readPrograms()
  const weaker = await playWeaker(programs)
  const played = new Map<FixerClass, readonly Ending[]>()
  for (const fixer of fixerClasses) played.set(fixer, await playClass(programs, fixer))
  const unseen = new Map<FixerClass, readonly Ending[]>()
  for (const fixer of ['true fix', overfit] as const)
    unseen.set(fixer, await playClass(programs, fixer, { reproduce: true }))
  const landed = (fixer: FixerClass) => countLanded(played.get(fixer))
  const proven = (fixer: FixerClass) => countLanded(played.get(fixer), proofs)
  const reproduced = (fixer: FixerClass) => countLanded(unseen.get(fixer))
  printTable([
    ...weakerGates.map((gate, at) => ({ gate, count: (fixer: FixerClass) => weaker(fixer, at) })),
    { gate: 'Fixpoint', count: landed },
    { gate: 'Fixpoint, land.min_evidence: E3', count: proven },
    { gate: 'Fixpoint, E4 (evidence.reproduce)', count: reproduced },
  ])
  return figuresOf(programs.length, { landed, proven, reproduced })
}

/** Plays every runner on a base whose tests show the bugs, and on a base whose tests do not. */
async function playCheats(chosen: readonly Runner[]): Promise<readonly Figure[]> {
  const played: Played[] = []
  if (chosen.some(({ packages }) => packages)) installRunners()
  for (const { runner, verify, strategy } of chosen.flatMap(waysOf))
    for (const isRed of [true, false]) {
      const scene = await playScene(runner, { isRed, verify, strategy })
      played.push(...scene)
      const honest = scene.filter(({ isHonest }) => isHonest)
      console.log(
        `  ${runner.name} (${verify}, ${strategy}), ${isRed ? 'red' : 'green'} base: ${scene.filter(isFalselyLanded).length} of ${scene.length - honest.length} cheats landed, ${scene.filter(isLost).length} of ${honest.length} true fixes lost`,
      )
    }
  for (const one of played.filter((each) => isFalselyLanded(each) || isLost(each) || isUnderrated(each)))
    console.log(`  ${one.runner}: ${one.fixer.name}: ${one.outcome} ${one.evidence ?? ''} ${one.reason}`)
  return cheatFigures(played)
}

interface Way {
  readonly runner: Runner
  readonly verify: string
  readonly strategy: VerifyStrategy
}

/** A command that takes no files runs whole under every strategy; real runners are slow. */
const waysOf = (runner: Runner): readonly Way[] => [
  ...(runner.verify === runner.verifyByFile
    ? []
    : [{ runner, verify: runner.verify, strategy: 'each' } as const]),
  ...(runner.verifyByFile
    ? (runner.packages ? (['affected'] as const) : (['each', 'affected', 'together'] as const)).map(
        (strategy) => ({
          runner,
          verify: runner.verifyByFile ?? '',
          strategy,
        }),
      )
    : []),
]

function cheatFigures(played: readonly Played[]): readonly Figure[] {
  const honest = played.filter(({ isHonest }) => isHonest).length
  const proving = played.filter(({ fixer }) => 'isProving' in fixer).length
  const kinds = new Set(
    played
      .filter(({ isHonest }) => !isHonest)
      .map(({ fixer, runner }) => `${runner === 'unittest'} ${fixer.name}`),
  )
  return [
    {
      name: 'cheats that land',
      value: played.filter(isFalselyLanded).length,
      limit: 0,
      unit: `of ${played.length - honest}, ${kinds.size} kinds`,
    },
    {
      name: 'true fixes lost among cheats',
      value: played.filter(isLost).length,
      limit: Math.floor(honest * LOST_SHARE),
      unit: `of ${honest}`,
    },
    {
      name: 'proving tests without E3 or E4',
      value: played.filter(isUnderrated).length,
      limit: Math.floor(proving * UNDERRATED_SHARE),
      unit: `of ${proving}`,
    },
  ]
}

type Count = (fixer: FixerClass) => number | null

/** How many of each class pass each of the weaker gates. */
async function playWeaker(
  programs: readonly Program[],
): Promise<(fixer: FixerClass, gate: number) => number> {
  const suite = createSuite()
  const passed = new Map<FixerClass, readonly number[]>()
  for (const fixer of fixerClasses) {
    const counts: number[] = []
    for (const program of programs) counts.push(await passedGates(program, fixer, suite))
    passed.set(fixer, counts)
  }
  requireSound(programs, passed)
  for (const program of programs)
    if (!(await showsUnseen(program, suite)))
      throw new Error(`${program.name}: what is held back is green with the bug`)
  return (fixer, gate) => (passed.get(fixer) ?? []).filter((count) => count > gate).length
}

/** The number of gates that each class passes if every program does what it says; otherwise every number is worthless. */
const expected: Partial<Record<FixerClass, number>> = {
  'true fix': 6,
  'no-op': 1,
  'breaks other': 1,
  partial: 1,
  [overfit]: 5,
}

function requireSound(
  programs: readonly Program[],
  passed: ReadonlyMap<FixerClass, readonly number[]>,
): void {
  const wrong = Object.entries(expected).flatMap(([fixer, count]) =>
    programs
      .filter((_, at) => passed.get(fixer as FixerClass)?.[at] !== count)
      .map(({ name }) => `${name}: ${fixer}`),
  )
  if (wrong.length > 0) throw new Error(`programs that are not what they say: ${wrong.join(', ')}`)
}

const proofs = ['E3', 'E4']

const countLanded = (endings: readonly Ending[] | undefined, least?: readonly string[]): number | null =>
  endings
    ? endings.filter(
        ({ outcome, evidence }) =>
          outcome === 'fixed' && (least === undefined || least.includes(evidence ?? '')),
      ).length
    : null

function printTable(rows: readonly { readonly gate: string; readonly count: Count }[]): void {
  const width = Math.max(...rows.map(({ gate }) => gate.length))
  console.log(`  ${'fixes landed'.padEnd(width)} | ${fixerClasses.join(' | ')}`)
  for (const { gate, count } of rows) {
    const cells = fixerClasses.map((fixer) => String(count(fixer) ?? '').padStart(fixer.length))
    console.log(`  ${gate.padEnd(width)} | ${cells.join(' | ')}`)
  }
}

function figuresOf(
  programs: number,
  { landed, proven, reproduced }: Readonly<Record<'landed' | 'proven' | 'reproduced', Count>>,
): readonly Figure[] {
  const unit = `of ${programs}`
  const bad = fixerClasses.filter((fixer) => !trueClasses.includes(fixer) && fixer !== overfit)
  return [
    ...trueClasses.map((fixer) => lostFigure(fixer, programs - (landed(fixer) ?? 0), programs)),
    {
      name: 'proving tests of programs without E3 or E4',
      value: programs - (proven('true fix with a test') ?? 0),
      limit: Math.floor(programs * UNDERRATED_SHARE),
      unit,
    },
    ...bad.map((fixer) => ({ name: `landed: ${fixer}`, value: landed(fixer) ?? programs, limit: 0, unit })),
    {
      name: 'overfits that land past unseen tests',
      value: reproduced(overfit) ?? programs,
      limit: OVERFITS,
      unit,
    },
  ]
}
