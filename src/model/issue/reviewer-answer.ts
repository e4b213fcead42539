import { parseCategory, type FindingSource, type WrittenFinding } from './finding.ts'
import { cleanText, titleOf } from './finding-text.ts'
import { findJsonObjects, type JsonObject } from '../json-text.ts'
import { placePath } from '../repository-path.ts'
import type { Coverage } from './coverage.ts'
import { parseSeverity } from './severity.ts'

/** What a reviewer answered; text that holds no such answer is unreadable, never "no findings". */
export type ReviewerAnswer =
  | { readonly findings: readonly WrittenFinding[]; readonly coverage: Coverage | null }
  | { readonly unreadable: string }

export interface AnswerContext {
  readonly source: FindingSource
  /** The repository's root, for absolute paths. */
  readonly root: string
}

/** Reads the last answer in a reviewer's text: an object with `groups` or `findings`. */
export function readReviewerAnswer(text: string, context: AnswerContext): ReviewerAnswer {
  const objects = findJsonObjects(text)
  const answer = objects.findLast((object) => 'groups' in object || 'findings' in object)
  if (answer === undefined) {
    const what =
      objects.length > 0 ? 'its JSON has neither "groups" nor "findings"' : 'it holds no JSON object'
    return { unreadable: `the answer cannot be read: ${what}` }
  }
  const read = readAll(answer, context)
  if ('unreadable' in read) return { unreadable: `the answer cannot be read: ${read.unreadable}` }
  return { ...read, coverage: readCoverage(answer['coverage']) }
}

type FindingsRead = { readonly findings: readonly WrittenFinding[] } | { readonly unreadable: string }

function readAll(answer: JsonObject, context: AnswerContext): FindingsRead {
  const { groups = [], findings = [] } = answer
  if (!Array.isArray(groups) || !Array.isArray(findings)) return { unreadable: 'its findings are not a list' }
  const parts = [
    ...groups.map((group: unknown, index) => readGroup(group, index, context)),
    readList(findings, null, context),
  ]
  const broken = parts.find((part) => 'unreadable' in part)
  return broken ?? { findings: parts.flatMap((part) => ('findings' in part ? part.findings : [])) }
}

/** One group of findings that the reviewer thinks can be fixed together. */
export function readGroup(group: unknown, index: number, context: AnswerContext): FindingsRead {
  if (!isObject(group) || !Array.isArray(group['findings'])) {
    return { unreadable: `group ${index} is not an object with a list of "findings"` }
  }
  const read = readList(group['findings'], nameOf(group, index), context)
  return 'unreadable' in read ? { unreadable: `in group ${index}, ${read.unreadable}` } : read
}

function readList(items: readonly unknown[], group: string | null, context: AnswerContext): FindingsRead {
  const findings: WrittenFinding[] = []
  for (const [index, item] of items.entries()) {
    const read = readAnsweredFinding(item, group, context)
    if ('unreadable' in read) return { unreadable: `finding ${index} ${read.unreadable}` }
    findings.push(read.finding)
  }
  return { findings }
}

const nameOf = (group: JsonObject, index: number): string =>
  cleanText(
    textOf(group, 'id') ?? textOf(group, 'name') ?? textOf(group, 'description') ?? `group ${index + 1}`,
    200,
  )

type FindingRead = { readonly finding: WrittenFinding } | { readonly unreadable: string }

/** One finding as reviewers and Fixpoint's own files write it; a place or number that is odd is noted, a finding without words is unreadable. */
export function readAnsweredFinding(
  item: unknown,
  group: string | null,
  context: AnswerContext,
): FindingRead {
  if (!isObject(item)) return { unreadable: 'is not an object' }
  const issue = textOf(item, 'issue') ?? textOf(item, 'description') ?? textOf(item, 'message')
  const title = titleOf(textOf(item, 'title') ?? issue ?? '')
  if (title === '') return { unreadable: 'has neither "title" nor "issue"' }
  const { severity, note } = parseSeverity(textOf(item, 'severity'))
  const suppressed = textOf(item, 'suppressed')
  return {
    finding: {
      source: context.source,
      rule: bounded(textOf(item, 'rule'), 200),
      title,
      description: cleanText(issue ?? title),
      severity,
      severity_note: note,
      category: parseCategory(bounded(textOf(item, 'category'), 60) ?? 'general'),
      ...readPlace(item, context.root),
      suggested_fix: readSuggestion(item),
      references: readReferences(item['references']),
      estimated_effort: readCount(item['estimated_effort'], 5),
      estimated_files_count: readCount(item['estimated_files_count'], 10_000),
      group: group ?? bounded(textOf(item, 'group'), 200),
      suppressed: suppressed === null ? null : cleanText(suppressed, 1_000),
    },
  }
}

type Place = Pick<WrittenFinding, 'file' | 'line' | 'end_line' | 'place_note' | 'column'>

function readPlace(item: JsonObject, root: string): Place {
  const file = textOf(item, 'file')
  const lines = readLines(item['line'], item['end_line'])
  const nowhere = { file: null, line: null, end_line: null }
  if (file === null) return { ...nowhere, place_note: textOf(item, 'place_note') ?? 'no file was given' }
  const placed = placePath(file, root)
  const column = lines.line === null ? null : readCount(item['column'], 1_000_000)
  if ('path' in placed) return { file: placed.path, ...lines, ...(column !== null && { column }) }
  const at = lines.line === null ? '' : ` line ${lines.line}`
  return { ...nowhere, place_note: `${cleanText(JSON.stringify(file), 300)}${at}: ${placed.refused}` }
}

/** Reads `45`, `"45"`, `"45-67"` and `"L45"`; nothing and line 0 mean the whole file. */
function readLines(line: unknown, endLine: unknown): Pick<Place, 'line' | 'end_line' | 'place_note'> {
  const whole = { line: null, end_line: null, place_note: null }
  if (line === undefined || line === null || line === '' || line === 0 || line === '0') return whole
  const written = typeof line === 'number' || typeof line === 'string' ? String(line).trim() : ''
  const parts = /^L?(\d{1,9})(?:\s*(?:[-–:]|to)\s*L?(\d{1,9}))?$/i.exec(written)
  const start = Number(parts?.[1] ?? 0)
  if (start === 0)
    return { ...whole, place_note: `the line ${JSON.stringify(line).slice(0, 60)} could not be read` }
  const end = Number(
    parts?.[2] ?? (typeof endLine === 'number' && Number.isSafeInteger(endLine) ? endLine : 0),
  )
  return { line: start, end_line: Math.max(start, end), place_note: null }
}

/** Hint and code together: the hint says what the code is for. */
function readSuggestion(item: JsonObject): string | null {
  const parts = [textOf(item, 'fix_hint'), textOf(item, 'suggested_fix')].filter((part) => part !== null)
  return parts.length === 0 ? null : cleanText([...new Set(parts)].join('\n'), 4_000)
}

const readReferences = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value
        .filter((one) => typeof one === 'string' && one !== '')
        .slice(0, 20)
        .map((one: string) => cleanText(one, 500))
    : []

/** A whole number from 1 to `max`; beyond that, the nearest one. */
function readCount(value: unknown, max: number): number | null {
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof count !== 'number' || !Number.isFinite(count)) return null
  return Math.min(max, Math.max(1, Math.round(count)))
}

/** What the reviewer says it looked at; null when it says nothing. */
export function readCoverage(value: unknown): Coverage | null {
  if (!isObject(value)) return null
  const files = (name: string): readonly unknown[] => (Array.isArray(value[name]) ? value[name] : [])
  return {
    reviewed: files('reviewed').filter((file) => typeof file === 'string'),
    partly: files('partly').map(readGap),
    skipped: files('skipped').map(readGap),
    ...('aside' in value && { aside: files('aside').map(readGap) }),
    ...(typeof value['suppressed'] === 'number' && { suppressed: Math.round(value['suppressed']) }),
  }
}

function readGap(value: unknown): { file: string; why: string } {
  const unsaid = 'no reason was given'
  if (!isObject(value)) return { file: String(value), why: unsaid }
  return { file: textOf(value, 'file') ?? 'unknown', why: textOf(value, 'why') ?? unsaid }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function textOf(of: JsonObject, name: string): string | null {
  const value = of[name]
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text : null
}

const bounded = (text: string | null, maxLength: number): string | null =>
  text === null ? null : cleanText(text, maxLength) || null
