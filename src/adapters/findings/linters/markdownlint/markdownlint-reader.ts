import { parseSeverity } from '../../../../model/issue/severity.ts'
import { isListWith, problemDocument, tool } from '../../reading/read-problems.ts'
import { parseLinePlace, readTextProblems } from '../../reading/read-text.ts'
import type { ReportedProblem } from '../../reading/reported-problem.ts'
import type { ReportReader } from '../../reading/report-format.ts'

const readJson = problemDocument(
  { items: 'take' },
  {
    title: 'JSON of markdownlint',
    hint: 'markdownlint writes it with --json.',
    read: (item, { fields }) => {
      const detail = fields.text(item, 'errorDetail')
      const said = fields.text(item, 'ruleDescription') ?? ''
      const page = fields.text(item, 'ruleInformation')
      const [column] = fields.list(item, 'errorRange')
      const [rule] = fields.list(item, 'ruleNames')
      return [
        {
          source: tool('markdownlint'),
          message: detail ? `${said} [${detail}]` : said,
          rule: typeof rule === 'string' ? rule : null,
          severity: parseSeverity(fields.text(item, 'severity') === 'warning' ? 'info' : 'warning'),
          path: fields.text(item, 'fileName'),
          line: item['lineNumber'],
          endLine: null,
          column,
          references: page === null ? [] : [page],
        },
      ]
    },
  },
)

const named = /^(?:(error|warning)\s+)?(MD\d{3})(?:\/[\w/-]+)?\s+(\S.*)$/

/** `README.md:2 error MD001/heading-increment Heading levels …` */
function readLine(line: string): ReportedProblem | null {
  const place = parseLinePlace(line)
  const [, , rule, message = ''] = named.exec(place?.rest ?? '') ?? []
  if (!place || rule === undefined) return null
  return {
    source: tool('markdownlint'),
    message: message.replace(/ \[Context: .*\]$/, ''),
    rule,
    severity: parseSeverity('warning'),
    path: place.path,
    line: place.line,
    endLine: null,
    column: place.column,
  }
}

/** Reads what `markdownlint` prints, with `--json` and without. */
export const markdownlintReader: ReportReader = {
  recognise: (beginning) =>
    isListWith(beginning, 'fileName', 'lineNumber', 'ruleNames') ||
    (beginning.kind === 'text' && beginning.text.split('\n', 20).some((line) => readLine(line) !== null)),
  read: (source, reading) =>
    reading.kind === 'list'
      ? readJson(source, reading)
      : readTextProblems(source, readLine, { reading, form: 'file:line MD000/name message' }),
}
