import { avaReader, takeAvaParts } from './javascript/ava.ts'
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
  const others = readApart(lines, { isCut }) ?? readAll(lines, { isCut })
  const runs = run === null ? others : [run, ...others.filter((other) => !isRepetition(other, run))]
  return mergeRuns(runs, { isCut })
}

interface Reading {
  readonly isCut: boolean
}

const readAll = (lines: readonly string[], reading: Reading): readonly ParsedRun[] =>
  outputReaders.flatMap((reader) => readWith(reader, lines, reading))

function readWith(
  { name, read }: OutputReader,
  lines: readonly string[],
  reading: Reading,
): readonly ParsedRun[] {
  const found = read(lines, reading)
  return found ? [{ format: name, ...found }] : []
}

/** What AVA wrote and what others wrote beside it, each by itself; null where AVA is alone or its part is not whole. */
function readApart(lines: readonly string[], reading: Reading): readonly ParsedRun[] | null {
  const { parts, rest } = takeAvaParts(lines)
  const own = parts.flatMap((part) => readWith(avaReader, part, reading))
  if (own.length === 0 || !own.every(({ complete }) => complete)) return null
  const others = readAll(rest, reading)
  return others.length > 0 || own.length > 1 ? [...others, ...own] : null
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
