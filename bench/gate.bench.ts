import type { Figure } from './figure.ts'
import { fixerClasses, type FixerClass } from './gate/fixers.ts'
import { playClass, type Ending } from './gate/play-class.ts'
import type { Program } from './gate/program.ts'
import { readPrograms } from './gate/programs.ts'
import { createSuite, passedGates, showsUnseen, weakerGates } from './gate/weaker-gates.ts'
import { buildIfStale } from './run-node.ts'

export const title = 'Programs with real kinds of bugs × eleven classes of fixers: how many land, by gate'

/** What nobody who only sees the visible tests can tell from a true fix. */
const overfit: FixerClass = 'overfits tests'
const LEAST_TRUE_SHARE = 0.95

export async function run(): Promise<readonly Figure[]> {
  await buildIfStale()
  const programs = await readPrograms()
  const weaker = await playWeaker(programs)
  const played = new Map<FixerClass, readonly Ending[]>()
  for (const fixer of fixerClasses) played.set(fixer, await playClass(programs, fixer))
  const unseen = new Map<FixerClass, readonly Ending[]>()
  for (const fixer of ['true fix', overfit] as const)
    unseen.set(fixer, await playClass(programs, fixer, { reproduce: true }))
  const landed = (fixer: FixerClass) => countLanded(played.get(fixer))
  const proven = (fixer: FixerClass) => countLanded(played.get(fixer), 'E3')
  const reproduced = (fixer: FixerClass) => countLanded(unseen.get(fixer), 'E4')
  printTable([
    ...weakerGates.map((gate, at) => ({ gate, count: (fixer: FixerClass) => weaker(fixer, at) })),
    { gate: 'Fixpoint', count: landed },
    { gate: 'Fixpoint, land.min_evidence: E3', count: proven },
    { gate: 'Fixpoint, E4 (evidence.reproduce)', count: reproduced },
  ])
  return figuresOf(programs.length, { landed, proven, reproduced })
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

/** A program that does not do what it says would make every number worthless. */
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

const countLanded = (endings: readonly Ending[] | undefined, least?: 'E3' | 'E4'): number | null =>
  endings
    ? endings.filter(
        ({ outcome, evidence }) => outcome === 'fixed' && (least === undefined || evidence === least),
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
  { landed, reproduced }: Readonly<Record<string, Count>>,
): readonly Figure[] {
  const unit = `of ${programs}`
  const most = Math.floor(programs * (1 - LEAST_TRUE_SHARE))
  const bad = fixerClasses.filter((fixer) => fixer !== 'true fix' && fixer !== overfit)
  return [
    { name: 'true fixes that do not land', value: programs - (landed?.('true fix') ?? 0), limit: most, unit },
    ...bad.map((fixer) => ({ name: `landed: ${fixer}`, value: landed?.(fixer) ?? programs, limit: 0, unit })),
    {
      name: 'overfits that land past unseen tests',
      value: reproduced?.(overfit) ?? programs,
      limit: 0,
      unit,
    },
  ]
}
