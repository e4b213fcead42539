import type { CheckRequest, Jail } from '../../loop/ports.ts'
import type { CheckCommand, CommandRun, TestRun } from '../../model/proof/verification.ts'
import { renderBoundedText } from '../process/bounded-text.ts'
import type { ProcessResult } from '../process/start-process.ts'
import { runProcess } from '../process/run-process.ts'
import { createLiveOutput } from './live-output.ts'
import { endOfOutput, withMessages } from './failure-messages.ts'
import { parseTestOutput, withoutColours } from './test-names/parse-test-output.ts'

export interface CommandRequest {
  readonly command: CheckCommand
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Marks everything the command starts, so that it can be found and ended. */
  readonly mark: string
  readonly jail: Jail
  /** Runs it twice even when it passes, to see whether its result is steady. */
  readonly isControl?: boolean
  /** Runs it once, also when it fails. */
  readonly isRedExpected?: boolean
  readonly onOutput?: NonNullable<CheckRequest['onOutput']>
}

/** Kept of each stream while it runs, for reading test names. */
const keptBytes = 4 * 1024 * 1024
const floodBytes = 512 * 1024 * 1024
/** Kept of both streams together in the record and in feedback. */
const shownChars = 12_000
/** What a shell answers when a program is not there or may not be run: the check did not happen. */
const shellCannotRun = [126, 127]
/** What a shell answers when a crash or a kill (ILL, ABRT, BUS, FPE, KILL, SEGV, TERM) ended the program it waited for. */
const shellSawSignal = [132, 134, 135, 136, 137, 139, 143]

/** Runs one command; a failing one is run once more, and two different ends are called flaky. */
export async function runCommand(request: CommandRequest): Promise<CommandRun> {
  const first = await runOnce(request)
  if (first.ended !== 'exited' || request.isRedExpected) return first
  if (first.exit_code === 0 && !request.isControl) return first
  const second = await runOnce(request)
  if (second.ended !== 'exited') return second
  return { ...first, ...compareRuns(first, second) }
}

async function runOnce(request: CommandRequest): Promise<CommandRun> {
  const { command, cwd, env, signal, mark, jail, onOutput } = request
  const live =
    onOutput && createLiveOutput((text) => onOutput({ name: command.name, text: readable(text, cwd) }))
  const result = await runProcess({
    command: command.run,
    shell: true,
    cwd,
    env,
    timeoutMs: command.timeout_ms,
    signal,
    mark,
    maxOutputBytes: keptBytes,
    killAboveBytes: floodBytes,
    ...(live && { onStdout: live.push, onStderr: live.push }),
    walls: command.jail === false ? null : jail.around({ network: command.network ? 'open' : 'loopback' }),
  })
  live?.end()
  const stdout = renderBoundedText(result.stdout)
  const stderr = renderBoundedText(result.stderr)
  const isCut = result.ended === 'timed_out'
  const read = readTests(result, parseTestOutput(stdout, stderr, { root: cwd, isCut }))
  const streams = [result.error ?? '', stdout, stderr].map((text) => withoutFolder(text, cwd))
  const plain = streams.map(withoutColours)
  const tests = read && withMessages(read, plain.join('\n'))
  return {
    name: command.name,
    run: command.run,
    ended: endingOf(result),
    exit_code: result.exitCode,
    output: showOutput(streams),
    ...(result.exitCode !== 0 && { end: endOfOutput(plain, tests) }),
    tests,
    duration_ms: Math.round(result.durationMs),
    flaky: false,
  }
}

function endingOf({ ended, exitCode }: ProcessResult): CommandRun['ended'] {
  if (ended !== 'exited' || exitCode === null) return ended
  if (shellCannotRun.includes(exitCode)) return 'not_started'
  return shellSawSignal.includes(exitCode) ? 'signalled' : 'exited'
}

/** The part that was left out of a long output may have named more tests. */
function readTests({ stdout, stderr }: ProcessResult, tests: TestRun | null): TestRun | null {
  const isWhole = stdout.omittedBytes + stderr.omittedBytes === 0
  return tests === null || isWhole ? tests : { ...tests, complete: false, failures_named: false }
}

/** The folder of the run means nothing to anyone else: paths in it are written from the repository's root. */
const withoutFolder = (text: string, folder: string): string =>
  text.replaceAll(`file://${folder}/`, '').replaceAll(`${folder}/`, '').replaceAll(folder, '.')

const readable = (text: string, folder: string): string => withoutColours(withoutFolder(text, folder))

/** Both streams with what matters of each: mostly the end, where test runners put their failures. */
function showOutput(streams: readonly string[]): string {
  const parts = streams.map((stream) => stream.trimEnd()).filter((part) => part !== '')
  const share = Math.floor(shownChars / Math.max(1, parts.length))
  return parts.map((part) => headAndTail(part, share)).join('\n')
}

function headAndTail(text: string, chars: number): string {
  if (text.length <= chars) return text
  const head = Math.floor(chars / 4)
  return `${text.slice(0, head)}\n… ${text.length - chars} characters left out …\n${text.slice(head - chars)}`
}

/** The same exit code and the same failing tests mean the same result. */
function compareRuns(
  first: CommandRun,
  second: CommandRun,
): Pick<CommandRun, 'flaky' | 'flips' | 'red_besides'> {
  const [before, after] = [failedNames(first), failedNames(second)]
  const flips = [...before.symmetricDifference(after)].toSorted()
  const flaky = first.exit_code !== second.exit_code || flips.length > 0
  const isNamed = first.tests?.failures_named === true && second.tests?.failures_named === true
  const isRedBesides = [first, second].some((run) => run.exit_code !== 0 && failedNames(run).size === 0)
  return { flaky, ...(flaky && isNamed && { flips, ...(isRedBesides && { red_besides: true }) }) }
}

const failedNames = ({ tests }: CommandRun): ReadonlySet<string> =>
  new Set(tests?.tests.flatMap(({ name, status }) => (status === 'failed' ? [name] : [])))
