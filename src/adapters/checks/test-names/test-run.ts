export type TestStatus = 'passed' | 'failed' | 'skipped' | 'todo'

export interface NamedTest {
  /** Qualified by file and suite: `suite > test`; the second of two equal names ends in ` #2`. */
  readonly name: string
  readonly status: TestStatus
  /** `suite`: a file or suite that failed by itself (an import, a hook); it is listed only when it fails. */
  readonly kind: 'test' | 'suite'
}

/** What the output of a test tool says about its tests. */
export interface TestRun {
  readonly format: string
  /** Every test when `complete`, else the failed ones only. */
  readonly tests: readonly NamedTest[]
  /** Whether every test that ran is named, and the tool's own counts agree. */
  readonly complete: boolean
  /** Whether every test that failed is named. */
  readonly failures_named: boolean
  /** How many tests passed or failed, also where they are not named; null when the tool does not say. */
  readonly ran: number | null
}

export interface ParsedTest {
  readonly path: readonly string[]
  readonly status: TestStatus
  readonly kind: 'test' | 'suite'
}

/** What one parser found, before names are made unique. */
export interface ParsedRun {
  readonly format: string
  readonly tests: readonly ParsedTest[]
  readonly complete: boolean
  readonly failuresNamed: boolean
  readonly ran: number | null
}

/** A parser for one format: null unless the output bears its signature. Never throws, takes linear time. */
export type OutputParser = (lines: readonly string[]) => ParsedRun | null

export function countTests(tests: readonly ParsedTest[], status?: TestStatus): number {
  return tests.filter((test) => test.kind === 'test' && (status === undefined || test.status === status))
    .length
}

/** How many of the named tests passed or failed. */
export function countRan(tests: readonly ParsedTest[]): number {
  return countTests(tests, 'passed') + countTests(tests, 'failed')
}

/** Puts the runs of several tools in one output together and gives each test a name of its own. */
export function mergeRuns(runs: readonly ParsedRun[]): TestRun | null {
  if (runs.length === 0) return null
  const complete = runs.every((run) => run.complete)
  const tests = runs.flatMap((run) => run.tests)
  return {
    format: [...new Set(runs.map((run) => run.format))].join('+'),
    tests: nameTests(complete ? tests : tests.filter((test) => test.status === 'failed')),
    complete,
    failures_named: runs.every((run) => run.failuresNamed),
    ran: runs.reduce<number | null>((sum, { ran }) => (sum === null || ran === null ? null : sum + ran), 0),
  }
}

function nameTests(tests: readonly ParsedTest[]): NamedTest[] {
  const taken = new Set<string>()
  const uses = new Map<string, number>()
  return tests.map(({ path, status, kind }) => {
    const base = path.join(' > ').replaceAll(/\s+/g, ' ')
    let use = (uses.get(base) ?? 0) + 1
    let name = use === 1 ? base : `${base} #${use}`
    while (taken.has(name)) {
      use += 1
      name = `${base} #${use}`
    }
    uses.set(base, use)
    taken.add(name)
    return { name, status, kind }
  })
}
