import type { TreeId } from '../id.ts'
import type { CommandRun, Verification, Proof } from './verification.ts'

interface ProvingRuns {
  /** The runs without the fix. */
  readonly red: readonly CommandRun[]
  readonly redTree: TreeId
  /** The same commands with it. */
  readonly green: readonly CommandRun[]
  readonly greenTree: TreeId
}

/** The proof that two sets of runs hold: tests that failed as tests, steadily and by name, and pass by the same name. */
export function proofFrom(source: Proof['source'], runs: ProvingRuns): Proof | null {
  for (const green of runs.green) {
    const red = runs.red.find(({ name }) => name === green.name)
    const tests = red ? turnedGreen(red, green) : []
    if (red && tests[0] !== undefined)
      return {
        source,
        command: green.name,
        tests,
        red_tree: runs.redTree,
        green_tree: runs.greenTree,
        excerpt: failureLine(red.output, tests[0]),
      }
  }
  return null
}

export interface NewFailure {
  readonly command: string
  readonly tests: readonly string[]
  readonly excerpt: string
}

/** Tests that fail in one set of runs and not in the other, by the first command that has some. */
export function newFailure(runs: readonly CommandRun[], baseline: readonly CommandRun[]): NewFailure | null {
  for (const run of runs) {
    const before = baseline.find(({ name }) => name === run.name)
    const known = new Set(
      before?.tests?.tests.flatMap(({ name, status }) => (status === 'failed' ? [name] : [])),
    )
    const tests = before ? failedTests(run).filter((name) => !known.has(name)) : []
    if (tests[0] !== undefined)
      return { command: run.name, tests, excerpt: failureLine(run.output, tests[0]) }
  }
  return null
}

/** The tests that are red in these runs and green in others of the same commands; null when there are none. */
export function whyWorse(runs: readonly CommandRun[], than: readonly CommandRun[]): string | null {
  const failure = newFailure(runs, than)
  if (failure) return `${failure.command}: red is ${failure.tests.slice(0, 5).join(', ')}`
  const green = new Set(than.flatMap(({ name, exit_code }) => (exit_code === 0 ? [name] : [])))
  const red = runs.find(({ name, exit_code }) => exit_code !== 0 && green.has(name))
  return red ? `${red.name}: exit ${String(red.exit_code)}` : null
}

/** Tests that a run names as failed. A file that could not be loaded is no test, and a test that flips proves nothing. */
export function failedTests({ ended, tests, flips = [] }: CommandRun): readonly string[] {
  if (ended !== 'exited' || !tests?.failures_named) return []
  return tests.tests
    .filter(({ status, kind }) => status === 'failed' && kind === 'test')
    .map(({ name }) => name)
    .filter((name) => !flips.includes(name))
}

function turnedGreen(red: CommandRun, green: CommandRun): readonly string[] {
  if (green.ended !== 'exited' || !green.tests) return []
  if (!green.tests.complete) return noLongerNamed(red, green)
  const passed = new Set(green.tests.tests.flatMap(({ name, status }) => (status === 'passed' ? [name] : [])))
  return failedTests(red).filter((name) => passed.has(name) && !isAmbiguous(name, red, green))
}

/**
 * Many tools name only what fails: when as many tests ran, those that had failed and are not named any more passed. A title
 * may hold what the code gives, so a name that did not fail before may be one of them under another name.
 */
function noLongerNamed(red: CommandRun, green: CommandRun): readonly string[] {
  if (!green.tests?.failures_named || green.tests.contradicted) return []
  if (green.tests.ran === null || green.tests.ran !== red.tests?.ran) return []
  const [before, left] = [namedAsFailed(red), namedAsFailed(green)]
  if (!left.isSubsetOf(before)) return []
  return failedTests(red).filter((name) => !left.has(plainName(name)))
}

const namedAsFailed = ({ tests, flips = [] }: CommandRun): ReadonlySet<string> =>
  new Set(
    [
      ...(tests?.tests ?? []).flatMap(({ name, status }) => (status === 'failed' ? [name] : [])),
      ...flips,
    ].map(plainName),
  )

/** Tests of one name are told apart by a number behind it. */
const plainName = (name: string): string => name.replace(/ #\d+$/, '')

/** When the number of tests with one name changed, nobody can tell which is which. */
function isAmbiguous(name: string, red: CommandRun, green: CommandRun): boolean {
  const plain = plainName(name)
  const count = ({ tests }: CommandRun): number =>
    tests?.tests.filter((test) => plainName(test.name) === plain).length ?? 0
  return count(red) !== count(green)
}

/**
 * Fails a verification when a test is red that proves one of the tree's fixes; on a red base that failure would pass as
 * known.
 */
export function keepProofs(
  verification: Verification,
  runs: readonly CommandRun[],
  proofs: readonly Proof[],
): Verification {
  const broken = new Map<string, readonly string[]>()
  for (const run of runs) {
    const failed = new Set(
      run.tests?.tests.flatMap(({ name, status }) => (status === 'failed' ? [name] : [])),
    )
    const proving = proofs.filter(({ command }) => command === run.name).flatMap(({ tests }) => tests)
    const red = [...new Set(proving)].filter((name) => failed.has(name))
    if (red.length > 0) broken.set(run.name, red)
  }
  const [first] = broken
  if (!first || verification.status === 'failed') return verification
  const reasonFor = (names: readonly string[]): string =>
    `tests that prove a fix are red: ${names.join(', ')}`
  const commands = verification.commands.map((command) => {
    const names = broken.get(command.name)
    return names ? { ...command, status: 'failed' as const, reason: reasonFor(names) } : command
  })
  return {
    ...verification,
    status: 'failed',
    reason: `${first[0]}: ${reasonFor(first[1])}`,
    commands,
    depends_on_patch: true,
  }
}

const excerptLength = 200

/** The line that says why a test failed, or the one that names it. */
export function failureLine(output: string, test: string): string {
  const name =
    test
      .replace(/ #\d+$/, '')
      .split(' > ')
      .at(-1) ?? test
  const lines = output.split('\n').map((line) => line.trim())
  const at = lines.findLastIndex((line) => line.includes(name))
  if (at === -1) return ''
  const near = lines.slice(at, at + 15)
  const why = near.find(
    (line) => /\b\w*(?:Error|Exception)\b|\bassert|expected|panicked/i.test(line) && !line.includes(name),
  )
  return (why ?? lines[at] ?? '').replaceAll(/\p{Cc}/gu, '').slice(0, excerptLength)
}
