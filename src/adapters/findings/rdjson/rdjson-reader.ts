import type { FindingSource, WrittenFinding } from '../../../model/issue/finding.ts'
import { documentFormat, readLines, type DocumentReader } from '../reading/read-json.ts'
import type { ReaderContext, ReportReader } from '../reading/report-format.ts'
import { createJsonFields, type JsonFields, type JsonRecord } from '../json/json-fields.ts'
import type { Shape } from '../json/json-splitter.ts'
import { parseSeverity, type ReadSeverity } from '../../../model/issue/severity.ts'
import { findingOf, replacementText } from '../reading/reported-problem.ts'

const shape: Shape = {
  fields: { source: 'take', severity: 'take', diagnostics: { items: 'take' } },
}

const shapeHint =
  'A diagnostic of reviewdog has "message" and "location.path"; for JSON of another tool give --map.'

interface ReadDiagnostic {
  readonly finding: WrittenFinding
  readonly isOfReport: boolean
  readonly hasSeverity: boolean
}

/** Reads reviewdog's rdjson; what holds for all diagnostics may stand after them. */
export const rdjsonReader: ReportReader = {
  recognise: ({ kind, keys }) => kind === 'object' && keys.includes('diagnostics'),
  read: documentFormat(shape, createReader),
}

/** Reads reviewdog's rdjsonl: one diagnostic per line, each with its own source. */
export const rdjsonlReader: ReportReader = {
  recognise: ({ kind, keys }) =>
    kind === 'object' && keys.includes('message') && keys.includes('location') && !keys.includes('noqa_row'),
  read: (source, reading) => readLines(source, createTaker(reading.context), reading),
}

function createReader(context: ReaderContext): DocumentReader {
  const read: ReadDiagnostic[] = []
  const fields = createJsonFields((what) => context.fail(`is not rdjson: ${what}`, shapeHint))
  let source: FindingSource = { kind: 'tool', name: context.sourceName }
  let severity: unknown = null
  let hasDiagnostics = false
  return {
    take(path, value, offset) {
      if (path[0] === 'source' && value !== null)
        source = readDiagnosticSource(fields.object(value, 'source'), source, fields)
      else if (path[0] === 'severity') severity = value
      else if (path[0] === 'diagnostics') {
        context.admit()
        const one = checkDiagnostic(value, `diagnostic ${path[1]} (byte ${offset})`, { context, fields })
        read.push({
          finding: readDiagnostic(one, { source, severity, root: context.root }, fields),
          isOfReport: one['source'] === undefined,
          hasSeverity: one['severity'] !== undefined,
        })
      }
    },
    leave(path) {
      if (path.length === 1) hasDiagnostics = true
    },
    finish() {
      if (!hasDiagnostics) throw context.fail('has no list of "diagnostics"', shapeHint)
      const { severity: level, note } = readSeverity(severity)
      for (const { finding, isOfReport, hasSeverity } of read)
        context.add({
          ...finding,
          ...(isOfReport && { source }),
          ...(!hasSeverity && { severity: level, severity_note: note }),
        })
      return { notFindings: 0, incomplete: [], coverage: null }
    },
  }
}

function createTaker(context: ReaderContext): (value: unknown, line: number) => void {
  const fields = createJsonFields((what) => context.fail(`is not rdjsonl: ${what}`, shapeHint))
  const source: FindingSource = { kind: 'tool', name: context.sourceName }
  return (value, line) => {
    const diagnostic = checkDiagnostic(value, `line ${line}`, { context, fields })
    context.admit()
    context.add(readDiagnostic(diagnostic, { source, severity: null, root: context.root }, fields))
  }
}

/** An entry with neither words nor a place is no diagnostic, however much it looks like one. */
function checkDiagnostic(
  value: unknown,
  where: string,
  { context, fields }: { readonly context: ReaderContext; readonly fields: JsonFields },
): JsonRecord {
  const diagnostic = fields.object(value, where)
  if (fields.text(diagnostic, 'message') === null && fields.child(diagnostic, 'code') === null)
    throw context.fail(`${where} has neither "message" nor "code"`, shapeHint)
  if (diagnostic['location'] === undefined) throw context.fail(`${where} has no "location"`, shapeHint)
  return diagnostic
}

/** The values that the whole report gives for diagnostics that have none of their own. */
interface DiagnosticDefaults {
  readonly source: FindingSource
  readonly severity: unknown
  readonly root: string
}

/** The protocol's numbers for its words. */
const severityWords = ['UNKNOWN_SEVERITY', 'ERROR', 'WARNING', 'INFO']
const maxRelated = 20

/** One diagnostic of reviewdog's format as a finding. */
function readDiagnostic(
  diagnostic: JsonRecord,
  defaults: DiagnosticDefaults,
  fields: JsonFields,
): WrittenFinding {
  const location = fields.child(diagnostic, 'location')
  const code = fields.child(diagnostic, 'code')
  const source = fields.child(diagnostic, 'source')
  const path = location && fields.name(location, 'path')
  const url = code && fields.text(code, 'url')
  return findingOf(
    {
      source: source ? readDiagnosticSource(source, defaults.source, fields) : defaults.source,
      message: `${fields.text(diagnostic, 'message') ?? ''}${relatedText(diagnostic, fields)}`,
      rule: code && fields.name(code, 'value'),
      severity: readSeverity(diagnostic['severity'] ?? defaults.severity),
      path,
      ...linesOf(location, fields),
      suggestion: suggestionText(diagnostic, path, fields),
      references: url && /^https?:\/\//i.test(url) ? [url] : [],
    },
    defaults.root,
  )
}

function readDiagnosticSource(
  source: JsonRecord,
  fallback: FindingSource,
  fields: JsonFields,
): FindingSource {
  const name = fields.name(source, 'name')
  return name ? { kind: 'tool', name: name.slice(0, 100) } : fallback
}

/** A linter that knows no severities writes nothing or `UNKNOWN_SEVERITY`: that counts as a warning. */
function readSeverity(written: unknown): ReadSeverity {
  const word = typeof written === 'number' ? severityWords[written] : written
  if (word === undefined || word === null || word === 'UNKNOWN_SEVERITY') return parseSeverity('warning')
  return parseSeverity(typeof word === 'string' ? word : JSON.stringify(word))
}

function linesOf(location: JsonRecord | null, fields: JsonFields) {
  const range = location && fields.child(location, 'range')
  const [start, end] = range ? [fields.child(range, 'start'), fields.child(range, 'end')] : [null, null]
  return {
    line: start && fields.integer(start, 'line'),
    endLine: end && fields.integer(end, 'line'),
    column: start && fields.integer(start, 'column'),
  }
}

function suggestionText(diagnostic: JsonRecord, path: string | null, fields: JsonFields): string | null {
  const [first] = fields.children(diagnostic, 'suggestions')
  const text = first && fields.text(first, 'text')
  if (!first || text === null || text === undefined) return null
  return replacementText(`${path ?? 'the file'}${rangeText(fields.child(first, 'range'), fields)}`, text)
}

/** `:3:5-3:9`, as far as the range tells. */
function rangeText(range: JsonRecord | null, fields: JsonFields): string {
  const at = (name: string): string | null => {
    const position = range && fields.child(range, name)
    const line = position && fields.integer(position, 'line')
    const column = position && fields.integer(position, 'column')
    return line ? `${line}${column ? `:${column}` : ''}` : null
  }
  const [start, end] = [at('start'), at('end')]
  return start === null ? '' : `:${start}${end === null ? '' : `-${end}`}`
}

function relatedText(diagnostic: JsonRecord, fields: JsonFields): string {
  const related = fields.children(diagnostic, 'related_locations').slice(0, maxRelated)
  const lines = related.map((one) => {
    const location = fields.child(one, 'location')
    const { line } = linesOf(location, fields)
    const where = `${(location && fields.text(location, 'path')) ?? ''}${line ? `:${line}` : ''}`
    return `- ${[where, fields.text(one, 'message') ?? ''].filter((part) => part !== '').join(': ')}`
  })
  return lines.length === 0 ? '' : `\n\nSee also:\n${lines.join('\n')}`
}
