import { z } from 'zod'
import { TreeId } from './id.ts'

export const NamedTest = z.object({
  name: z.string(),
  status: z.enum(['passed', 'failed', 'skipped', 'todo']),
  /** A suite or file is listed only when it fails by itself, so its absence later means nothing. */
  kind: z.enum(['test', 'suite']),
})
export type NamedTest = z.infer<typeof NamedTest>

/** What a command's output tells of its tests. */
export const TestRun = z.object({
  format: z.string(),
  tests: z.array(NamedTest).readonly(),
  /** Every test that ran is named. */
  complete: z.boolean(),
  /** Every test that failed is named. */
  failures_named: z.boolean(),
  /** How many tests ran, where the output says so. */
  ran: z.number().int().nullable(),
})
export type TestRun = z.infer<typeof TestRun>

/** One command on one tree, as it ended; nothing is judged yet. */
export const CommandRun = z.object({
  name: z.string(),
  run: z.string(),
  ended: z.enum(['exited', 'signalled', 'timed_out', 'cancelled', 'not_started', 'flooded', 'setup_failed']),
  exit_code: z.number().int().nullable(),
  /** The useful head and tail of stdout and stderr. */
  output: z.string(),
  tests: TestRun.nullable(),
  duration_ms: z.number(),
  /** A failing command is run once more; true when the two runs differed. */
  flaky: z.boolean(),
})
export type CommandRun = z.infer<typeof CommandRun>

export const CommandResult = z.object({
  name: z.string(),
  status: z.enum(['passed', 'failed', 'not_evaluated']),
  reason: z.string(),
  exit_code: z.number().int().nullable(),
  output: z.string(),
  duration_ms: z.number(),
})
export type CommandResult = z.infer<typeof CommandResult>

/** The configured commands on one tree, compared with the baseline. */
export const Verification = z.object({
  status: z.enum(['passed', 'failed', 'not_evaluated']),
  reason: z.string(),
  tree: TreeId,
  commands: z.array(CommandResult).readonly(),
  /** Whether another patch could change the answer, or only the machine and the configuration can. */
  depends_on_patch: z.boolean(),
})
export type Verification = z.infer<typeof Verification>

/** One configured command. */
export const CheckCommand = z.object({
  name: z.string(),
  run: z.string(),
  timeout_ms: z.number().int().positive(),
  /** Runs only for patches that touch one of these paths, when given. */
  paths: z.array(z.string()).readonly(),
})
export type CheckCommand = z.infer<typeof CheckCommand>

/** Judges one command on the patched tree against the same command on the base. */
export function judgeCommand(run: CommandRun, baseline: CommandRun): CommandResult {
  const [status, reason] = verdictOf(run, baseline)
  return {
    name: run.name,
    status,
    reason,
    exit_code: run.exit_code,
    output: run.output,
    duration_ms: run.duration_ms,
  }
}

type Verdict = readonly [CommandResult['status'], string]

function verdictOf(run: CommandRun, baseline: CommandRun): Verdict {
  if (run.ended !== 'exited') return ['not_evaluated', endingReason(run)]
  if (run.flaky) return ['not_evaluated', 'flaky: two runs on the same tree ended differently']
  const lost = lostTests(run, baseline)
  if (run.exit_code === 0) {
    if (baseline.ended !== 'exited')
      return ['not_evaluated', `it could not be run on the base: ${endingReason(baseline)}`]
    if (lost.length > 0) return ['failed', `tests that ran on the base no longer run: ${listNames(lost)}`]
    if (ranTests(baseline) && !ranTests(run))
      return ['not_evaluated', 'no test ran, although tests ran on the base']
    const [now, before] = [run.tests?.ran ?? null, baseline.tests?.ran ?? null]
    if (now !== null && before !== null && now < before)
      return ['failed', `fewer tests ran: ${now}, on the base ${before}`]
    return ['passed', 'exit 0']
  }
  if (baseline.ended === 'exited' && baseline.exit_code === 0)
    return ['failed', `exit ${String(run.exit_code)}; it was green on the base`]
  return compareRed(run, baseline, lost)
}

/** The base was red (or could not be run): only named tests can show that nothing new broke. */
function compareRed(run: CommandRun, baseline: CommandRun, lost: readonly string[]): Verdict {
  if (baseline.ended !== 'exited')
    return ['not_evaluated', `it could not be run on the base: ${endingReason(baseline)}`]
  if (baseline.flaky) return ['not_evaluated', 'already red on the base, and flaky there']
  const before = failedNames(baseline)
  const after = failedNames(run)
  if (!before || !after || after.size === 0)
    return ['not_evaluated', 'already red on the base, and its output does not name the failing tests']
  const fresh = [...after].filter((name) => !before.has(name))
  if (fresh.length > 0) return ['failed', `new failures: ${listNames(fresh)}`]
  if (lost.length > 0) return ['failed', `tests that ran on the base no longer run: ${listNames(lost)}`]
  return ['passed', `red as on the base, no new failure (${after.size} known)`]
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

const ranTests = (run: CommandRun): boolean =>
  (run.tests?.ran ?? 0) > 0 ||
  (run.tests?.tests.some(({ status }) => status === 'passed' || status === 'failed') ?? false)

function lostTests(run: CommandRun, baseline: CommandRun): readonly string[] {
  if (!baseline.tests?.complete || !run.tests?.complete) return []
  const now = new Map(run.tests.tests.map((test) => [test.name, test.status]))
  return baseline.tests.tests
    .filter((test) => test.kind === 'test' && (test.status === 'passed' || test.status === 'failed'))
    .filter((test) => !['passed', 'failed'].includes(now.get(test.name) ?? 'absent'))
    .map((test) => test.name)
}

const failedNames = (run: CommandRun): ReadonlySet<string> | null =>
  run.tests?.failures_named
    ? new Set(run.tests.tests.filter((test) => test.status === 'failed').map((test) => test.name))
    : null

const listNames = (names: readonly string[]): string =>
  names.length <= 5 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`

/** All commands together: one failure fails, one that could not be judged leaves the whole unjudged. */
export function judgeVerification(
  tree: TreeId,
  runs: readonly CommandRun[],
  baseline: readonly CommandRun[],
): Verification {
  if (runs.length === 0)
    return {
      status: 'not_evaluated',
      reason: 'no verification command is configured',
      tree,
      commands: [],
      depends_on_patch: false,
    }
  const baseOf = new Map(baseline.map((run) => [run.name, run]))
  const commands = runs.map((run) =>
    judgeCommand(run, baseOf.get(run.name) ?? { ...run, ended: 'not_started', exit_code: null, tests: null }),
  )
  const worst =
    commands.find((command) => command.status === 'failed') ??
    commands.find((command) => command.status === 'not_evaluated')
  const evaluatedOnBase = worst ? baseOf.get(worst.name)?.ended === 'exited' : true
  return {
    status: worst?.status ?? 'passed',
    reason: worst ? `${worst.name}: ${worst.reason}` : `${commands.length} of ${commands.length} green`,
    tree,
    commands,
    depends_on_patch: worst?.status === 'failed' || evaluatedOnBase,
  }
}
