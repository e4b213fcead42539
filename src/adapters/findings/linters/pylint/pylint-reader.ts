import { parseSeverity } from '../../../../model/issue/severity.ts'
import {
  isListWith,
  isObjectWith,
  problemDocument,
  tool,
  type ReadProblems,
} from '../../reading/read-problems.ts'
import type { ReportReader } from '../../reading/report-format.ts'

/** pylint's own words; the others are known. */
const words: Readonly<Record<string, string>> = { convention: 'info', refactor: 'info', usage: 'error' }

const read: ReadProblems = (item, { fields }) => {
  const type = fields.text(item, 'type') ?? 'warning'
  const column = fields.integer(item, 'column')
  const symbol = fields.name(item, 'symbol')
  return [
    {
      source: tool('pylint'),
      message: fields.text(item, 'message') ?? '',
      rule: symbol ?? fields.name(item, 'message-id') ?? fields.name(item, 'messageId'),
      severity: parseSeverity(words[type] ?? type),
      path: fields.text(item, 'path'),
      line: item['line'],
      endLine: item['endLine'],
      column: column === null ? null : column + 1,
      references:
        symbol === null
          ? []
          : [`https://pylint.readthedocs.io/en/stable/user_guide/messages/${type}/${symbol}.html`],
    },
  ]
}

const format = { title: 'JSON of pylint', hint: 'pylint writes it with -f json2.', read }
const readList = problemDocument({ items: 'take' }, format)
const readDocument = problemDocument({ fields: { messages: { items: 'take' } } }, format)

/** Reads `pylint -f json` and `-f json2`. */
export const pylintReader: ReportReader = {
  recognise: (beginning) =>
    isListWith(beginning, 'symbol', 'message-id') || isObjectWith(beginning, 'messages', 'statistics'),
  read: (source, reading) => (reading.kind === 'list' ? readList : readDocument)(source, reading),
}
