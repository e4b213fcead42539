import type { Hit } from '../hit.ts'
import { isRandomText } from './placeholder.ts'
import { isSecretName } from './secret-name.ts'

const KIND = 'assigned secret'

const quoted = /(?::=|=>|[:=,])\s{0,8}["'`]([^\s"'`]{20,512})["'`]/g
const bare =
  /^[ \t]{0,40}[+-]?[ \t]{0,40}(?:export |set |env |- )?([A-Za-z_][\w.-]{0,80})[ \t]{0,8}[=:][ \t]{0,8}([\w+/=.~!@#%^&*-]{20,512})[ \t]{0,8}\r?$/gm
const parameter = /(?:[?&;]|(?<![\w-])--)([A-Za-z][\w-]{1,40})[= ]([\w.~%+/=-]{20,512})/g

/** Random text given to a name such as `api_key`, `token` or `password`: in code, settings, addresses and commands. */
export function findAssignments(text: string): readonly Hit[] {
  return [...findQuoted(text), ...findNamed(text, bare, 3), ...findNamed(text, parameter, 2)]
}

function findQuoted(text: string): Hit[] {
  const hits: Hit[] = []
  for (const match of text.matchAll(quoted)) {
    const value = match[1] ?? ''
    if (!isRandomText(value)) continue
    const isArgument = match[0].startsWith(',')
    if (isArgument && !/["'`]/.test(text[match.index - 1] ?? '')) continue
    if (!isSecretName(nameBefore(text, match.index))) continue
    const start = match.index + match[0].length - 1 - value.length
    hits.push({ kind: KIND, start, end: start + value.length, value })
  }
  return hits
}

/** A bare word may be the name of a variable, so it needs more digits than text in quotes. */
function findNamed(text: string, pattern: RegExp, minDigits: number): Hit[] {
  const hits: Hit[] = []
  for (const match of text.matchAll(pattern)) {
    const [whole, name = '', value = ''] = match
    if (!isRandomText(value, minDigits) || !isSecretName(name)) continue
    const start = match.index + whole.lastIndexOf(value)
    hits.push({ kind: KIND, start, end: start + value.length, value })
  }
  return hits
}

const typeNames = new Set(['string', 'String', 'str', 'text', 'char', 'var'])

/** The name that ends before the offset, past closing quotes and brackets and a type. */
function nameBefore(text: string, offset: number): string {
  const name = wordBefore(text, offset, /[\s"'`\])?]/)
  return typeNames.has(name.word) ? wordBefore(text, name.start, /[\s:&*?]/).word : name.word
}

function wordBefore(
  text: string,
  offset: number,
  skipped: RegExp,
): { readonly word: string; readonly start: number } {
  const floor = Math.max(0, offset - 100)
  let end = offset
  while (end > floor && skipped.test(text[end - 1] ?? '')) end -= 1
  let start = end
  while (start > floor && /[\w$-]/.test(text[start - 1] ?? '')) start -= 1
  return { word: text.slice(start, end), start }
}
