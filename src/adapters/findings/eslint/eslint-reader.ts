import type { FindingSource } from '../../../model/issue/finding.ts'
import { parseSeverity } from '../../../model/issue/severity.ts'
import { findingOf, replacementText } from '../reading/reported-problem.ts'
import { documentFormat, type DocumentReader } from '../reading/read-json.ts'
import type { ReaderContext, ReportReader } from '../reading/report-format.ts'
import { createJsonFields, type JsonFields, type JsonRecord } from '../json/json-fields.ts'
import type { Shape } from '../json/json-splitter.ts'

const shapeHint = 'ESLint writes it with -f json; for JSON of another tool give --map.'
const source: FindingSource = { kind: 'tool', name: 'eslint' }

interface OpenFile {
  path: string | null
  hasMessages: boolean
  /** Those that stand before the path. */
  readonly messages: JsonRecord[]
}
const openFile = (): OpenFile => ({ path: null, hasMessages: false, messages: [] })

/** One entry per file; its source text and rule tables are passed over. */
const shape: Shape = {
  items: {
    fields: { filePath: 'take', messages: { items: 'take' }, suppressedMessages: { items: 'take' } },
  },
}

const readList = documentFormat(shape, createReader)
/** The list of the formatter `json-with-metadata`, and what stands around it. */
const readObject = documentFormat({ fields: { results: shape } }, (context) => {
  const { take, leave, finish } = createReader(context)
  return {
    take: (path, value, offset) => take(path.slice(1), value, offset),
    leave: (path) => path.length > 1 && leave(path.slice(1)),
    finish,
  }
})

/** Reads the output of ESLint's formatters `json` and `json-with-metadata`. */
export const eslintReader: ReportReader = {
  recognise: ({ kind, keys, text }) =>
    (kind === 'list' && keys.includes('filePath')) ||
    (kind === 'object' && /^\{\s*"results"\s*:\s*\[\s*\{\s*"filePath"/.test(text)),
  read: (source, reading) => (reading.kind === 'object' ? readObject : readList)(source, reading),
}

function createReader(context: ReaderContext): DocumentReader {
  const fields = createJsonFields((what) => context.fail(`is not ESLint JSON: ${what}`, shapeHint))
  let file = openFile()
  let notFindings = 0

  function endFile(index: number): void {
    if (file.path === null || !file.hasMessages)
      throw context.fail(`is not ESLint JSON: entry ${index} lacks "filePath" or "messages"`, shapeHint)
    for (const message of file.messages) add(message, file.path)
    file = openFile()
  }

  function add(message: JsonRecord, path: string): void {
    if (isFinding(message, fields)) context.add(readMessage(message, path, { context, fields }))
    else notFindings += 1
  }

  return {
    take(path, value) {
      if (path[1] === 'filePath') file.path = fields.text({ filePath: value }, 'filePath')
      else {
        context.admit()
        const message = fields.object(value, String(path[1]))
        if (file.path === null) file.messages.push(message)
        else add(message, file.path)
      }
    },
    leave(path) {
      if (path.length === 2 && path[1] === 'messages') file.hasMessages = true
      else if (path.length === 1) endFile(Number(path[0]))
    },
    finish: () => ({ notFindings, incomplete: [], coverage: null }),
  }
}

/** What ESLint says about itself, such as that a file was ignored, has no rule and no place. */
const isFinding = (message: JsonRecord, fields: JsonFields): boolean =>
  message['fatal'] === true || fields.text(message, 'ruleId') !== null || message['line'] !== undefined

function readMessage(
  message: JsonRecord,
  path: string,
  { context, fields }: { readonly context: ReaderContext; readonly fields: JsonFields },
) {
  const isFatal = message['fatal'] === true
  const [suppression] = fields.children(message, 'suppressions')
  return findingOf(
    {
      source,
      message: fields.text(message, 'message') ?? '',
      rule: fields.name(message, 'ruleId'),
      severity: readSeverity(message),
      ...(isFatal && { category: 'syntax-error' }),
      path,
      line: message['line'],
      endLine: message['endLine'],
      column: message['column'],
      suggestion: suggestionText(message, fields),
      suppressed: suppression
        ? fields.text(suppression, 'justification') || 'suppressed in the source code'
        : null,
    },
    context.root,
  )
}

function readSeverity({ severity: written, fatal }: JsonRecord) {
  if (fatal === true || written === 2) return parseSeverity('error')
  if (written === 1) return parseSeverity('warning')
  return parseSeverity(typeof written === 'string' ? written : String(written))
}

function suggestionText(message: JsonRecord, fields: JsonFields): string | null {
  const [suggestion] = fields.children(message, 'suggestions')
  const fix = fields.child(message, 'fix') ?? (suggestion ? fields.child(suggestion, 'fix') : null)
  const text = fix && fields.text(fix, 'text')
  const said = suggestion ? fields.text(suggestion, 'desc') : null
  const [from, to] = fix ? fields.list(fix, 'range') : []
  const change =
    text === null ? null : replacementText(`the characters ${String(from)} to ${String(to)}`, text)
  return [said, change].filter((part) => part !== null).join('\n') || null
}
