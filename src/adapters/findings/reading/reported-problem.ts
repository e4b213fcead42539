import { fileURLToPath } from 'node:url'
import type { FindingSource, WrittenFinding } from '../../../model/issue/finding.ts'
import { cleanText, cutText, firstSentence } from '../../../model/issue/finding-text.ts'
import { placePath, type PlacedPath } from '../../../model/repository-path.ts'
import type { ReadSeverity } from '../../../model/issue/severity.ts'

/** What the simpler formats say of one problem, in their own words. */
export interface ReportedProblem {
  readonly source: FindingSource
  readonly message: string
  /** The message's first sentence when not given. */
  readonly title?: string
  readonly rule: string | null
  readonly severity: ReadSeverity
  readonly category?: string
  readonly path: string | null
  /** As the report writes them; a number that is no line becomes a note, and the finding is kept. */
  readonly line: unknown
  readonly endLine: unknown
  readonly column?: unknown
  readonly suggestion?: string | null
  readonly references?: readonly string[]
  readonly suppressed?: string | null
  /** How the tool knows it again: `fingerprint NAME VALUE` stays from run to run, `id VALUE` may. */
  readonly marks?: readonly string[]
  /** The code that the report cites. */
  readonly snippet?: string | null
}

const maxLine = 1_000_000_000
const isLine = (line: unknown): line is number =>
  typeof line === 'number' && Number.isSafeInteger(line) && line > 0 && line <= maxLine

/** A line or column as tools write it: a number, or digits; 0, less and nothing mean that there is none. */
const numberOf = (written: unknown): unknown =>
  typeof written === 'string' && /^\s*-?\d{1,9}\s*$/.test(written) ? Number(written) : written

/** Why a line cannot be used; null when it can, or when there is none. */
export function oddLine(written: unknown): string | null {
  const line = numberOf(written)
  if (line === undefined || line === null || line === '' || isLine(line)) return null
  if (typeof line === 'number' && Number.isSafeInteger(line) && line <= 0) return null
  return `the report gives no line number, but ${cleanText(JSON.stringify(line) ?? '', 60)}`
}

export function lineOf(written: unknown): number | null {
  const line = numberOf(written)
  return isLine(line) ? line : null
}

/**
 * The finding that a problem is: its text cleaned and bounded, its place inside the repository, or a note that says why
 * it has none.
 */
export function findingOf(problem: ReportedProblem, root: string): WrittenFinding {
  const message = cleanText(problem.message)
  const rule = problem.rule === null ? null : cleanText(problem.rule, 200) || null
  const title = problem.title === undefined ? firstSentence(message) : cleanText(problem.title, 120)
  return {
    source: problem.source,
    rule,
    title: title || rule || `A finding of ${problem.source.name} without a message`,
    description: message,
    severity: problem.severity.severity,
    severity_note: problem.severity.note,
    category: cleanText(problem.category ?? '', 60) || 'general',
    ...placeOf(problem, root),
    suggested_fix: problem.suggestion ? cleanText(problem.suggestion, 4_000) || null : null,
    references: (problem.references ?? []).map((one) => cleanText(one, 500)).filter((one) => one !== ''),
    estimated_effort: null,
    estimated_files_count: null,
    group: null,
    suppressed: problem.suppressed ? cleanText(problem.suppressed, 1_000) : null,
    ...knownBy(problem),
  }
}

const maxMarks = 10

function knownBy({ marks = [], snippet, column }: ReportedProblem): Partial<WrittenFinding> {
  const at = lineOf(column)
  return {
    ...(at !== null && { column: at }),
    ...(marks.length > 0 && { marks: marks.slice(0, maxMarks).map((mark) => cleanText(mark, 300)) }),
    ...(snippet && { snippet: cleanText(snippet, 4_000) }),
  }
}

type Place = Pick<WrittenFinding, 'file' | 'line' | 'end_line' | 'place_note'>

function placeOf({ path, line: written, endLine: writtenEnd }: ReportedProblem, root: string): Place {
  const [line, endLine] = [lineOf(written), lineOf(writtenEnd)]
  const nowhere = { file: null, line: null, end_line: null }
  if (path === null || path === '') return { ...nowhere, place_note: 'the report names no file' }
  const placed = placeWritten(path, root)
  if ('refused' in placed) {
    const at = line === null ? '' : ` line ${line}`
    return { ...nowhere, place_note: `${cleanText(JSON.stringify(path), 300)}${at}: ${placed.refused}` }
  }
  if (line === null) return { file: placed.path, line: null, end_line: null, place_note: oddLine(written) }
  return {
    file: placed.path,
    line,
    end_line: endLine === null ? null : Math.max(line, endLine),
    place_note: null,
  }
}

/** A path as tools write it: plain, absolute, or a `file:` address. */
function placeWritten(path: string, root: string): PlacedPath {
  if (!/^file:/i.test(path)) return placePath(path, root)
  try {
    return placePath(fileURLToPath(path), root)
  } catch (error) {
    if (error instanceof TypeError) return { refused: 'the address is not one of a file on this machine' }
    throw error
  }
}

/** A change in words that a person or an agent can follow: `In src/a.ts:3:5-3:9 write: …`. */
export const replacementText = (where: string, text: string): string =>
  text === '' ? `In ${where} delete the text.` : `In ${where} write:\n${cutText(text, 4_000)}`
