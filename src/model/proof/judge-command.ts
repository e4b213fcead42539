import { missingSummary } from './unread-summary.ts'
import type { CommandResult, CommandRun, TestRun } from './verification.ts'

/** What else is known of a command on the base, where one run there leaves it open. */
export interface BaseDoubts {
  readonly control?: CommandRun
  /** Tests that ended differently on some base, by themselves or in an earlier session. */
  readonly flips?: readonly string[]
}

/** Judges one command on the patched tree against the same command on the base, and what else is known of it there. */
export function judgeCommand(run: CommandRun, baseline: CommandRun, doubts: BaseDoubts = {}): CommandResult {
  const [status, reason] = verdictOf(run, baseline, doubts)
  return {
    name: run.name,
    status,
    reason,
    exit_code: run.exit_code,
    output: run.output,
    ...(run.end !== undefined && { end: run.end }),
    ...(status !== 'passed' && failingTests(run, baseline)),
    duration_ms: run.duration_ms,
  }
}

const mostFailing = 200

/** Whether a failing test is named by what fails in it. */
const isGroup = (name: string, tests: TestRun['tests']): boolean =>
  tests.some((other) => other.status === 'failed' && other.name.startsWith(`${name} > `))

/** The tests that failed, with what they said; those that did not fail on the base come first. */
function failingTests(run: CommandRun, baseline: CommandRun): Pick<CommandResult, 'failing'> {
  const before = failedNames(baseline)
  const failing = (run.tests?.tests ?? [])
    .filter(({ status, name }, _, all) => status === 'failed' && !isGroup(name, all))
    .map(({ name, message = '' }) => ({ name, message, is_new: !before?.has(name) }))
  const sorted = [...failing.filter(({ is_new }) => is_new), ...failing.filter(({ is_new }) => !is_new)]
  return sorted.length > 0 ? { failing: sorted.slice(0, mostFailing) } : {}
}

/** The tests that flipped here and, as far as is known, not on the base: only more runs of the base can tell whose fault that is. */
export function unknownFlips(
  run: CommandRun,
  baseline: CommandRun,
  doubts: BaseDoubts = {},
): readonly string[] {
  if (run.ended !== 'exited' || !run.flaky || baseline.ended !== 'exited') return []
  const known = flipsOnBase(baseline, doubts)
  return (run.flips ?? []).filter((name) => !known.has(name))
}

/**
 * The tests that make a run red and are all known to flip on the base: more runs can tell whether they only flipped to
 * the same side twice. None where something else is red too.
 */
export function redByFlipping(
  run: CommandRun,
  baseline: CommandRun,
  doubts: BaseDoubts = {},
): readonly string[] {
  if (run.ended !== 'exited' || run.exit_code === 0 || baseline.ended !== 'exited') return []
  const known = flipsOnBase(baseline, doubts)
  const before = failedNames(baseline) ?? new Set()
  const open = [...(failedNames(run) ?? [])].filter((name) => !run.flips?.includes(name))
  const fresh = open.filter((name) => known.has(name) || !before.has(name))
  return isSubset(fresh, known) ? fresh : []
}

/** Whether the base's run can be compared with at all. */
export const isComparable = (baseline: CommandRun | undefined): boolean =>
  baseline?.ended === 'exited' || (baseline?.ended === 'timed_out' && passedNames(baseline).length > 0)

type Verdict = readonly [CommandResult['status'], string]

function verdictOf(run: CommandRun, baseline: CommandRun, doubts: BaseDoubts): Verdict {
  if (run.ended !== 'exited') return ['not_evaluated', endingReason(run)]
  const rewritten = (run.rewrote ?? []).filter((path) => !baseline.rewrote?.includes(path))
  if (rewritten.length > 0)
    return ['not_evaluated', `it wrote into the files that it was to judge: ${listNames(rewritten)}`]
  if (run.flaky) return judgeFlaky(run, baseline, doubts)
  if (baseline.ended === 'timed_out' && run.exit_code === 0) return compareWithHang(run, baseline)
  if (baseline.ended !== 'exited')
    return ['not_evaluated', `it could not be run on the base: ${endingReason(baseline)}`]
  if (run.exit_code !== 0 && baseline.exit_code === 0)
    return ['failed', `exit ${String(run.exit_code)}; it was green on the base`]
  return run.exit_code === 0 ? compareGreen(run, baseline) : compareRed(run, baseline)
}

function compareGreen(run: CommandRun, baseline: CommandRun): Verdict {
  if (ranTests(baseline) && !ranTests(run))
    return ['not_evaluated', 'no test ran, although tests ran on the base']
  const known = baseline.exit_code === 0 ? failedNames(baseline) : null
  const failed = [...(failedNames(run) ?? [])].filter((name) => !known?.has(name))
  // Code under test can set the exit code; the runner's own words about its tests contradict it.
  if (failed.length > 0) return ['failed', `exit 0, although tests failed: ${listNames(failed)}`]
  const unread = run.tests || baseline.tests ? null : missingSummary(run.output, baseline.output)
  if (unread) return ['not_evaluated', `exit 0 alone proves nothing: ${unread}`]
  return missingTests(run, baseline) ?? ['passed', 'exit 0']
}

/** Every test that ran on the base must still run, and the output must still be able to tell. */
function missingTests(run: CommandRun, baseline: CommandRun): Verdict | null {
  const doubt = doubtAbout(run, baseline)
  if (doubt) return ['not_evaluated', `which tests ran cannot be told: ${doubt}`]
  const lost = lostTests(run, baseline)
  if (lost.length > 0)
    return [
      'failed',
      `tests that ran on the base no longer run: ${listNames(lost)}${keepNames(run, baseline)}`,
    ]
  const [now, before] = [run.tests?.ran ?? null, baseline.tests?.ran ?? null]
  return now !== null && before !== null && now < before
    ? ['failed', `fewer tests ran: ${now}, on the base ${before}`]
    : null
}

/**
 * Why the output does not show its tests as it did on the base: programs under test can print what looks like results.
 * On a red base `a && b` ended at `a`, so a fix that turns it green may show more results than the base.
 */
function doubtAbout(run: CommandRun, baseline: CommandRun): string | null {
  const [now, before] = [run.tests, baseline.tests]
  if (!now || !before) return null
  const mayBeMore = run.exit_code === 0 && baseline.exit_code !== 0
  const kinds = (run: TestRun): ReadonlySet<string> => new Set(run.format.split('+'))
  const hasKinds = mayBeMore ? kinds(now).isSupersetOf(kinds(before)) : now.format === before.format
  if (!hasKinds) return `the output holds results of the kind ${now.format}, on the base ${before.format}`
  if (now.contradicted && !before.contradicted) return 'the tests it names and the tests it counts differ'
  if (now.reports === undefined || before.reports === undefined) return null
  const hasReports = mayBeMore ? now.reports >= before.reports : now.reports === before.reports
  return hasReports ? null : `the output holds ${now.reports} final counts, on the base ${before.reports}`
}

/** The base was red: only named tests can show that nothing new broke. */
function compareRed(run: CommandRun, baseline: CommandRun): Verdict {
  const after = failedNames(run)
  if (baseline.flaky) {
    const flips = baseline.flips ?? []
    if (flips.length === 0 || flips.some((name) => after?.has(name)))
      return ['not_evaluated', 'already red on the base, and flaky there']
    return leavingOut({ names: flips, why: 'flaky on the base' }, run, baseline)
  }
  const before = failedNames(baseline)
  if (!before || !after || after.size === 0)
    return ['not_evaluated', 'already red on the base, and its output does not name what failed']
  const fresh = [...after].filter((name) => !before.has(name))
  if (fresh.length > 0) return ['failed', `new failures: ${listNames(fresh)}`]
  return missingTests(run, baseline) ?? ['passed', `red as on the base, no new failure (${after.size} known)`]
}

/** The base hung, so nobody knows all its tests; those that had passed before must pass here, where nothing hangs. */
function compareWithHang(run: CommandRun, baseline: CommandRun): Verdict {
  const before = passedNames(baseline)
  if (before.length === 0)
    return [
      'not_evaluated',
      'on the base it took longer than its timeout before it named a test, so nothing can be compared',
    ]
  const now = new Set(passedNames(run))
  if (!run.tests?.complete || run.tests.contradicted || now.size === 0)
    return ['not_evaluated', 'the base hung, and the output here does not name every test that ran']
  const lost = before.filter((name) => !now.has(name))
  return lost.length > 0
    ? ['failed', `tests that passed on the base before it hung do not pass here: ${listNames(lost)}`]
    : [
        'passed',
        `the base hung; here ${now.size} tests pass, with all ${before.length} that had passed there`,
      ]
}

/** Two runs on one tree differed. Only a test that also flips on the base is not the patch's fault. */
function judgeFlaky(run: CommandRun, baseline: CommandRun, doubts: BaseDoubts): Verdict {
  const flips = run.flips ?? []
  const said = flips.length > 0 ? `: ${listNames(flips)}` : ''
  if (flips.length === 0 || !isSubset(flips, flipsOnBase(baseline, doubts)))
    return [
      'not_evaluated',
      `flaky: two runs on the same tree ended differently${said}${doubts.control ? ', but not on the base' : ''}`,
    ]
  return leavingOut({ names: flips, why: 'flaky on the base too' }, run, baseline)
}

function flipsOnBase(baseline: CommandRun, { control, flips = [] }: BaseDoubts): ReadonlySet<string> {
  const known = new Set([...(baseline.flips ?? []), ...flips])
  if (!control) return known
  const [first, second] = [failedNames(baseline), failedNames(control)]
  const between = first && second ? [...first.symmetricDifference(second)] : []
  return new Set([...known, ...(control.flips ?? []), ...between])
}

function leavingOut(
  { names, why }: { readonly names: readonly string[]; readonly why: string },
  run: CommandRun,
  baseline: CommandRun,
): Verdict {
  const [status, reason] = verdictOf(without(run, names), without(baseline, names), {})
  return [status, `${reason}; left out, ${why}: ${listNames(names)}`]
}

/** The run as if these tests did not exist; it is green when nothing else failed. */
function without(run: CommandRun, names: readonly string[]): CommandRun {
  const { flips: _flips, ...steady } = run
  if (!run.tests) return { ...steady, flaky: false }
  const left = run.tests.tests.filter(({ name }) => !names.includes(name))
  const gone = run.tests.tests.filter((test) => names.includes(test.name) && isRan(test.status)).length
  const isGreen =
    run.tests.failures_named && !run.red_besides && left.every(({ status }) => status !== 'failed')
  const { ran } = run.tests
  return {
    ...steady,
    flaky: false,
    exit_code: isGreen ? 0 : run.exit_code,
    tests: { ...run.tests, tests: left, ran: ran === null ? null : Math.max(0, ran - gone) },
  }
}

const endingReasons: Readonly<Record<CommandRun['ended'], string>> = {
  exited: 'it exited',
  signalled: 'it was ended by a signal',
  timed_out: 'it took longer than its timeout',
  cancelled: 'it was cancelled',
  not_started: 'it could not be started',
  flooded: 'it printed without end and was stopped',
  setup_failed: 'workspace.setup failed, so nothing could be run',
}
const endingReason = (run: CommandRun): string => endingReasons[run.ended]

const isRan = (status: TestRun['tests'][number]['status']): boolean =>
  status === 'passed' || status === 'failed'

const ranTests = ({ tests }: CommandRun): boolean =>
  (tests?.ran ?? 0) > 0 || (tests?.tests.some(({ status }) => isRan(status)) ?? false)

function lostTests(run: CommandRun, baseline: CommandRun): readonly string[] {
  if (!baseline.tests?.complete || !run.tests?.complete) return []
  const now = new Set(run.tests.tests.flatMap(({ name, status }) => (isRan(status) ? [name] : [])))
  return baseline.tests.tests
    .filter(({ kind, status, name }) => kind === 'test' && isRan(status) && !now.has(name))
    .map(({ name }) => name)
}

/** Tests are told apart by name: a renamed test counts as one that is lost and one that is new. */
function keepNames(run: CommandRun, baseline: CommandRun): string {
  const known = new Set(baseline.tests?.tests.map(({ name }) => name))
  const fresh = run.tests?.tests.flatMap(({ name }) => (known.has(name) ? [] : [name])) ?? []
  return fresh.length === 0
    ? ''
    : `. Keep the name of each test that was there: what is new here is ${listNames(fresh)}`
}

const passedNames = ({ tests }: CommandRun): readonly string[] =>
  tests?.tests.flatMap(({ name, status }) => (status === 'passed' ? [name] : [])) ?? []

const failedNames = ({ tests }: CommandRun): ReadonlySet<string> | null =>
  tests?.failures_named
    ? new Set(tests.tests.filter(({ status }) => status === 'failed').map(({ name }) => name))
    : null

const isSubset = (names: readonly string[], of: ReadonlySet<string>): boolean =>
  names.every((name) => of.has(name))

const listNames = (names: readonly string[]): string =>
  names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`
