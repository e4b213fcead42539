import { parseSeverity } from '../../../../model/issue/severity.ts'
import type { JsonFields, JsonRecord } from '../../json/json-fields.ts'
import { isObjectWith, problemDocument, tool } from '../../reading/read-problems.ts'
import type { ReportReader } from '../../reading/report-format.ts'

/** Reads `biome lint --reporter=json`. */
export const biomeReader: ReportReader = {
  recognise: (beginning) => isObjectWith(beginning, 'summary', 'diagnostics'),
  read: problemDocument(
    { fields: { diagnostics: { items: 'take' } } },
    {
      title: 'JSON of Biome',
      hint: 'Biome writes it with --reporter=json.',
      read: (item, { fields }) => {
        const location = fields.child(item, 'location')
        const category = fields.name(item, 'category')
        return [
          {
            source: tool('biome'),
            message: textOf(item['message']) || textOf(item['description']),
            rule: category,
            severity: parseSeverity(fields.text(item, 'severity')),
            path: location && pathOf(location, fields),
            ...(location ? linesOf(location, fields) : { line: null, endLine: null }),
            suggestion: adviceOf(item),
          },
        ]
      },
    },
  ),
}

/** Newer versions write a path, older ones an object around it. */
function pathOf(location: JsonRecord, fields: JsonFields): string | null {
  const path = location['path']
  return typeof path === 'object' && path !== null
    ? fields.text(path as JsonRecord, 'file')
    : fields.text(location, 'path')
}

function linesOf(location: JsonRecord, fields: JsonFields) {
  const [start, end] = [fields.child(location, 'start'), fields.child(location, 'end')]
  if (start) return { line: start['line'], endLine: end?.['line'], column: start['column'] }
  const [from, to] = fields.list(location, 'span')
  const code = location['sourceCode']
  if (typeof from !== 'number' || typeof code !== 'string') return { line: null, endLine: null }
  const lineAt = (offset: number) => Buffer.from(code).subarray(0, offset).toString().split('\n').length
  return { line: lineAt(from), endLine: typeof to === 'number' ? lineAt(to) : null }
}

/** A message is text, or pieces of marked text. */
function textOf(message: unknown): string {
  if (typeof message === 'string') return message
  if (!Array.isArray(message)) return ''
  return message
    .map((piece: { content?: unknown }) => (typeof piece.content === 'string' ? piece.content : ''))
    .join('')
}

function adviceOf({ advices }: JsonRecord): string | null {
  if (!Array.isArray(advices)) return null
  return (
    advices
      .map((one: { text?: unknown }) => (typeof one?.text === 'string' ? one.text : ''))
      .filter(Boolean)
      .join('\n') || null
  )
}
