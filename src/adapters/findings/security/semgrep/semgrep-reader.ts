import { parseSeverity } from '../../../../model/issue/severity.ts'
import type { JsonFields, JsonRecord } from '../../json/json-fields.ts'
import { isObjectWith, problemDocument, tool } from '../../reading/read-problems.ts'
import type { ReportReader } from '../../reading/report-format.ts'

const texts = (of: JsonRecord | null, name: string): readonly string[] => {
  const value = of?.[name]
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
}

/** Semgrep writes this where a person would have to log in to see the code or the id. */
const isTold = (text: string | null): text is string => text !== null && text !== 'requires login'

/** Reads `semgrep scan --json`. */
export const semgrepReader: ReportReader = {
  recognise: (beginning) =>
    isObjectWith(beginning, 'results') &&
    (beginning.keys.includes('paths') ||
      beginning.keys.includes('interfile_languages_used') ||
      /"check_id"\s*:/.test(beginning.text)),
  read: problemDocument(
    { fields: { results: { items: 'take' } } },
    {
      title: 'JSON of Semgrep',
      hint: 'Semgrep writes it with --json.',
      read: (item, { fields }) => {
        const [start, end] = [fields.child(item, 'start'), fields.child(item, 'end')]
        const extra = fields.child(item, 'extra') ?? {}
        const metadata = fields.child(extra, 'metadata')
        const code = fields.text(extra, 'lines')
        return [
          {
            source: tool('semgrep'),
            message: fields.text(extra, 'message') ?? '',
            rule: fields.name(item, 'check_id'),
            severity: parseSeverity(fields.text(extra, 'severity')),
            category: texts(metadata, 'category')[0] ?? 'general',
            path: fields.text(item, 'path'),
            line: start?.['line'],
            endLine: end?.['line'],
            column: start?.['col'],
            snippet: isTold(code) ? code : null,
            suggestion: fields.text(extra, 'fix'),
            references: [
              ...texts(metadata, 'cwe').map((one) => /^CWE-\d+/.exec(one)?.[0] ?? one),
              ...texts(metadata, 'source'),
              ...texts(metadata, 'references'),
            ],
            suppressed: extra['is_ignored'] === true ? 'suppressed in the source code' : null,
            marks: marksOf(extra, fields),
          },
        ]
      },
    },
  ),
}

function marksOf(extra: JsonRecord, fields: JsonFields): readonly string[] {
  const fingerprint = fields.text(extra, 'fingerprint')
  return isTold(fingerprint) ? [`fingerprint semgrep ${fingerprint}`] : []
}
