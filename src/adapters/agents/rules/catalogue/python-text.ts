import type { Edit } from '../engine/rule.ts'
import { namesSecret } from '../engine/secret-names.ts'
import type { LinterPlace } from './linter-rule.ts'

/** Python is read by Ruff; what narrows its findings looks at lines and their indentation. */
interface Line {
  readonly start: number
  readonly indent: number
  readonly text: string
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = []
  let start = 0
  for (const line of text.split('\n')) {
    lines.push({ start, indent: line.length - line.trimStart().length, text: line })
    start += line.length + 1
  }
  return lines
}

const indexAt = (lines: readonly Line[], offset: number): number =>
  lines.findLastIndex(({ start }) => start <= offset)

/** The nearest line above that the line of this offset is nested in and that reads like this. */
export function headAbove(text: string, offset: number, head: RegExp): Line | null {
  const lines = linesOf(text)
  const at = indexAt(lines, offset)
  let indent = lines[at]?.indent ?? 0
  for (let index = at - 1; index >= 0; index -= 1) {
    const line = lines[index]
    if (!line || line.text.trim() === '' || line.indent >= indent) continue
    if (head.test(line.text)) return line
    indent = line.indent
  }
  return null
}

/** A line and everything that is nested in it. */
function blockFrom(text: string, offset: number): string {
  const lines = linesOf(text)
  const at = indexAt(lines, offset)
  const head = lines[at]
  if (!head) return ''
  const rest = lines.slice(at + 1)
  const isOver = ({ text: line, indent }: Line): boolean =>
    line.trim() !== '' && indent <= head.indent && !/^\s*[)\]}]/.test(line)
  const end = rest.findIndex(isOver)
  return [head, ...rest.slice(0, end === -1 ? undefined : end)].map((line) => line.text).join('\n')
}

/** Code that Python 2 must still read takes none of what Python 3 brought. */
export const isForPython2 = (text: string): boolean =>
  /^from __future__ import .*\b(?:unicode_literals|print_function|absolute_import|division)\b|^#!.*\bpython2|^\s*(?:import|from) urllib2\b|^\s*from [\w.]*\bsix\b/m.test(
    text,
  )

/** The name under which the except clause around a raise holds its exception. */
function caughtName({ text, start }: LinterPlace): string | null {
  const head = headAbove(text, start, /^\s*(?:async\s+)?(?:except\b|def\b|class\b)/)
  const name = head ? /^\s*except\b.*\bas\s+(\w+)\s*:/.exec(head.text)?.[1] : undefined
  return name === undefined || name.startsWith('_') ? null : name
}

/**
 * Whether the text of a new exception speaks of the caught one. Where it says nothing of it, the caught one was expected,
 * and where it is given all of it, nothing is lost; what a web server raises is an answer.
 */
function reportsName(statement: string, name: string): boolean {
  const raised = /^raise\s+([\w.]+)\s*\(/.exec(statement)
  if (!raised || isAnswer(statement)) return false
  const given = new RegExp(
    `^(?:\\w+=)?(?:(?:str|repr)\\(|\\*)?${name}(?:\\.(?:message|msg|args(?:\\[0\\])?))?\\)?$`,
  )
  const spoken = new RegExp(`(?<![\\w.])${name}(?!\\w)(?!\\.(?!args|message|msg|strerror|reason)\\w)`)
  const isGiven = argumentsIn(statement.slice(raised[0].length)).some((each) => given.test(each))
  return spoken.test(statement) && !isGiven
}

/** Whether what is raised goes to whoever asked, with what they may know. */
const isAnswer = (statement: string): boolean =>
  /^raise\s+[\w.]*(?:HTTP|Http|API|Request|Response|NotFound|Retry\b|\.retry\b)/.test(statement)

/** Whether the caught exception got a name that nothing uses, and a new one is raised at once. */
function isForgotten({ text, start, end }: LinterPlace, name: string): boolean {
  const head = headAbove(text, start, /^\s*except\b/)
  const handler = text.slice((head?.start ?? 0) + (head?.text.length ?? 0), end)
  return (
    /^\s*raise\b/.test(handler) &&
    !isAnswer(text.slice(start, end)) &&
    !new RegExp(`\\b${name}\\b`).test(handler)
  )
}

/** The arguments of a call, from behind its bracket on. */
function argumentsIn(text: string): readonly string[] {
  const given = ['']
  let depth = 0
  for (const [sign] of text.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|[^]/g)) {
    if (/^[([{]$/.test(sign)) depth += 1
    if (/^[)\]}]$/.test(sign)) depth -= 1
    if (depth < 0) break
    if (sign === ',' && depth === 0) given.push('')
    else given.push((given.pop() ?? '') + sign)
  }
  return given.map((each) => each.trim())
}

/** Where a new exception hides the one that was caught under a name. */
export function losesCause(place: LinterPlace): boolean {
  const name = caughtName(place)
  if (name === null || isForPython2(place.text)) return false
  const statement = place.text.slice(place.start, place.end)
  const condition = headAbove(place.text, place.start, /^\s*(?:if|elif|else|except)\b/)?.text ?? ''
  // Where the kind of the caught exception is asked for, the new one says as much as it did.
  if (new RegExp(`^\\s*(?:if|elif)\\b.*\\b${name}\\b`).test(condition)) return false
  const raised = /^raise\s+([\w.]+)/.exec(statement)?.[1] ?? ''
  return (
    !/\.with_traceback\(|\bcause=|WithoutTraceback\(/.test(statement) &&
    (reportsName(statement, name) || isForgotten(place, name)) &&
    !raised.startsWith(`${name}.`) &&
    raised !== name &&
    !/(?:^|\.)(?:SystemExit|GreenletExit|Stop(?:Async)?Iteration|Exit|Abort|ClickException|UsageError|ArgumentTypeError|BadParameter|CLIError|CommandError|ValidationError)$/.test(
      raised,
    )
  )
}

export const nameCause = (place: LinterPlace): readonly Edit[] => [
  { start: place.end, end: place.end, text: ` from ${caughtName(place) ?? 'None'}` },
]

/** A handler that says why, raises again, tells of all it caught, stands in for an import, or runs while an object is taken down, may catch everything. */
export function catchesForGood({ text, start }: LinterPlace): boolean {
  const inDelete = /\bdef __del__\b/.test(headAbove(text, start, /^\s*(?:async\s+)?def\b/)?.text ?? '')
  const handler = blockFrom(text, start)
  const isTold =
    /^\s*raise\b|exc_info\(\)|set_exception\(|\.exception\(|\bexc_info=|_exc\(|capture_exception\(/m
  // A remark at its top says why it catches everything.
  const isExplained = /^[^\n]*\n\s*#/.test(handler)
  return !inDelete && !isExplained && !isTold.test(handler) && !guardsImport(text, start)
}

/** Whether the try of this handler begins with an import. */
function guardsImport(text: string, start: number): boolean {
  const lines = linesOf(text)
  const at = indexAt(lines, start)
  const indent = lines[at]?.indent ?? 0
  const isTry = (line: Line): boolean => line.indent === indent && /^\s*try\s*:/.test(line.text)
  const first = lines
    .slice(lines.slice(0, at).findLastIndex(isTry) + 1, at)
    .find((line) => !/^\s*(?:#|$)/.test(line.text))
  return /^\s*(?:import|from)\s/.test(first?.text ?? '')
}

export const catchException = ({ start }: LinterPlace): readonly Edit[] => {
  const end = start + 'except'.length
  return [{ start: end, end, text: ' Exception' }]
}

/** Nothing can be taken out of what is empty. */
const changes = 'append|extend|insert|add|update|setdefault|appendleft'

/** True where the function changes its mutable default, so that the next call sees it. */
export function changesDefault({ text, start }: LinterPlace): boolean {
  const before = text.slice(0, start)
  const name = /(\w+)\s*(?::[^=()]*)?=\s*$/.exec(before)?.[1]
  const head = linesOf(before).findLast((line) => /^\s*(?:async\s+)?def\b/.test(line.text))
  if (name === undefined || !head || /^_|cache|memo/i.test(name)) return false
  const body = blockFrom(text, head.start).slice(start - head.start)
  const isRebound = new RegExp(`(?<![\\w.])${name} = `).test(body)
  const changed = new RegExp(
    `(?<![\\w.])${name}(?:\\.(?:${changes})\\(|\\[(?:[^[\\]]|\\[[^[\\]]*\\])*\\] *(?:[-+*/|&]|//)?=(?!=)| *(?:\\+|\\|)=)|\\bdel ${name}\\[`,
  )
  return !isRebound && changed.test(body)
}

/** True where the value goes into something named like a secret, or the function around it makes one. */
export function makesSecret({ text, start }: LinterPlace): boolean {
  // A secret that exists already is not made here.
  const among = /^[\w.]*choice\(\s*([\w.]+)/.exec(text.slice(start))?.[1] ?? ''
  if (namesSecret(among.split('.').at(-1) ?? '')) return false
  const lines = linesOf(text)
  const line = lines[indexAt(lines, start)]
  const before = text.slice(line?.start ?? 0, start)
  const targets = [...before.matchAll(/([\w.]+)\s*(?::[^=]*)?=(?!=)/g)].map(([, name]) => name ?? '')
  const around = headAbove(text, start, /^\s*(?:async\s+)?def\b/)
  const made = /\bdef\s+(\w+)/.exec(around?.text ?? '')?.[1] ?? ''
  return [...targets, made].some((name) => namesSecret(name.split('.').at(-1) ?? ''))
}

export function useSystemRandom({ text, start }: LinterPlace): readonly Edit[] | null {
  const end = start + 'random'.length
  return text.startsWith('random.', start) ? [{ start, end, text: 'random.SystemRandom()' }] : null
}

/** What comes in with a request: the one who sends it chooses the value. */
const source =
  /\b(?:flask\.)?request\.(?:args|form|values|json|data|GET|POST|FILES|COOKIES|cookies|headers|query_params|path_params|match_info|query|params)\b|\bself\.get_(?:query_)?argument\(|\brequest\.get_json\(/

/** True where a statement holds what a request brings: there, or by a variable that the function sets from one. */
export function takesRequest({ text, start, end }: LinterPlace): boolean {
  const statement = statementAt(text, start, end)
  if (/escape|quote|sanitiz/i.test(text.slice(start, end + 400))) return false
  if (source.test(statement)) return true
  const head = headAbove(text, start, /^\s*(?:async\s+)?def\b/)
  if (!head) return false
  const body = blockFrom(text, head.start)
  const names = [...body.matchAll(/^\s*(\w+)\s*(?::[^=]+)?=(?!=)\s*(.*)$/gm)]
    .filter(([, , given = '']) => source.test(given) && !/^(?:int|float|bool|len)\(/.test(given))
    .map(([, name = '']) => name)
  const written = [...statement.matchAll(/\{\s*(\w+)|[%+]\s*\(?\s*(\w+)|\.format\(\s*(\w+)/g)].flatMap(
    ([, a, b, c]) => a ?? b ?? c ?? [],
  )
  return written.some((name) => names.includes(name))
}

/** From the place to the end of what is open there. */
function statementAt(text: string, start: number, end: number): string {
  const close = text.indexOf('\n', end)
  return text.slice(start, close === -1 ? undefined : close)
}
