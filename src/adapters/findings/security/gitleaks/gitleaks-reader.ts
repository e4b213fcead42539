import { parseSeverity } from '../../../../model/issue/severity.ts'
import { isListWith, problemDocument, tool } from '../../reading/read-problems.ts'
import type { ReportReader } from '../../reading/report-format.ts'

/** Reads `gitleaks --report-format json`; the secret itself is not taken. */
export const gitleaksReader: ReportReader = {
  recognise: (beginning) => isListWith(beginning, 'RuleID', 'StartLine', 'File'),
  read: problemDocument(
    { items: 'take' },
    {
      title: 'JSON of gitleaks',
      hint: 'gitleaks writes it with --report-format json.',
      read: (item, { fields }) => {
        const fingerprint = fields.text(item, 'Fingerprint')
        const commit = fields.text(item, 'Commit')
        const said = fields.text(item, 'Description') ?? 'A secret'
        return [
          {
            source: tool('gitleaks'),
            message: commit ? `${said}\n\nFound in commit ${commit.slice(0, 12)}.` : said,
            title: said,
            rule: fields.name(item, 'RuleID'),
            severity: parseSeverity('critical'),
            category: 'security',
            path: fields.text(item, 'File'),
            line: item['StartLine'],
            endLine: item['EndLine'],
            column: item['StartColumn'],
            references: ['CWE-798'],
            ...(fingerprint && { marks: [`fingerprint gitleaks ${fingerprint}`] }),
          },
        ]
      },
    },
  ),
}
