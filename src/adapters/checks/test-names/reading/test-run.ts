import type { NamedTest, TestRun } from '../../../../model/proof/verification.ts'

export type { TestRun }
export type TestStatus = 'passed' | 'failed' | 'skipped' | 'todo'

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
  /** By the tool's own count, where it gives one. */
  readonly ran: number | null
  /** Names and counts differ in a way that the tool's own output never does. */
  readonly contradicted: boolean
  /** How many final counts were found, for a tool that prints one per run. */
  readonly reports?: number
}

/** One test tool: all that is known of its output. A new one is its own file, its rows in the test, and one line in the list. */
export interface OutputReader {
  readonly name: string
  /** Whether its output names every test that ran, or only with an option; `complete` says it of one output. */
  readonly namesEveryTest: 'always' | 'verbose'
  /**
   * Null unless the output bears the tool's signature. Never throws, takes linear time. A cut output, of a command
   * that was ended in the middle, may lack the counts that stand at its end.
   */
  read(lines: readonly string[], output: { readonly isCut: boolean }): Omit<ParsedRun, 'format'> | null
}

export function countTests(tests: readonly ParsedTest[], status?: TestStatus): number {
  return tests.filter((test) => test.kind === 'test' && (status === undefined || test.status === status))
    .length
}

/** How many of the named tests passed or failed. */
export function countRan(tests: readonly ParsedTest[]): number {
  return countTests(tests, 'passed') + countTests(tests, 'failed')
}

/** Puts the runs of several tools in one output together and gives each test a name of its own. */
export function mergeRuns(
  runs: readonly ParsedRun[],
  { isCut }: { readonly isCut: boolean },
): TestRun | null {
  if (runs.length === 0) return null
  const complete = !isCut && runs.every((run) => run.complete)
  const tests = runs.flatMap((run) => run.tests)
  const reports = runs.flatMap((run) => run.reports ?? [])
  return {
    format: [...new Set(runs.map((run) => run.format))].join('+'),
    tests: nameTests(complete || isCut ? tests : tests.filter((test) => test.status === 'failed')),
    complete,
    failures_named: !isCut && runs.every((run) => run.failuresNamed),
    ran: isCut ? null : sumOrNull(runs.map((run) => (run.complete ? countRan(run.tests) : run.ran))),
    ...(!isCut && runs.some((run) => run.contradicted) && { contradicted: true }),
    ...(!isCut && reports.length > 0 && { reports: reports.reduce((sum, count) => sum + count, 0) }),
  }
}

function sumOrNull(numbers: readonly (number | null)[]): number | null {
  return numbers.reduce((sum, number) => (sum === null || number === null ? null : sum + number), 0)
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
