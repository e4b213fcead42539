import { VerifyStrategy } from '../src/model/proof/verification.ts'
import type { Figure } from './figure.ts'
import { playWorld, type Ended } from './verdicts/play-world.ts'
import { blameless, drawWorlds, interacting, isFlaky, redTests, type World } from './verdicts/world.ts'

export const title =
  'What lands in random sessions with bad patches, interactions and flaky tests, by verify.strategy'
export const parts = ['small']

const WORLDS = { whole: 200, small: 10 } as const

export async function run(part?: string): Promise<readonly Figure[]> {
  const seed = Number(process.env['FIXPOINT_SEED'] ?? 1)
  const worlds = drawWorlds(part === 'small' ? WORLDS.small : WORLDS.whole, seed)
  const counts = { wrong: 0, missing: 0, unexplained: 0, explained: 0, later: 0 }
  for (const [at, world] of worlds.entries()) {
    const ends = new Map(
      await Promise.all(
        VerifyStrategy.options.map(async (each) => [each, await playWorld(world, each)] as const),
      ),
    )
    const told = judgeEnds(world, ends)
    for (const { kind } of told) counts[kind] += 1
    for (const { kind, what } of told)
      if (kind !== 'explained' && kind !== 'later')
        console.log(`  session ${at} of seed ${seed}: ${kind}: ${what}`)
  }
  const figure = (name: string, value: number, limit: number): Figure => ({ name, value, limit, unit: '' })
  return [
    figure(`red landings in ${worlds.length} sessions × 3`, counts.wrong, 0),
    figure('right fixes that did not land', counts.missing, 0),
    figure('differences without an interaction', counts.unexplained, 0),
    figure('differences by an interaction', counts.explained, worlds.length),
    figure('sessions where a fix landed in another round', counts.later, worlds.length),
    figure('sessions with a flaky test', worlds.filter(isFlaky).length, worlds.length),
  ]
}

interface Told {
  /** `later` when the same issues landed, one of them with the patch of another round. */
  readonly kind: 'wrong' | 'missing' | 'unexplained' | 'explained' | 'later'
  readonly what: string
}

/** What the ends of one session under the three strategies have in common, and what not. */
function judgeEnds(world: World, ends: ReadonlyMap<VerifyStrategy, Ended>): readonly Told[] {
  const told: Told[] = []
  const note = (kind: Told['kind'], what: string): void => void told.push({ kind, what })
  for (const [strategy, { values, said }] of ends) {
    const red = redTests(world, values)
    if (red.length > 0) note('wrong', `${strategy} landed ${values.join(' ')}, red: t${red.join(' t')}`)
    for (const module of blameless(world).filter((each) => values[each] === 0))
      note('missing', `${strategy} left out ${said[module] ?? ''}`)
  }
  const all = [...ends.values()].map(({ values }) => values)
  const differing = (of: (value: number | undefined) => unknown): readonly number[] =>
    Array.from({ length: world.modules }, (_, at) => at).filter(
      (module) => new Set(all.map((values) => of(values[module]))).size > 1,
    )
  const landed = differing((value) => value !== 0)
  const free = interacting(world)
  if (landed.some((module) => !free.has(module)))
    note('unexplained', JSON.stringify({ ends: [...ends], world }))
  else if (landed.length > 0) note('explained', `m${landed.join(' m')}`)
  else if (differing((value) => value).length > 0) note('later', 'the same issues, in another round')
  return told
}
