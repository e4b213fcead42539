import { StringDecoder } from 'node:string_decoder'
import { findingOf, type ReportedProblem } from './reported-problem.ts'
import type { Reading, ReportEnd } from './report-format.ts'

const maxLineLength = 20_000

/** Reads a text line by line: `read` makes a problem of a line, or says with null that it is none. At least one line must be one. */
export async function readTextProblems(
  source: AsyncIterable<Uint8Array>,
  read: (line: string) => ReportedProblem | null,
  { reading, form }: { readonly reading: Reading; readonly form: string },
): Promise<ReportEnd> {
  const { context } = reading
  let found = 0
  let kept = 0
  await readTextLines(source, (line) => {
    if (line.trim() === '') return
    kept += 1
    const problem = read(line)
    if (problem === null) return
    found += 1
    context.admit()
    context.add(findingOf(problem, context.root))
  })
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

interface TextPlace {
  readonly path: string
  readonly line: number
  readonly column: number | null
  readonly rest: string
}

const place = /^\s*((?:[A-Za-z]:[\\/])?[^:\s][^:]*):(\d{1,9})(?::(\d{1,9}))?:?\s+(\S.*)$/

/** `src/a.c:3:5: rest`, as compilers begin their messages. */
export function parseLinePlace(text: string): TextPlace | null {
  const found = place.exec(text)
  if (!found) return null
  const [, path = '', line, column, rest = ''] = found
  return { path, line: Number(line), column: column === undefined ? null : Number(column), rest }
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
