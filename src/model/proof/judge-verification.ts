import type { TreeId } from '../id.ts'
import { isComparable, judgeCommand } from './judge-command.ts'
import type { CommandRun, Verification } from './verification.ts'

/** The runs of the base that a tree's runs are compared with. */
export interface Baseline {
  readonly runs: readonly CommandRun[]
  /** The same commands on the base once more, where a flaky result asked for it. */
  readonly control?: readonly CommandRun[]
  /** Tests that are known to flip, by the name of their command. */
  readonly flips?: ReadonlyMap<string, readonly string[]>
}

/** Whether no result speaks against the patch: commands that have not run yet run on the train. Pages read it too. */
export const isUnopposed = ({ status }: Pick<Verification, 'status'>): boolean =>
  status === 'passed' || status === 'not_applicable'

/** All commands together: one failure fails, one that could not be judged leaves the whole unjudged. */
export function judgeVerification(
  tree: TreeId,
  runs: readonly CommandRun[],
  baseline: Baseline,
): Verification {
  if (runs.length === 0)
    return {
      status: 'not_evaluated',
      reason: 'no verification command is configured',
      tree,
      commands: [],
      depends_on_patch: false,
    }
  const baseOf = new Map(baseline.runs.map((run) => [run.name, run]))
  const controlOf = new Map(baseline.control?.map((run) => [run.name, run]))
  const commands = runs.map((run) => {
    const [control, flips] = [controlOf.get(run.name), baseline.flips?.get(run.name)]
    const doubts = { ...(control && { control }), ...(flips && { flips }) }
    return judgeCommand(run, baseOf.get(run.name) ?? unrun(run), doubts)
  })
  const worst =
    commands.find((command) => command.status === 'failed') ??
    commands.find((command) => command.status === 'not_evaluated')
  const notes = commands
    .filter(({ reason }) => reason !== 'exit 0')
    .map(({ name, reason }) => `${name}: ${reason}`)
  return {
    status: worst?.status ?? 'passed',
    reason: worst
      ? `${worst.name}: ${worst.reason}`
      : [`${commands.length} of ${commands.length} green`, ...notes].join('; '),
    tree,
    commands,
    depends_on_patch: !worst || worst.status === 'failed' || isComparable(baseOf.get(worst.name)),
  }
}

const unrun = (run: CommandRun): CommandRun => ({
  ...run,
  ended: 'not_started',
  exit_code: null,
  tests: null,
  flaky: false,
})
