import type { NamedTest, TestRun } from '../../model/proof/verification.ts'

/** Above this number of failing tests, their names are enough. */
const mostTests = 20
/** Blocks of one test that are compared: its name may stand in thousands of lines. */
const mostPlaces = 50
const mostLines = 16
const mostChars = 1_200
const mostFrames = 3

/** Where the result of another test, or another part of the output, begins. */
const nextResult =
  /^\s*(?:[✔✖✓✗✘×√●﹣ℹ▶⚠]|(?:not )?ok\b|(?:PASS|FAIL|FAILED|ERROR|SKIP)\b|(?:Passed|Skipped) \S|Failed!|# Subtest|1\.\.\d|Ran \d+ tests?\b|\[(?:INFO|ERROR|WARNING)\]|--- (?:PASS|FAIL|SKIP)|[=_]{4,}|⎯{3,}|─+$|-{4} .* -{4}|--$|\d+\) |failures:$|stack backtrace:$|There (?:was|were) \d)/
/** What a message is recognised by: an error, a comparison, a difference. */
const saysWhy =
  /\w*(?:Error|Exception|Failure)\b|\bpanicked\b|\bassert|\bexpected\b|\bactual\b|\breceived\b|\b(?:got|want|left|right):|^\s*E\s|^\s*[-+] \S|!==?|===/i
const frame = /^\s*(?:at|❯|›) .+:\d+/
/** The runner's own part of a stack, and what frames a report. */
const noise = /\(?node:\w+|\/node_modules\/|^\s*(?:---|\.\.\.|-{10,}|duration_ms: .*|type: '\w+')$/
const passed = /^\s*(?:[✔✓√﹣]|ok \d|PASS\b|--- (?:PASS|SKIP)|test .+ \.\.\. ok$)/
/** A line that says that a test failed. */
const saysFailed = /FAIL|ERROR|not ok|[✖✗✘×●]/

/** The failing tests with what the output says about each: the most telling block that begins with its name. */
export function withMessages(run: TestRun, text: string): TestRun {
  const failing = run.tests.filter(({ status }) => status === 'failed').slice(0, mostTests)
  if (failing.length === 0) return run
  const lines = text.split(/\r?\n/)
  const messages = new Map(failing.map((test) => [test, messageOf(test, lines)]))
  const tests = run.tests.map((test) => {
    const message = messages.get(test)
    return message ? { ...test, message } : test
  })
  return { ...run, tests }
}

function messageOf({ name }: NamedTest, lines: readonly string[]): string {
  const isNamed = mentions(name.split(' > ').at(-1) ?? name)
  const places = lines.flatMap((line, index) => (isNamed(line) ? [index] : []))
  let best: readonly string[] = []
  let most = 0
  for (const place of [...places.slice(0, mostPlaces), ...places.slice(mostPlaces).slice(-mostPlaces)]) {
    const block = blockAfter(place, lines)
    // Where nothing tells why, the text below the result is all there is.
    const isBelowResult = block.length > 0 && saysFailed.test(lines[place] ?? '')
    const score = block.filter((line) => saysWhy.test(line)).length + (isBelowResult ? 0.5 : 0)
    if (score > most) [best, most] = [block, score]
  }
  return dedent(best).join('\n').slice(0, mostChars).trimEnd()
}

/** Whether a line holds the name, and not only as a part of another one. */
function mentions(name: string): (line: string) => boolean {
  const isWordAt = (text: string, index: number): boolean => /[\w$]/.test(text.charAt(index))
  return (line) => {
    const at = line.indexOf(name)
    return at !== -1 && !isWordAt(line, at - 1) && !isWordAt(line, at + name.length)
  }
}

/** What stands below a line, up to the next result; of a stack only the frames that help. */
function blockAfter(place: number, lines: readonly string[]): readonly string[] {
  const block: string[] = []
  let frames = 0
  for (const line of lines.slice(place + 1, place + 1 + 4 * mostLines)) {
    if (nextResult.test(line) || block.length >= mostLines || isBehind(line, block)) break
    if (frame.test(line)) frames += 1
    if (noise.test(line) || (frame.test(line) && frames > mostFrames)) continue
    if (line.trim() !== '' || (block.length > 0 && block.at(-1) !== '')) block.push(line.trimEnd())
  }
  return block
}

/** Whether a line stands further left than the block began, after a blank one: it belongs to something else. */
const isBehind = (line: string, block: readonly string[]): boolean =>
  block.at(-1) === '' && line.trim() !== '' && indentOf(line) < indentOf(block[0] ?? '')

const indentOf = (line: string): number => line.length - line.trimStart().length

function dedent(lines: readonly string[]): readonly string[] {
  const least = Math.min(...lines.filter((line) => line !== '').map(indentOf))
  return lines.map((line) => line.slice(least))
}

const endWithMessages = 2_000
const endWithout = 8_000

/** The useful end of both streams: short where the failing tests are listed by themselves. */
export function endOfOutput(streams: readonly string[], run: TestRun | null): string {
  const failing = run?.tests.filter(({ status }) => status === 'failed').slice(0, mostTests) ?? []
  const isTold =
    failing.length > 0 && failing.every((test) => test.message !== undefined || isParent(test, failing))
  const parts = streams
    .map((stream) => (isTold ? withoutPassed(stream) : stream).trimEnd())
    .filter((stream) => stream !== '')
  const share = Math.floor((isTold ? endWithMessages : endWithout) / Math.max(1, parts.length))
  return parts.map((part) => lastLines(part, share)).join('\n')
}

/** Passing tests and the runner's own frames tell nothing where the failures are known. */
const withoutPassed = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !passed.test(line) && !noise.test(line))
    .join('\n')

/** A group fails because of what is in it. */
const isParent = ({ name }: NamedTest, failing: readonly NamedTest[]): boolean =>
  failing.some((other) => other.name.startsWith(`${name} > `))

function lastLines(text: string, chars: number): string {
  if (text.length <= chars) return text
  const end = text.slice(-chars)
  const newline = end.indexOf('\n')
  const whole = newline === -1 || newline > chars / 2 ? end : end.slice(newline + 1)
  return `… ${text.length - whole.length} characters left out …\n${whole}`
}
