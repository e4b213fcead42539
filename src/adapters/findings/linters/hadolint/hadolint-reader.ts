import { parseSeverity } from '../../../../model/issue/severity.ts'
import { isListWith, problemDocument, tool } from '../../reading/read-problems.ts'
import type { ReportReader } from '../../reading/report-format.ts'

/** Reads `hadolint -f json`. */
export const hadolintReader: ReportReader = {
  recognise: (beginning) =>
    isListWith(beginning, 'file', 'level', 'code', 'column') && !beginning.keys.includes('endLine'),
  read: problemDocument(
    { items: 'take' },
    {
      title: 'JSON of hadolint',
      hint: 'hadolint writes it with -f json.',
      read: (item, { fields }) => {
        const rule = fields.name(item, 'code')
        const wiki = rule?.startsWith('SC')
          ? 'https://www.shellcheck.net/wiki/'
          : 'https://github.com/hadolint/hadolint/wiki/'
        return [
          {
            source: tool('hadolint'),
            message: fields.text(item, 'message') ?? '',
            rule,
            severity: parseSeverity(fields.text(item, 'level')),
            path: fields.text(item, 'file'),
            line: item['line'],
            endLine: null,
            column: item['column'],
            references: rule === null ? [] : [`${wiki}${rule}`],
          },
        ]
      },
    },
  ),
}
