import { avaReader } from './javascript/ava.ts'
import { cargoTestReader } from './compiled/cargo-test.ts'
import { dotnetTestReader } from './compiled/dotnet-test.ts'
import { goJsonReader } from './compiled/go-json.ts'
import { goTestReader } from './compiled/go-test.ts'
import { gradleReader } from './compiled/gradle.ts'
import { jestReader } from './javascript/jest.ts'
import { extractJunit } from './any-language/junit.ts'
import { mochaReader } from './javascript/mocha.ts'
import { nodeSpecReader } from './javascript/node-spec.ts'
import { phpunitReader } from './scripted/phpunit.ts'
import { pytestReader } from './scripted/pytest.ts'
import { rspecReader } from './scripted/rspec.ts'
import { surefireReader } from './compiled/surefire.ts'
import { tapReader } from './any-language/tap.ts'
import { mergeRuns, type OutputReader, type ParsedRun, type TestRun } from './reading/test-run.ts'
import { unittestReader } from './scripted/unittest.ts'
import { vitestReader } from './javascript/vitest.ts'

/** Every tool whose output is read line by line. A JUnit report, which any tool may write, is taken out before. */
const outputReaders: readonly OutputReader[] = [
  nodeSpecReader,
  tapReader,
  jestReader,
  vitestReader,
  mochaReader,
  avaReader,
  pytestReader,
  unittestReader,
  goTestReader,
  goJsonReader,
  cargoTestReader,
  rspecReader,
  phpunitReader,
  dotnetTestReader,
  surefireReader,
  gradleReader,
]

// Colours (CSI) and links (OSC). Not `stripVTControlCharacters`: it takes quadratic time on links without an end.
const ESCAPE = '\\u001B'
const ESCAPE_SEQUENCE = new RegExp(
  `${ESCAPE}\\[[0-?]*[ -/]*[@-~]|${ESCAPE}\\][^${ESCAPE}\\u0007\\n]*(?:\\u0007|${ESCAPE}\\\\)`,
  'g',
)

/** No tool prints a result on a longer line. */
const MAX_LINE_LENGTH = 10_000

export interface OutputOptions {
  /** The directory the tool ran in: it is taken out of names, so that runs in two places compare. */
  readonly root?: string
  /** The tool was ended in the middle: what it had named by then counts, and nothing is complete. */
  readonly isCut?: boolean
}

/** Reads which tests ran from the output of any known test tool, or of several in one output; null when it is of none. */
export function parseTestOutput(
  stdout: string,
  stderr: string,
  { root, isCut = false }: OutputOptions = {},
): TestRun | null {
  const plain = withoutColours(`${stdout}\n${stderr}`)
  const text = root === undefined ? plain : plain.replaceAll(`${root}/`, '')
  const { run, rest } = extractJunit(text)
  const lines = toLines(rest)
  const others = outputReaders.flatMap(({ name, read }) => {
    const found = read(lines, { isCut })
    return found ? [{ format: name, ...found }] : []
  })
  const runs = run === null ? others : [run, ...others.filter((other) => !isRepetition(other, run))]
  return mergeRuns(runs, { isCut })
}

/** Output as it reads: without colours and links. */
export const withoutColours = (text: string): string => text.replaceAll(ESCAPE_SEQUENCE, '')

/** A tool that writes a whole JUnit report often prints the failures for people as well. */
function isRepetition(other: ParsedRun, report: ParsedRun): boolean {
  const failures = (run: ParsedRun): number => run.tests.filter((test) => test.status === 'failed').length
  return report.complete && !other.complete && other.failuresNamed && failures(other) === failures(report)
}

/** Lines without their ends; one blank line says as much as many. */
function toLines(text: string): string[] {
  const lines: string[] = []
  for (const raw of text.split('\n')) {
    const line = raw.length > MAX_LINE_LENGTH ? '' : raw.endsWith('\r') ? raw.slice(0, -1) : raw
    if (line !== '' || lines.at(-1) !== '') lines.push(line)
  }
  return lines
}
