import { parseSeverity } from '../../../../model/issue/severity.ts'
import { problemDocument, tool } from '../../reading/read-problems.ts'
import type { ReportReader } from '../../reading/report-format.ts'

/** Reads `oxlint -f json`. */
export const oxlintReader: ReportReader = {
  recognise: ({ kind, keys, text }) =>
    kind === 'object' &&
    keys.includes('diagnostics') &&
    (keys.includes('number_of_files') || /"diagnostics"\s*:\s*\[\s*\{[^{}[\]]*"filename"/.test(text)),
  read: problemDocument(
    { fields: { diagnostics: { items: 'take' } } },
    {
      title: 'JSON of oxlint',
      hint: 'oxlint writes it with -f json.',
      read: (item, { fields }) => {
        const [label] = fields.children(item, 'labels')
        const span = label ? fields.child(label, 'span') : null
        const url = fields.text(item, 'url')
        const code = fields.name(item, 'code')
        return [
          {
            source: tool('oxlint'),
            message: fields.text(item, 'message') ?? '',
            rule: code,
            severity: parseSeverity(fields.text(item, 'severity')),
            path: fields.text(item, 'filename'),
            line: span?.['line'],
            endLine: null,
            column: span?.['column'],
            suggestion: fields.text(item, 'help'),
            references: url === null ? [] : [url],
          },
        ]
      },
    },
  ),
}
