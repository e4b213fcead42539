import { parseSeverity } from '../../../../model/issue/severity.ts'
import {
  isListWith,
  isObjectWith,
  problemDocument,
  tool,
  type ReadProblems,
} from '../../reading/read-problems.ts'
import { replacementText } from '../../reading/reported-problem.ts'
import type { ReportReader } from '../../reading/report-format.ts'

const read: ReadProblems = (comment, { fields }) => {
  const code = fields.integer(comment, 'code')
  const fix = fields.child(comment, 'fix')
  const changes = fix ? fields.children(fix, 'replacements') : []
  return [
    {
      source: tool('shellcheck'),
      message: fields.text(comment, 'message') ?? '',
      rule: code === null ? null : `SC${code}`,
      severity: parseSeverity(fields.text(comment, 'level')),
      path: fields.text(comment, 'file'),
      line: comment['line'],
      endLine: comment['endLine'],
      column: comment['column'],
      suggestion:
        changes
          .map((one) =>
            replacementText(
              `line ${String(one['line'])}, column ${String(one['column'])}`,
              fields.text(one, 'replacement') ?? '',
            ),
          )
          .join('\n') || null,
      references: code === null ? [] : [`https://www.shellcheck.net/wiki/SC${code}`],
    },
  ]
}

const format = { title: 'JSON of ShellCheck', hint: 'ShellCheck writes it with -f json1.', read }
const readList = problemDocument({ items: 'take' }, format)
const readDocument = problemDocument({ fields: { comments: { items: 'take' } } }, format)

/** Reads `shellcheck -f json` and `-f json1`. */
export const shellcheckReader: ReportReader = {
  recognise: (beginning) =>
    isListWith(beginning, 'file', 'level', 'code', 'endLine') ||
    (isObjectWith(beginning, 'comments') && beginning.keys.length === 1),
  read: (source, reading) => (reading.kind === 'list' ? readList : readDocument)(source, reading),
}
