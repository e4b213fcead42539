import type { Hit } from './hit.ts'
import { isPlaceholder, isRandomText } from './placeholder.ts'

const KIND = 'assigned secret'

// In JSON the quotes of quoted code have a backslash before them.
const quoted = /(?::=|=>|[:=,])\s{0,8}\\{0,3}["'`]([^\s"'`]{20,512})["'`]/g
const bare =
  /^[ \t]{0,40}[+-]?[ \t]{0,40}(?:export |set |env |- )?([A-Za-z_][\w.-]{0,80})[ \t]{0,8}[=:][ \t]{0,8}([\w+/=.~!@#%^&*-]{20,512})[ \t]{0,8}\r?$/gm
const parameter = /(?:[?&;]|(?<![\w-])--)([A-Za-z][\w-]{1,40})[= ]([\w.~%+/=-]{20,512})/g

/** Part of every name that `isSecretName` and `isPasswordName` take for one. */
export const anyName = /pass|pwd|secret|token|key|auth|credential/i

/** Random text given to a name such as `api_key`, `token` or `password`: in code, settings, addresses and commands. */
export function findAssignments(text: string): readonly Hit[] {
  if (!anyName.test(text)) return []
  return [...findQuoted(text), ...findNamed(text, bare, 3), ...findNamed(text, parameter, 2)]
}

function findQuoted(text: string): Hit[] {
  const hits: Hit[] = []
  for (const match of text.matchAll(quoted)) {
    const value = (match[1] ?? '').replace(/\\+$/, '')
    if (!isRandomText(value)) continue
    const isArgument = match[0].startsWith(',')
    if (isArgument && !/["'`]/.test(text[match.index - 1] ?? '')) continue
    if (!isSecretName(nameBefore(text, match.index))) continue
    const start = match.index + match[0].indexOf(value)
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
  const name = wordBefore(text, offset, /[\s"'`\\\])?]/)
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

const shortQuoted = /(?::=|=>|[:=])\s{0,8}\\{0,3}["'`]([^\s"'`\\]{8,128})\\{0,3}["'`]/g
const shortBare = /(?<![\w-])(?:--)?([A-Za-z_][\w-]{1,60})=([^\s"'`\\;&|$()<>]{8,128})/g

/**
 * Passwords that a person chose, given to a name that says so. Only redaction looks for these: a patch may hold such
 * text for good reasons, what is shown may not.
 */
export function findPasswords(text: string): readonly Hit[] {
  if (!/pass|pwd/i.test(text)) return []
  const hits: Hit[] = []
  for (const match of text.matchAll(shortQuoted)) {
    const value = match[1] ?? ''
    if (!isChosenPassword(value) || !isPasswordName(nameBefore(text, match.index))) continue
    const start = match.index + match[0].indexOf(value)
    hits.push({ kind: 'password', start, end: start + value.length, value })
  }
  for (const match of text.matchAll(shortBare)) {
    const [whole, name = '', value = ''] = match
    // `password=other1` may be a variable in code; options and names in capitals belong to command lines.
    if (!/^--|^[A-Z\d_]+=/.test(whole) || !isChosenPassword(value) || !isPasswordName(name)) continue
    const end = match.index + whole.length
    hits.push({ kind: 'password', start: end - value.length, end, value })
  }
  return hits
}

/** A digit or a mark among the letters: words alone are labels, names of fields and messages. */
const isChosenPassword = (value: string): boolean =>
  /\d|[^\w.:/-]/.test(value) &&
  !/:\/\/|^\.{0,2}\//.test(value) &&
  !isPlaceholder(value) &&
  !isSecretName(value)

const isPasswordName = (name: string): boolean => isSecretName(name) && /pass|pwd/i.test(name)

const secretWords = new Set(
  'apikey auth credential credentials passphrase passwd password pwd secret token accesskey authtoken secretkey'.split(
    ' ',
  ),
)
const keyOwners = new Set(
  'access account api app auth client deploy encryption license master private secret service session sign signing'.split(
    ' ',
  ),
)
const stages = new Set('base dev development live local prod production stage staging test'.split(' '))

/** True for names that end in what must stay secret: `apiKey`, `DB_PASSWORD_PROD`; not `tokenCount`, `password_hash`. */
export function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
  while (words.length > 1 && stages.has(words.at(-1) ?? '')) words.pop()
  const last = words.at(-1) ?? ''
  return secretWords.has(last) || (last === 'key' && keyOwners.has(words.at(-2) ?? ''))
}
