import { StringDecoder } from 'node:string_decoder'
import { findingOf, type ReportedProblem } from './reported-problem.ts'
import type { Reading, ReportEnd } from './report-format.ts'

const maxLineLength = 20_000

interface TextForm {
  readonly reading: Reading
  /** What a line looks like, for messages. */
  readonly form: string
  /** Whether a line goes on with the message of the line before it. */
  readonly isRest?: (line: string) => boolean
}

/** Reads a text line by line: `read` makes a problem of a line, or says with null that it is none. At least one line must be one. */
export async function readTextProblems(
  source: AsyncIterable<Uint8Array>,
  read: (line: string) => ReportedProblem | null,
  { reading, form, isRest = () => false }: TextForm,
): Promise<ReportEnd> {
  const { context } = reading
  let found = 0
  let kept = 0
  let whole = ''
  const endLine = (): void => {
    if (whole.trim() === '') return
    kept += 1
    const problem = read(whole)
    if (problem === null) return
    found += 1
    context.admit()
    context.add(findingOf(problem, context.root))
  }
  await readTextLines(source, (line) => {
    if (whole !== '' && isRest(line)) whole = `${whole} ${line}`.slice(0, maxLineLength)
    else {
      endLine()
      whole = line
    }
  })
  endLine()
  if (found === 0 && kept > 0)
    throw context.fail(`holds no line of the form ${form}`, 'Check that the tool has written its report.')
  return { notFindings: 0, incomplete: [], coverage: null }
}

const terminalStyle = /\u001B\[[0-9;]*[A-Za-z]/g

async function readTextLines(source: AsyncIterable<Uint8Array>, take: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8')
  const give = (line: string) =>
    take(line.replace(/\r$/, '').slice(0, maxLineLength).replaceAll(terminalStyle, ''))
  let rest = ''
  for await (const chunk of source) {
    const lines = (rest + decoder.write(Buffer.from(chunk))).split('\n')
    rest = (lines.pop() ?? '').slice(0, maxLineLength)
    for (const line of lines) give(line)
  }
  give(rest + decoder.end())
}

export interface TextPlace {
  readonly path: string
  readonly line: number
  readonly endLine: number | null
  readonly column: number | null
  readonly rest: string
}

const place =
  /^\s*((?:[A-Za-z]:[\\/])?[^:\s][^:]*):(\d{1,9})(?::(\d{1,9})(?::(\d{1,9}):\d{1,9}|-\d{1,9})?)?:?\s+(\S.*)$/

/** `src/a.c:3:5: rest`, as compilers begin their messages; `3:5:4:1` and `3:5-9` tell where it ends. */
export function parseLinePlace(text: string): TextPlace | null {
  const found = place.exec(text)
  if (!found) return null
  const [, path = '', line, column, endLine, rest = ''] = found
  const numberOf = (digits: string | undefined) => (digits === undefined ? null : Number(digits))
  return { path, line: Number(line), endLine: numberOf(endLine), column: numberOf(column), rest }
}

const severity =
  /^(fatal error|error|warning|note|info|style|remark|performance|portability|information|convention|refactor):\s+(.*)$/i
const trailingRule = /^(.*\S)\s+\[([\w./+,=@:-]{1,100})\]$/

interface LevelledMessage {
  readonly level: string
  readonly message: string
  readonly rule: string | null
}

/** `warning: unused variable [-Wunused]` */
export function parseLevelled(rest: string): LevelledMessage | null {
  const found = severity.exec(rest)
  if (!found) return null
  const [, level = '', said = ''] = found
  const [, message = said, rule = null] = trailingRule.exec(said) ?? []
  return { level: level.toLowerCase(), message, rule }
}
