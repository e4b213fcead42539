import type { FindingSource, WrittenFinding } from '../../../model/issue/finding.ts'
import { parseSeverity, type ReadSeverity } from '../../../model/issue/severity.ts'
import { findingOf, replacementText } from '../reading/reported-problem.ts'
import type { JsonFields, JsonRecord } from '../json/json-fields.ts'

/** What the whole report says for diagnostics that do not. */
export interface DiagnosticDefaults {
  readonly source: FindingSource
  readonly severity: unknown
  readonly root: string
}

/** The protocol's numbers for its words. */
const severityWords = ['UNKNOWN_SEVERITY', 'ERROR', 'WARNING', 'INFO']
const maxRelated = 20

/** One diagnostic of reviewdog's format as a finding. */
export function readDiagnostic(
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

export function readDiagnosticSource(
  source: JsonRecord,
  fallback: FindingSource,
  fields: JsonFields,
): FindingSource {
  const name = fields.name(source, 'name')
  return name ? { kind: 'tool', name: name.slice(0, 100) } : fallback
}

/** A linter that knows no severities writes nothing or `UNKNOWN_SEVERITY`: that counts as a warning. */
export function readSeverity(written: unknown): ReadSeverity {
  const word = typeof written === 'number' ? severityWords[written] : written
  if (word === undefined || word === null || word === 'UNKNOWN_SEVERITY') return parseSeverity('warning')
  return parseSeverity(typeof word === 'string' ? word : JSON.stringify(word))
}

function linesOf(location: JsonRecord | null, fields: JsonFields) {
  const range = location && fields.child(location, 'range')
  const lineAt = (name: string) => {
    const position = range && fields.child(range, name)
    return position && fields.integer(position, 'line')
  }
  return { line: lineAt('start'), endLine: lineAt('end') }
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
