import { parseSeverity } from '../../../../model/issue/severity.ts'
import { isListWith, problemDocument } from '../../reading/read-problems.ts'
import type { ReportReader } from '../../reading/report-format.ts'

/** Reads comments of a pull request as GitHub's API gives them (`gh api repos/OWNER/NAME/pulls/N/comments`); answers to others are no findings. */
export const reviewCommentsReader: ReportReader = {
  recognise: (beginning) =>
    isListWith(beginning, 'diff_hunk', 'path', 'body') ||
    isListWith(beginning, 'pull_request_review_id', 'path'),
  read: problemDocument(
    { items: 'take' },
    {
      title: 'review comments of GitHub',
      hint: 'gh api repos/OWNER/NAME/pulls/N/comments prints them.',
      read: (comment, { fields }) => {
        const body = fields.text(comment, 'body') ?? ''
        if (comment['in_reply_to_id'] !== undefined || body.trim() === '') return []
        const user = fields.child(comment, 'user')
        const suggestion = /```suggestion[^\n]*\n([\s\S]*?)```/.exec(body)?.[1]
        const page = fields.text(comment, 'html_url')
        const last = comment['line'] ?? null
        return [
          {
            source: {
              kind: user && fields.text(user, 'type') === 'Bot' ? 'agent' : 'person',
              name: (user && fields.name(user, 'login')) ?? 'github',
            },
            message: body
              .replaceAll(/<!--[\s\S]*?-->/g, '')
              .replace(/```suggestion[\s\S]*?```/, '')
              .trim(),
            rule: null,
            severity: parseSeverity('warning'),
            path: fields.text(comment, 'path'),
            line: comment['start_line'] ?? last,
            endLine: last,
            suggestion: suggestion ?? null,
            references: page === null ? [] : [page],
            ...(page && { marks: [`id ${page}`] }),
          },
        ]
      },
    },
  ),
}
