import { parseSeverity } from '../../../../model/issue/severity.ts'
import { isObjectWith, problemDocument, tool } from '../../reading/read-problems.ts'
import type { ReportReader } from '../../reading/report-format.ts'

/** Reads `bandit -f json`. */
export const banditReader: ReportReader = {
  recognise: (beginning) =>
    isObjectWith(beginning, 'generated_at', 'metrics') ||
    isObjectWith(beginning, 'metrics', 'results') ||
    (isObjectWith(beginning, 'results') && /"test_id"\s*:/.test(beginning.text)),
  read: problemDocument(
    { fields: { results: { items: 'take' } } },
    {
      title: 'JSON of Bandit',
      hint: 'Bandit writes it with -f json.',
      read: (item, { fields }) => {
        const weakness = fields.child(item, 'issue_cwe')
        const id = weakness && fields.integer(weakness, 'id')
        const page = fields.text(item, 'more_info')
        const column = fields.integer(item, 'col_offset')
        return [
          {
            source: tool('bandit'),
            message: fields.text(item, 'issue_text') ?? '',
            rule: fields.name(item, 'test_id'),
            severity: parseSeverity(fields.text(item, 'issue_severity')),
            category: 'security',
            path: fields.text(item, 'filename'),
            line: item['line_number'],
            endLine: fields.list(item, 'line_range').at(-1),
            column: column === null ? null : column + 1,
            snippet: (fields.text(item, 'code') ?? '').replaceAll(/^\d+ /gm, ''),
            references: [...(id === null ? [] : [`CWE-${id}`]), ...(page === null ? [] : [page])],
          },
        ]
      },
    },
  ),
}
