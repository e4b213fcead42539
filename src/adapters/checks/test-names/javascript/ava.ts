import { countTests, type OutputReader, type ParsedTest, type TestStatus } from '../reading/test-run.ts'

/** What stands below the results, and below the details of the failures. */
const RULE = '  ─'
const COUNT = /^ {2}(\d+) (test|tests|known|uncaught|unhandled) ?(passed|failed|skipped|todo)?/
const RESULT = /^ {2}(?:(✔|✓)|(✘|✖)|-) (?:\[(fail|skip|todo|expected fail)\]:? )?(.+?)(?: \(\d[\d.]*m?s\))?$/
const FILE_FAILED = /^(.+?\.\w+) exited (?:with|due to) |^No tests found in (.+?)(?:,|$)/

/** AVA: its reporter names every test, and counts those that passed only when all did. */
export const avaReader: OutputReader = {
  name: 'ava',
  namesEveryTest: 'always',
  read(lines) {
    const end = lines.findLastIndex((line) => line === RULE)
    const counts = lines.slice(end + 1).flatMap((line) => (COUNT.test(line) ? [line] : []))
    if (end === -1 || counts.length === 0) return null
    const count = (word: string): number | null => {
      const found = counts.map((line) => COUNT.exec(line)).filter((match) => match?.[3] === word)
      return found.length === 0 ? null : found.reduce((sum, match) => sum + Number(match?.[1]), 0)
    }
    const tests = lines.slice(0, end).flatMap(readResult)
    const passed = countTests(tests, 'passed')
    const failuresNamed = countTests(tests, 'failed') === (count('failed') ?? 0)
    const isCounted = count('passed') === null || count('passed') === passed
    return {
      tests,
      complete: failuresNamed && isCounted,
      failuresNamed,
      ran: passed + (count('failed') ?? 0),
      contradicted: !isCounted,
      reports: lines.filter((line) => /^ {2}\d+ tests? (?:passed|failed)/.test(line)).length,
    }
  },
}

/**
 * The parts of an output that AVA wrote, and all other lines: beside another tool its results look like those of that
 * tool. Each part begins with results that nothing interrupts and ends with counts.
 */
export function takeAvaParts(lines: readonly string[]): {
  readonly parts: readonly (readonly string[])[]
  readonly rest: readonly string[]
} {
  const parts: (readonly string[])[] = []
  const rest: string[] = []
  let from = 0
  for (let at = lines.indexOf(RULE); at !== -1; at = lines.indexOf(RULE, Math.max(at + 1, from))) {
    let start = at
    while (start > from && isResult(lines[start - 1] ?? '')) start -= 1
    const counted = lines.findIndex((line, index) => index > at && COUNT.test(line))
    if (start === at || counted === -1) continue
    let end = counted
    while (COUNT.test(lines[end] ?? '')) end += 1
    rest.push(...lines.slice(from, start))
    parts.push(lines.slice(start, end))
    from = end
  }
  return { parts, rest: [...rest, ...lines.slice(from)] }
}

const isResult = (line: string): boolean => RESULT.test(line) || /^ {4}ℹ /.test(line)

function readResult(line: string): ParsedTest[] {
  const [, tick, cross, word, name] = RESULT.exec(line) ?? []
  if (name === undefined || (word === undefined && tick === undefined && cross === undefined)) return []
  const [, broken, empty] = FILE_FAILED.exec(name) ?? []
  const file = broken ?? empty
  if (cross !== undefined && file !== undefined) return [{ path: [file], status: 'failed', kind: 'suite' }]
  return [{ path: name.split(' › '), status: statusOf(word, cross), kind: 'test' }]
}

function statusOf(word: string | undefined, cross: string | undefined): TestStatus {
  if (word === 'skip') return 'skipped'
  if (word === 'todo' || word === 'expected fail') return 'todo'
  return cross === undefined ? 'passed' : 'failed'
}
