import { parseSeverity } from '../../../../model/issue/severity.ts'
import { tool } from '../../reading/read-problems.ts'
import { parseLinePlace, readTextProblems } from '../../reading/read-text.ts'
import type { ReportedProblem } from '../../reading/reported-problem.ts'
import type { ReportReader } from '../../reading/report-format.ts'

const coded = /^([A-Z]{1,4}\d{2,4})\s+(\S.*)$/

/** `app/a.py:1:1: F401 'os' imported but unused` */
function read(line: string): ReportedProblem | null {
  const place = parseLinePlace(line)
  const [, rule, message = ''] = coded.exec(place?.rest ?? '') ?? []
  if (!place || rule === undefined) return null
  return {
    source: tool('flake8'),
    message,
    rule,
    severity: parseSeverity(/^(?:E9|F[78]2)/.test(rule) ? 'error' : 'warning'),
    path: place.path,
    line: place.line,
    endLine: null,
    column: place.column,
  }
}

/** Reads what `flake8` prints, and other tools in its form. */
export const flake8Reader: ReportReader = {
  recognise: ({ kind, text }) => kind === 'text' && text.split('\n', 20).some((line) => read(line) !== null),
  read: (source, reading) =>
    readTextProblems(source, read, { reading, form: 'file:line:column: CODE message' }),
}
