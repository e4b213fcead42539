import { parseSeverity } from '../../../../model/issue/severity.ts'
import { isListWith, problemDocument, tool } from '../../reading/read-problems.ts'
import type { ReportReader } from '../../reading/report-format.ts'

/** Reads alerts as GitHub's API gives them (`gh api repos/OWNER/NAME/code-scanning/alerts`); fixed ones are no findings. */
export const codeScanningReader: ReportReader = {
  recognise: (beginning) =>
    isListWith(beginning, 'number', 'rule', 'most_recent_instance') ||
    isListWith(beginning, 'number', 'rule', 'tool'),
  read: problemDocument(
    { items: 'take' },
    {
      title: 'alerts of GitHub code scanning',
      hint: 'gh api repos/OWNER/NAME/code-scanning/alerts prints them.',
      read: (alert, { fields }) => {
        const state = fields.text(alert, 'state') ?? 'open'
        if (state === 'fixed' || state === 'closed') return []
        const [rule, maker] = [fields.child(alert, 'rule') ?? {}, fields.child(alert, 'tool')]
        const instance = fields.child(alert, 'most_recent_instance') ?? {}
        const [place, said] = [fields.child(instance, 'location'), fields.child(instance, 'message')]
        const reason = fields.text(alert, 'dismissed_comment') ?? fields.text(alert, 'dismissed_reason')
        const page = fields.text(alert, 'html_url')
        const security = fields.text(rule, 'security_severity_level')
        return [
          {
            source: tool((maker && fields.name(maker, 'name')) ?? 'code-scanning'),
            message: (said && fields.text(said, 'text')) ?? fields.text(rule, 'description') ?? '',
            rule: fields.name(rule, 'id'),
            severity: parseSeverity(security ?? fields.text(rule, 'severity')),
            category: security === null ? 'general' : 'security',
            path: place && fields.text(place, 'path'),
            line: place?.['start_line'],
            endLine: place?.['end_line'],
            column: place?.['start_column'],
            references: page === null ? [] : [page],
            suppressed: state === 'dismissed' ? (reason ?? 'dismissed on GitHub') : null,
            ...(page && { marks: [`id ${page}`] }),
          },
        ]
      },
    },
  ),
}
