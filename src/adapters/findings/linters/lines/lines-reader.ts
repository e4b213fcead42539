import { parseSeverity } from '../../../../model/issue/severity.ts'
import { tool } from '../../reading/read-problems.ts'
import { parseLinePlace, readTextProblems, type TextPlace } from '../../reading/read-text.ts'
import type { ReportedProblem } from '../../reading/reported-problem.ts'
import type { ReportReader } from '../../reading/report-format.ts'
import { readWording } from './wording.ts'

const form = 'file:line: message, or file(line,column): message'

/** `src/a.ts(3,9): error TS2322: …`, as TypeScript and Visual Studio write. */
const inBrackets = /^\s*([^()\s][^()]*)\((\d{1,9})(?:,(\d{1,9})(?:,(\d{1,9}),\d{1,9})?)?\):\s+(\S.*)$/
/** `src/a.css: line 3, col 9, error - …`, as formatters called `compact` write. */
const inWords = /^\s*(\S.*?): line (\d{1,9})(?:, col (\d{1,9})())?,? +(\S.*)$/

function placeIn(line: string): TextPlace | null {
  const found = inWords.exec(line) ?? inBrackets.exec(line)
  if (!found) return parseLinePlace(line)
  const [, path = '', at, column, endLine, rest = ''] = found
  const numberOf = (digits: string | undefined) => (digits ? Number(digits) : null)
  return { path, line: Number(at), column: numberOf(column), endLine: numberOf(endLine), rest }
}

/** Times and addresses of a log have colons and numbers too. */
const isPath = (path: string): boolean =>
  path.length <= 400 && !/["<>|*?]/.test(path) && /[/\\]|\.[A-Za-z]\w{0,9}$/.test(path)

const levelBefore = /^\[?(error|warning|warn|info)\]?:?\s+(?=\S+:\d)/i

function createRead(sourceName: string): (line: string) => ReportedProblem | null {
  return (line) => {
    const level = levelBefore.exec(line)
    const place = placeIn(level ? line.slice(level[0].length) : line)
    if (!place || !isPath(place.path)) return null
    const said = readWording(place.rest)
    // A note explains the line before it.
    if (said.level === 'note' && said.rule === null) return null
    const isCompiler = /^TS\d+$/.test(said.rule ?? '')
    return {
      source: tool(isCompiler ? 'tsc' : sourceName),
      message: said.message,
      rule: said.rule,
      severity: parseSeverity(said.level ?? level?.[1]),
      path: place.path,
      line: place.line,
      endLine: place.endLine,
      column: place.column,
    }
  }
}

/** Behind a colon at the end, the message stands on lines of its own; a sentence before the place is no path. */
const isPlain = (line: string): boolean =>
  !/:\s*$/.test(line) && /^(?:\S+|\S*[/\\].*)$/.test(placeIn(line.replace(levelBefore, ''))?.path ?? '')

/** Most lines that begin at the margin must tell a place: a log may hold a few by chance. */
function isReport(text: string): boolean {
  const read = createRead('report')
  const lines = text.split('\n', 200).filter((line) => /^\S/.test(line))
  const told = lines.filter((line) => read(line) !== null && isPlain(line)).length
  return told > 0 && told * 2 >= lines.length
}

/** Reads one finding per line, as most linters print for a terminal. */
export const linesReader: ReportReader = {
  recognise: ({ kind, text }) => kind === 'text' && isReport(text),
  read: (source, reading) =>
    readTextProblems(source, createRead(reading.context.sourceName), { reading, form }),
}
