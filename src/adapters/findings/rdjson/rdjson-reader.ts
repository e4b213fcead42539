import type { FindingSource, WrittenFinding } from '../../../model/issue/finding.ts'
import { documentFormat, readLines, type DocumentReader } from '../reading/read-json.ts'
import type { ReaderContext, ReportReader } from '../reading/report-format.ts'
import { createJsonFields, type JsonFields, type JsonRecord } from '../json/json-fields.ts'
import type { Shape } from '../json/json-splitter.ts'
import { readDiagnostic, readDiagnosticSource, readSeverity } from './diagnostic.ts'

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
  recognise: ({ kind, keys }) => kind === 'object' && keys.includes('message') && keys.includes('location'),
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

/** What has neither words nor a place is no diagnostic, however much it looks like one. */
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
