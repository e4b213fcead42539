import type { CheckCommand, CommandRun } from '../../../model/proof/verification.ts'
import type { CommandsOn } from '../../context/verifier.ts'
import type { Ports } from '../../ports.ts'
import { narrowCommand } from '../judging/narrow-command.ts'

export interface NarrowRequest {
  readonly commands: readonly CheckCommand[]
  /** All of them on the base. */
  readonly baseline: readonly CommandRun[]
  readonly scripts: Readonly<Record<string, unknown>>
}

/** The commands with those that run tests made to run these files only, by name. */
type Narrowing =
  | { readonly commands: readonly CheckCommand[]; readonly narrowed: ReadonlyMap<string, NarrowRun> }
  | { readonly untold: string }
type NarrowRun = (files: readonly string[]) => string

export function narrowCommands(
  { commands, baseline, scripts }: NarrowRequest,
  files: readonly string[],
): Narrowing {
  const testing = commands.filter(({ name }) => baseline.find((run) => run.name === name)?.tests)
  if (testing.length === 0) return { untold: 'no command is known to run tests' }
  const narrowed = new Map<string, NarrowRun>()
  for (const { name, run } of testing) {
    if (narrowCommand(run, files, scripts) === run) continue
    if (!isGreen(baseline.find((each) => each.name === name))) return { untold: `${name} is red on the base` }
    narrowed.set(name, (own) => narrowCommand(run, own, scripts))
  }
  const [first] = testing
  return narrowed.size > 0
    ? { commands, narrowed }
    : { untold: `nobody knows how to give files of tests to ${first?.name ?? ''}` }
}

const isGreen = (run: CommandRun | undefined): boolean =>
  isQuietlyGreen(run) && run !== undefined && ranTests(run) > 0

/** Green, whether or not it says how many tests ran. */
export const isQuietlyGreen = (run: CommandRun | undefined): boolean =>
  run?.ended === 'exited' && run.exit_code === 0 && !run.flaky

const ranTests = ({ tests }: CommandRun): number => tests?.ran ?? tests?.tests.length ?? 0

/** A part of the tests, and the commands that run it. */
export interface Part {
  /** Files of tests, or folders of packages. */
  readonly files: readonly string[]
  /** How many there are, for people. */
  readonly count: string
  /** The commands that run less than they were written for. */
  readonly narrowed: ReadonlySet<string>
  readonly commandsOn: CommandsOn
}

/** A runner stumbles over files that are not there. */
export const onlyThere =
  (
    { commands, narrowed }: Exclude<Narrowing, { readonly untold: string }>,
    files: readonly string[],
    { trees }: Pick<Ports, 'trees'>,
  ): CommandsOn =>
  async (tree) => {
    const there = await trees.list(tree)
    const own = files.filter((file) => there.has(file))
    return commands.map((command) => ({
      ...command,
      run: (own.length > 0 && narrowed.get(command.name)?.(own)) || command.run,
    }))
  }

/** Why runs of a part of the tests would judge nothing. */
export function whyUnfit(
  narrowed: Iterable<string>,
  runs: readonly CommandRun[],
  baseline: readonly CommandRun[],
): string | null {
  for (const name of narrowed) {
    const run = runs.find((each) => each.name === name)
    if (!run || !isGreen(run)) return `are not green (${name})`
    if (run.tests?.format !== baseline.find((each) => each.name === name)?.tests?.format)
      return `print other results (${name})`
  }
  return null
}
