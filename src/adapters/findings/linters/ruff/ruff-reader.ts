import { parseSeverity } from '../../../../model/issue/severity.ts'
import {
  isListWith,
  isObjectWith,
  problemDocument,
  problemLines,
  tool,
  type ReadProblems,
} from '../../reading/read-problems.ts'
import { replacementText } from '../../reading/reported-problem.ts'
import type { ReportReader } from '../../reading/report-format.ts'
import type { JsonFields, JsonRecord } from '../../json/json-fields.ts'

const read: ReadProblems = (item, { fields }) => {
  const [start, end] = [fields.child(item, 'location'), fields.child(item, 'end_location')]
  const url = fields.text(item, 'url')
  const rule = fields.name(item, 'code')
  return [
    {
      source: tool('ruff'),
      message: fields.text(item, 'message') ?? '',
      rule,
      // Ruff calls everything an error; what stops it from reading a file has no rule, or an E9.
      severity: parseSeverity(
        rule === null || /^(?:E9|F[78]2|invalid-syntax)/.test(rule) ? 'error' : 'warning',
      ),
      path: fields.text(item, 'filename'),
      line: start?.['row'],
      endLine: end?.['row'],
      column: start?.['column'],
      suggestion: suggestionOf(fields.child(item, 'fix'), fields),
      references: url === null ? [] : [url],
    },
  ]
}

function suggestionOf(fix: JsonRecord | null, fields: JsonFields): string | null {
  if (fix === null) return null
  const edits = fields.children(fix, 'edits').map((edit) => {
    const [from, to] = [fields.child(edit, 'location'), fields.child(edit, 'end_location')]
    const where = `line ${String(from?.['row'])}:${String(from?.['column'])} to ${String(to?.['row'])}:${String(to?.['column'])}`
    return replacementText(where, fields.text(edit, 'content') ?? '')
  })
  return [fields.text(fix, 'message') ?? '', ...edits].filter((part) => part !== '').join('\n') || null
}

const format = { title: 'JSON of Ruff', hint: 'Ruff writes it with --output-format json.', read }
const readDocument = problemDocument({ items: 'take' }, format)
const readLines = problemLines(format)
const names = ['filename', 'location', 'end_location', 'noqa_row']

/** Reads `ruff check --output-format json`, and `json-lines`. */
export const ruffReader: ReportReader = {
  recognise: (beginning) => isListWith(beginning, ...names) || isObjectWith(beginning, ...names),
  read: (source, reading) => (reading.kind === 'object' ? readLines : readDocument)(source, reading),
}
