import { parseSeverity } from '../../../../model/issue/severity.ts'
import { isListWith, problemDocument, tool } from '../../reading/read-problems.ts'
import { parseLevelled, parseLinePlace, readTextProblems } from '../../reading/read-text.ts'
import type { ReportedProblem } from '../../reading/reported-problem.ts'
import type { ReportReader } from '../../reading/report-format.ts'

const readJson = problemDocument(
  { items: 'take' },
  {
    title: 'JSON of GCC',
    hint: 'GCC writes it with -fdiagnostics-format=json.',
    read: (item, { fields }) => {
      const [location] = fields.children(item, 'locations')
      const [caret, finish] = location
        ? [fields.child(location, 'caret'), fields.child(location, 'finish')]
        : [null, null]
      const page = fields.text(item, 'option_url')
      const kind = fields.text(item, 'kind') ?? 'warning'
      const rule = fields.name(item, 'option')
      // A note explains the warning before it.
      if (kind === 'note' && rule === null) return []
      return [
        {
          source: tool('gcc'),
          message: fields.text(item, 'message') ?? '',
          rule,
          severity: parseSeverity(kind.replace('fatal error', 'fatal')),
          path: caret && fields.text(caret, 'file'),
          line: caret?.['line'],
          endLine: finish?.['line'],
          column: caret?.['column'],
          references: page === null ? [] : [page],
        },
      ]
    },
  },
)

/** `src/a.c:7:9: warning: message [-Wname]`; a note without a rule only explains the line before it. */
function readCompilerLine(line: string): ReportedProblem | null {
  const place = parseLinePlace(line)
  const said = place && parseLevelled(place.rest)
  if (!place || !said || (said.level === 'note' && said.rule === null)) return null
  return {
    source: tool('gcc'),
    message: said.message,
    rule: said.rule,
    severity: parseSeverity(said.level.replace('fatal error', 'fatal')),
    // What cppcheck says of no file at all, it says of line 0 of this one.
    path: place.path === 'nofile' && place.line === 0 ? null : place.path,
    line: place.line,
    endLine: place.endLine,
    column: place.column,
  }
}

/** Reads what GCC, Clang and tools in their form print, and GCC's JSON. */
export const gccReader: ReportReader = {
  recognise: (beginning) =>
    isListWith(beginning, 'kind', 'locations', 'message') ||
    (beginning.kind === 'text' &&
      beginning.text.split('\n', 200).some((line) => readCompilerLine(line) !== null)),
  read: (source, reading) =>
    reading.kind === 'text'
      ? readTextProblems(source, (line) => readCompilerLine(line), {
          reading,
          form: 'file:line:column: level: message',
        })
      : readJson(source, reading),
}
