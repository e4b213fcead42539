import { parseSeverity } from '../../../../model/issue/severity.ts'
import { isObjectWith, problemDocument, tool } from '../../reading/read-problems.ts'
import { replacementText } from '../../reading/reported-problem.ts'
import type { ReportReader } from '../../reading/report-format.ts'

/** Reads `golangci-lint run --output.json.path stdout`, or `--out-format json` of older ones. */
export const golangciLintReader: ReportReader = {
  recognise: (beginning) =>
    isObjectWith(beginning, 'Issues') && (beginning.keys.length === 1 || beginning.keys.includes('Report')),
  read: problemDocument(
    { fields: { Issues: { items: 'take' } } },
    {
      title: 'JSON of golangci-lint',
      hint: 'golangci-lint writes it with --output.json.path.',
      read: (issue, { fields }) => {
        const place = fields.child(issue, 'Pos')
        const range = fields.child(issue, 'LineRange')
        const replacement = fields.child(issue, 'Replacement')
        const lines = replacement ? fields.list(replacement, 'NewLines') : []
        return [
          {
            source: tool('golangci-lint'),
            message: fields.text(issue, 'Text') ?? '',
            rule: fields.name(issue, 'FromLinter'),
            severity: parseSeverity(fields.text(issue, 'Severity') || 'warning'),
            path: place && fields.text(place, 'Filename'),
            line: place?.['Line'],
            endLine: range?.['To'],
            column: place?.['Column'],
            snippet: fields.list(issue, 'SourceLines').map(String).join('\n'),
            suggestion:
              lines.length > 0 ? replacementText('these lines', lines.map(String).join('\n')) : null,
          },
        ]
      },
    },
  ),
}
