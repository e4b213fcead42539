import { parseSeverity } from '../../../../model/issue/severity.ts'
import { isObjectWith, problemLines, tool } from '../../reading/read-problems.ts'
import { parseLevelled, parseLinePlace, readTextProblems } from '../../reading/read-text.ts'
import type { ReportedProblem } from '../../reading/reported-problem.ts'
import type { ReportReader } from '../../reading/report-format.ts'

const readJson = problemLines({
  title: 'JSON of mypy',
  hint: 'mypy writes it with --output json.',
  read: (item, { fields }) => {
    const severity = fields.text(item, 'severity') ?? 'error'
    const column = fields.integer(item, 'column')
    const rule = fields.name(item, 'code')
    // A note explains the error before it.
    if (severity === 'note' && rule === null) return []
    return [
      {
        source: tool('mypy'),
        message: fields.text(item, 'message') ?? '',
        rule,
        severity: parseSeverity(severity),
        category: 'type_hints',
        path: fields.text(item, 'file'),
        line: item['line'],
        endLine: null,
        column: column === null || column < 0 ? null : column + 1,
        suggestion: fields.text(item, 'hint'),
      },
    ]
  },
})

/** `app/a.py:22: error: message  [code]` */
function readMypyLine(line: string): ReportedProblem | null {
  const place = parseLinePlace(line)
  const said = place && parseLevelled(place.rest)
  if (!place || !said || said.level === 'note') return null
  return {
    source: tool('mypy'),
    message: said.message,
    rule: said.rule,
    severity: parseSeverity(said.level),
    category: 'type_hints',
    path: place.path,
    line: place.line,
    endLine: place.endLine,
    column: place.column,
  }
}

/** `--pretty` folds long messages; the code that it cites is indented. */
const isRest = (line: string): boolean =>
  /^\S/.test(line) && parseLinePlace(line) === null && !/^(?:Found|Success:) /.test(line)

const ownLine = /\.pyi?:\d+(?::\d+){0,3}: (?:error|warning): .*\s\s\[[a-z-]+\]$/m

/** Reads what `mypy` prints, with `--output json` and without. */
export const mypyReader: ReportReader = {
  recognise: (beginning) =>
    isObjectWith(beginning, 'file', 'line', 'hint', 'severity') ||
    (beginning.kind === 'text' && ownLine.test(beginning.text.replaceAll('\r', ''))),
  read: (source, reading) =>
    reading.kind === 'text'
      ? readTextProblems(source, readMypyLine, { reading, form: 'file:line: level: message  [code]', isRest })
      : readJson(source, reading),
}
