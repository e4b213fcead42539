import fc from 'fast-check'

/** A small project with one finding per module, and what its tests say of each mixture of fixes. */
export interface World {
  /** Each module holds 0 at first, 1 after the first fix of its issue, and 2, which breaks nothing, after the second. */
  readonly modules: number
  readonly maxRounds: number
  readonly tests: readonly TestFile[]
}

export interface TestFile {
  /** How it gets at the values: only what it imports can be told from its text. */
  readonly through: 'imports' | 'barrel' | 'text'
  readonly looksAt: readonly number[]
  /** It is red where one of these holds. */
  readonly redWhen: readonly Mixture[]
  /** In every so-manieth fresh checkout it fails at first, whatever stands in the modules, and passes from then on. */
  readonly failsEvery: number | null
}

/** Modules with the values that they have. */
export type Mixture = readonly (readonly [module: number, value: number])[]

export function drawWorlds(count: number, seed: number): readonly World[] {
  return fc.sample(drawnWorld, { numRuns: count, seed })
}

const drawnWorld: fc.Arbitrary<World> = fc.integer({ min: 3, max: 5 }).chain((modules) =>
  fc.record({
    modules: fc.constant(modules),
    maxRounds: fc.integer({ min: 1, max: 2 }),
    tests: fc
      .tuple(...Array.from({ length: modules }, (_, at) => drawnTest(modules, at)), drawnTest(modules, 0))
      .map((tests) => [...tests, calm, calm]),
  }),
)

/** Two tests that no fix reaches, so that a part of the suite is less than half of it. */
const calm: TestFile = { through: 'imports', looksAt: [], redWhen: [], failsEvery: null }

function drawnTest(modules: number, own: number): fc.Arbitrary<TestFile> {
  const module = fc.nat(modules - 1)
  const drawnMixture: fc.Arbitrary<readonly Mixture[]> = fc.oneof(
    { weight: 6, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: module.map((bad): readonly Mixture[] => [[[bad, 1]]]) },
    // Red with both fixes, and with neither alone.
    { weight: 2, arbitrary: pairOf(module).map(([a, b]) => mixtures(a, b, 1)) },
    // The second fix hides what the first breaks.
    { weight: 1, arbitrary: pairOf(module).map(([a, b]) => mixtures(a, b, 0)) },
  )
  return fc
    .record({
      through: fc.oneof(
        { weight: 4, arbitrary: fc.constant('imports' as const) },
        { weight: 1, arbitrary: fc.constant('barrel' as const) },
        { weight: 2, arbitrary: fc.constant('text' as const) },
      ),
      redWhen: drawnMixture,
      failsEvery: fc.integer({ min: 0, max: 40 }).map((drawn) => (drawn < 2 ? drawn + 2 : null)),
    })
    .map((drawn) => ({ ...drawn, looksAt: [...new Set([own, ...modulesIn(drawn.redWhen)])] }))
}

const pairOf = (module: fc.Arbitrary<number>) => fc.tuple(module, module).filter(([a, b]) => a !== b)

const mixtures = (a: number, b: number, value: number): readonly Mixture[] => [
  [
    [a, 1],
    [b, value],
  ],
]

const modulesIn = (all: readonly Mixture[]): readonly number[] =>
  all.flatMap((mixture) => mixture.map(([module]) => module))

/** The value of each module. */
export type Values = readonly number[]

/** The tests that are red with these values in every run. */
export const redTests = ({ tests }: World, values: Values): readonly number[] =>
  tests.flatMap(({ redWhen }, at) => (redWhen.some((mixture) => holds(mixture, values)) ? [at] : []))

const holds = (mixture: Mixture, values: Values): boolean =>
  mixture.every(([module, value]) => values[module] === value)

/** The modules whose fixes depend on each other, over any number of steps: who is tried with whom decides there. */
export function interacting({ tests }: World): ReadonlySet<number> {
  return new Set(
    tests.flatMap(({ redWhen }) =>
      redWhen.filter(({ length }) => length > 1).flatMap((each) => modulesIn([each])),
    ),
  )
}

/** The modules whose first fix is red with nothing else. */
export const blameless = ({ modules, tests }: World): readonly number[] =>
  Array.from({ length: modules }, (_, at) => at).filter(
    (module) => !tests.some(({ redWhen }) => modulesIn(redWhen).includes(module)),
  )

export const isFlaky = ({ tests }: World): boolean => tests.some(({ failsEvery }) => failsEvery !== null)
