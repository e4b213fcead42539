import { cutText } from '../../../model/issue/finding-text.ts'
import type { JsonFields, JsonObject } from '../json/json-fields.ts'

const maxFix = 4_000

/** The first fix that says something, as text that a person or an agent can follow. */
export function formatFix(fixes: readonly JsonObject[], fields: JsonFields): string | null {
  const texts = fixes.map((fix) => formatOne(fix, fields))
  const useful = texts.find((text) => text !== '')
  return useful === undefined ? null : cutText(useful, maxFix)
}

function formatOne(fix: JsonObject, fields: JsonFields): string {
  const description = fields.child(fix, 'description')
  const said = description && (fields.text(description, 'text') || fields.text(description, 'markdown'))
  const changes = fields.children(fix, 'artifactChanges').flatMap((change) => {
    const artifact = fields.child(change, 'artifactLocation')
    const file = artifact && fields.text(artifact, 'uri')
    return fields
      .children(change, 'replacements')
      .map((replacement) => formatReplacement(replacement, file ?? 'the file', fields))
  })
  return [said ?? '', ...changes].filter((part) => part !== '').join('\n')
}

function formatReplacement(replacement: JsonObject, file: string, fields: JsonFields): string {
  const deleted = fields.child(replacement, 'deletedRegion')
  const content = fields.child(replacement, 'insertedContent')
  const inserted = content && fields.text(content, 'text')
  const where = `${file}${deleted ? formatRegion(deleted, fields) : ''}`
  return inserted ? `In ${where} write:\n${inserted}` : `In ${where} delete the text.`
}

/** `:3:5-4:1`, as far as the region tells. */
function formatRegion(region: JsonObject, fields: JsonFields): string {
  const startLine = fields.integer(region, 'startLine')
  if (startLine === null) return ''
  const startColumn = fields.integer(region, 'startColumn')
  const endLine = fields.integer(region, 'endLine') ?? startLine
  const endColumn = fields.integer(region, 'endColumn')
  const column = (value: number | null) => (value === null ? '' : `:${value}`)
  return `:${startLine}${column(startColumn)}-${endLine}${column(endColumn)}`
}
