import type { OutputReader, ParsedTest, TestStatus } from '../reading/test-run.ts'
import { sumWordCounts } from '../reading/word-counts.ts'

const STATUSES: Readonly<Record<string, TestStatus>> = {
  PASSED: 'passed',
  FAILED: 'failed',
  ERROR: 'failed',
  SKIPPED: 'skipped',
  XFAIL: 'todo',
  XPASS: 'passed',
}
const WORD = 'PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS'
const VERBOSE = new RegExp(`^(\\S.*) (${WORD})(?: \\(.*)?$`, 's')
const PARALLEL = new RegExp(`^\\[gw\\d+\\] \\[ *\\d+%\\] (${WORD}) (.+)$`, 's')
const SHORT = new RegExp(`^(${WORD}) ([^\\s[].*)$`)
const COUNTS =
  /^(?:=+ )?((?:\d+ (?:subtests )?(?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?|rerun)(?:, )?)+|no tests ran) in [\d.]+s(?: \([\d:]+\))?(?: =+)?$/

const MARKS: Readonly<Record<string, string>> = {
  '.': 'passed',
  F: 'failed',
  E: 'error',
  s: 'skipped',
  x: 'xfailed',
  X: 'xpassed',
}

interface Report {
  readonly id: string
  readonly status: TestStatus
}

/** Pytest: all names with `-v`, else the failed ones from its short summary. */
export const pytestReader: OutputReader = {
  name: 'pytest',
  namesEveryTest: 'verbose',
  read(lines, { isCut }) {
    const counted = lines.flatMap((line) => COUNTS.exec(line.trim())?.[1] ?? [])
    const counts = counted.length > 0 ? counted : readMarks(lines)
    const isPytest =
      counts.length > 0 || (isCut && lines.some((line) => line.includes(' test session starts ')))
    if (!isPytest) return null
    const count = sumWordCounts(counts)
    const failed = count('failed') + count('error') + count('errors')
    const ran = failed + count('passed') + count('xpassed')
    const verbose = lines.flatMap(readVerbose)
    const known = new Set(verbose.map((report) => report.id))
    const reports = [...verbose, ...readShort(lines).filter((report) => !known.has(report.id))]
    // A test that passes and then breaks in its teardown is reported, and counted, twice.
    const failuresNamed = reports.filter((report) => report.status === 'failed').length === failed
    const total = ran + count('skipped') + count('xfailed')
    return {
      tests: worstOfEach(reports),
      complete: failuresNamed && reports.length === total,
      failuresNamed,
      ran,
      contradicted: reports.length > total,
      reports: counted.length || Math.min(1, counts.length),
    }
  },
}

/** With `-qq` there are no counts, only one mark per test, such as `.F.s  [100%]`. */
function readMarks(lines: readonly string[]): readonly string[] {
  const marks = lines.flatMap((line) => /^([.FEsxX]+) +\[ *\d+%\]$/.exec(line)?.[1] ?? [])
  if (!lines.some((line) => /^[.FEsxX]+ +\[100%\]$/.test(line))) return []
  return [...marks.join('')].map((mark) => `1 ${MARKS[mark] ?? ''}`)
}

function readVerbose(line: string): Report[] {
  const [, parallelWord, parallelId] = PARALLEL.exec(line) ?? []
  if (parallelWord !== undefined) return toReports(parallelId, parallelWord)
  if (!line.includes('::')) return []
  const [, id, word] = VERBOSE.exec(line.replace(/ \[ *\d+%\]$/, '').trimEnd()) ?? []
  return toReports(id, word)
}

/** The section "short test summary info"; a long id is never cut there, the message behind it may be. */
function readShort(lines: readonly string[]): Report[] {
  const reports: Report[] = []
  let isInside = false
  for (const line of lines) {
    if (line.includes(' short test summary info ')) isInside = true
    else if (COUNTS.test(line.trim())) isInside = false
    const [, word, text = ''] = isInside ? (SHORT.exec(line) ?? []) : []
    if (word !== undefined) reports.push(...toReports(withoutMessage(text), word))
  }
  return reports
}

/** Cuts ` - message` off an id, whose parameters in brackets may hold the same characters. */
function withoutMessage(text: string): string {
  const bracket = text.indexOf('[')
  const dash = text.indexOf(' - ')
  if (dash === -1 || bracket === -1 || dash < bracket) return dash === -1 ? text : text.slice(0, dash)
  const end = text.indexOf('] - ')
  return end === -1 ? text : text.slice(0, end + 1)
}

function toReports(id: string | undefined, word: string | undefined): Report[] {
  const status = STATUSES[word ?? '']
  return id === undefined || status === undefined ? [] : [{ id: id.trim(), status }]
}

function worstOfEach(reports: readonly Report[]): ParsedTest[] {
  const byId = new Map<string, TestStatus>()
  for (const { id, status } of reports) byId.set(id, byId.get(id) === 'failed' ? 'failed' : status)
  return [...byId].map(([id, status]) => ({
    path: splitId(id),
    status,
    // A file that could not be collected has no `::`.
    kind: status === 'failed' && !id.includes('::') ? 'suite' : 'test',
  }))
}

function splitId(id: string): string[] {
  const bracket = id.indexOf('[')
  const plain = bracket === -1 ? id : id.slice(0, bracket)
  const parts = plain.split('::')
  return [...parts.slice(0, -1), (parts.at(-1) ?? '') + id.slice(plain.length)]
}
