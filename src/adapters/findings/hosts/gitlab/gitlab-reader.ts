import { parseSeverity } from '../../../../model/issue/severity.ts'
import { isListWith, problemDocument, tool } from '../../reading/read-problems.ts'
import type { ReportReader } from '../../reading/report-format.ts'

/** Reads GitLab's code quality reports, which Code Climate defined. */
export const gitlabReader: ReportReader = {
  recognise: (beginning) => isListWith(beginning, 'description', 'location', 'fingerprint'),
  read: problemDocument(
    { items: 'take' },
    {
      title: 'a code quality report of GitLab',
      hint: 'Each entry has "description", "location" and "fingerprint".',
      read: (item, { fields, context }) => {
        const location = fields.child(item, 'location')
        const lines = location && fields.child(location, 'lines')
        const positions = location && fields.child(location, 'positions')
        const [begin, end] = positions
          ? [fields.child(positions, 'begin'), fields.child(positions, 'end')]
          : [null, null]
        const fingerprint = fields.text(item, 'fingerprint')
        const category = fields.list(item, 'categories')[0]
        return [
          {
            source: tool(fields.name(item, 'engine_name') ?? context.sourceName),
            message: fields.text(item, 'description') ?? '',
            rule: fields.name(item, 'check_name'),
            severity: parseSeverity(fields.text(item, 'severity') ?? 'minor'),
            category: typeof category === 'string' ? category.toLowerCase() : 'general',
            path: location && fields.text(location, 'path'),
            line: begin?.['line'] ?? lines?.['begin'],
            endLine: end?.['line'] ?? lines?.['end'],
            column: begin?.['column'],
            ...(fingerprint && { marks: [`fingerprint gitlab ${fingerprint}`] }),
          },
        ]
      },
    },
  ),
}
