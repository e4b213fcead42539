import { parseSeverity } from '../../../../model/issue/severity.ts'
import type { JsonFields, JsonRecord } from '../../json/json-fields.ts'
import { isObjectWith, problemLines, tool } from '../../reading/read-problems.ts'
import { replacementText } from '../../reading/reported-problem.ts'
import type { ReportReader } from '../../reading/report-format.ts'

const levels: Readonly<Record<string, string>> = {
  'error: internal compiler error': 'error',
  help: 'info',
  note: 'info',
}

/** Reads `cargo clippy --message-format json`, and the same of `cargo check`. */
export const cargoReader: ReportReader = {
  recognise: (beginning) => isObjectWith(beginning, 'reason'),
  read: problemLines({
    title: 'JSON of cargo',
    hint: 'cargo writes it with --message-format json.',
    read: (line, { fields }) => {
      const message =
        fields.text(line, 'reason') === 'compiler-message' ? fields.child(line, 'message') : null
      const spans = message ? fields.children(message, 'spans') : []
      const span = spans.find((one) => one['is_primary'] === true) ?? spans[0]
      // A message without a place sums up others, such as "2 warnings emitted".
      if (!message || !span) return []
      const code = fields.child(message, 'code')
      const rule = code && fields.name(code, 'code')
      const level = fields.text(message, 'level') ?? 'warning'
      return [
        {
          source: tool(rule?.startsWith('clippy::') ? 'clippy' : 'rustc'),
          message: fields.text(message, 'message') ?? '',
          rule,
          severity: parseSeverity(levels[level] ?? level),
          path: fields.text(span, 'file_name'),
          line: span['line_start'],
          endLine: span['line_end'],
          column: span['column_start'],
          snippet: fields
            .children(span, 'text')
            .map((one) => fields.text(one, 'text') ?? '')
            .join('\n'),
          suggestion: suggestionOf(message, fields),
          references: rule?.startsWith('clippy::')
            ? [`https://rust-lang.github.io/rust-clippy/master/index.html#${rule.slice('clippy::'.length)}`]
            : [],
        },
      ]
    },
  }),
}

/** What the compiler would write instead, from the explanations below its message. */
function suggestionOf(message: JsonRecord, fields: JsonFields): string | null {
  const texts = fields.children(message, 'children').flatMap((child) => {
    const changes = fields.children(child, 'spans').flatMap((span) => {
      const text = fields.text(span, 'suggested_replacement')
      return text === null ? [] : [replacementText(`line ${String(span['line_start'])}`, text)]
    })
    return changes.length > 0 ? [fields.text(child, 'message') ?? '', ...changes] : []
  })
  return texts.join('\n') || null
}
