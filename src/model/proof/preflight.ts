import { isComparable } from './judge-command.ts'
import { whatOpens } from './jail-signs.ts'
import type { CheckCommand, CommandRun } from './verification.ts'

const shellWords = new Set(
  '! . : [ [[ { alias bg break builtin case cd command continue declare do echo eval exec exit export false fg for function getopts hash if jobs kill let local printf pwd read readonly return select set shift shopt source test time times trap true type ulimit umask unalias unset until wait while'.split(
    ' ',
  ),
)

/** The program that a shell line starts first, where its words tell without doubt; null for what the shell does itself. */
export function firstProgram(run: string): string | null {
  const word = run
    .trim()
    .split(/\s+/)
    .find((each) => !/^\w+=[^\s"'$`]*$/.test(each))
  return word !== undefined && /^[\w.+-]+$/.test(word) && !shellWords.has(word) ? word : null
}

export interface Preflight {
  /** Why nothing could be proven by the checks as they are, and what to do. */
  readonly blocking: readonly string[]
  /** What a person should know, although fixes can be judged. */
  readonly warnings: readonly string[]
}

/**
 * What the commands on the base tell before any agent has run. `jailed` are those that ran in a jail: where one is red,
 * and says something that points there, it is told what would open the jail.
 */
export function judgeBase(runs: readonly CommandRun[], jailed: readonly CheckCommand[] = []): Preflight {
  const blocking: string[] = []
  const warnings: string[] = []
  for (const run of withOneSetup(runs)) {
    const why = whyUseless(run)
    const opening = whatOpens(
      run,
      jailed.find(({ name }) => name === run.name),
    )
    const hint = opening === null ? '' : `. Maybe it is the jail: ${opening}`
    if (why !== null) blocking.push(`${run.name}: ${why}${hint}`)
    else if (run.ended !== 'cancelled' && run.exit_code !== 0)
      warnings.push(`${run.name}: ${describeRed(run)}${hint}`)
  }
  return { blocking, warnings }
}

/** Where the setup failed, that is one failure, of all commands that need it. */
export function withOneSetup(runs: readonly CommandRun[]): readonly CommandRun[] {
  const failed = runs.filter(({ ended }) => ended === 'setup_failed')
  const [first] = failed
  if (first === undefined) return runs
  const name = failed.map((run) => run.name).join(', ')
  return runs.flatMap((run) => (run === first ? { ...run, name } : failed.includes(run) ? [] : run))
}

const endings: Readonly<Record<Exclude<CommandRun['ended'], 'exited' | 'cancelled'>, string>> = {
  not_started: 'it could not be started. Install the program, or correct verify.commands',
  setup_failed:
    'workspace.setup failed, without which it cannot run. Run that command yourself, and correct it',
  timed_out: 'it takes longer than its timeout on the base. Give it more (verify.commands: timeout)',
  signalled:
    'a signal ends it on the base (it crashes, or is killed). Run it yourself, and repair that first',
  flooded: 'it prints without end on the base. Run it yourself, and repair that first',
}

function whyUseless(run: CommandRun): string | null {
  if (run.ended === 'cancelled') return null
  if (run.ended !== 'exited')
    return isComparable(run) ? null : withOutput(`${startOf(run)}${endings[run.ended]}`, run)
  if (run.exit_code === 0 || !isTestRunner(run) || run.tests?.failures_named) return null
  return withOutput(
    `${run.run} is red on the base (exit ${String(run.exit_code)}) and does not name the failing tests, so that nobody could tell a new failure. ${isNaming(run) ? 'It names them where it gets so far: repair it first' : 'Repair it first, or let it name them (such as --reporter=tap)'}`,
    run,
  )
}

/** The command itself is not what failed where the setup did. */
const startOf = ({ run, ended }: CommandRun): string => (ended === 'setup_failed' ? '' : `${run}: `)

/** A linter, a type check or a build has no tests to name. */
const isTestRunner = ({ run, tests }: CommandRun): boolean =>
  tests !== null ||
  /\b(?:tests?|specs?|pytest|jest|vitest|mocha|ava|tape|jasmine|karma|unittest|tox|nox|rspec|phpunit|ctest|surefire|nextest)\b/i.test(
    run,
  )

/** Whether the output of this program has the names, if it ran any test. */
const isNaming = ({ run }: CommandRun): boolean => /\b(?:pytest|unittest|tox|nox)\b/.test(run)

const shownLines = 3
/** The last lines stand in so many characters. */
const shownEnd = 8_000

function withOutput(text: string, { output }: CommandRun): string {
  const lines = output
    .slice(-shownEnd)
    .replaceAll(/\u001B\[[\d;]*m/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const causes = [...new Set(lines.filter((line) => isCause.test(line)))].slice(0, shownLines)
  const shown = causes.length > 0 ? causes : lines.slice(-shownLines)
  return shown.length === 0 ? text : `${text}. It says: ${shown.join(' | ')}`
}

/** A line that a program marks as an error; what it prints behind such lines is mostly no cause. */
const isCause = /^\W*(?:\w+\s+)?\w*(?:error|fatal)\b/i

const namedTests = 5

function describeRed({ tests, exit_code, flaky }: CommandRun): string {
  const failed = tests?.tests.filter(({ status }) => status === 'failed').map(({ name }) => name) ?? []
  const more = failed.length > namedTests ? ` and ${failed.length - namedTests} more` : ''
  const red = `red on the base${flaky ? ', and flaky' : ''} (exit ${String(exit_code)})`
  return failed.length > 0
    ? `${red}: ${failed.slice(0, namedTests).join(', ')}${more}; only what is new counts against a fix`
    : `${red} and names nothing that failed; only a fix that turns it green can be judged`
}
