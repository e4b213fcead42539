import { cameIn } from './texts.ts'

/** A hint of texts that match a pattern and use what a request brings, which all of these rules look for. */
export const usesRequestAnd = (pattern: RegExp): Pick<RegExp, 'test'> => ({
  test: (text) => namesRequest.test(text) && pattern.test(text) && cameIn.test(text),
})

/** What `cameIn` cannot do without, which is found in a tenth of the time. */
const namesRequest = /\.(?:query|body|params?|headers?|cookies|files?|queryString|pathP|get\()/

const callbackBlock =
  /\.(?:filter|some|every|findIndex|map|flatMap|reduce|sort)\s*(?:<[^>()]{0,200}>)?\(\s*(?:[\w$]+|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)(?:\s*:[^=>{}]{0,200})?)\s*=>\s*\{/g

/** Whether some callback with a block may never return. */
export const mayReturnNothing = (text: string): boolean =>
  [...text.matchAll(callbackBlock)].some(({ 0: found, index }) => !surelyLeaves(text, index + found.length))

/** What a text is made of, as far as brackets and ways out need it; a lone slash may begin a pattern, which nothing here can read. */
const token =
  /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\$]|\$(?!\{)|\$\{[^{}`'"/]*\})*`|=>|\??\.\s*[\w$]+|[\w$]+|[^\s\w$'"`/]/y
const isBlank = /^(?:\s|\/[/*])/
const isWayOut = /^(?:return|throw)$/
const isControl = /^(?:if|for|while|switch|catch|await)$/
/** What stands before a bracket that opens a block of the same function. */
const isBeforeBlock = /^(?:[{;]|else|try|finally|do|catch)$/
/** Callbacks are short; the end of a longer one is not looked for. */
const mostLookedThrough = 2_000

/** Whether a line of the block that begins here, as deep as its first line, is a way out; of code that is laid out as usual. */
function leavesInALine(block: string): boolean {
  const depth = /^[ \t]*\r?\n([ \t]+)\S/.exec(block)?.[1]
  if (depth === undefined) return false
  for (const line of block.split('\n').slice(1)) {
    if (!line.startsWith(depth) && line.trim() !== '') return false
    if (/^(?:return|throw)\b/.test(line.slice(depth.length))) return true
  }
  return false
}

/** Whether the block that begins here has a way out of its own; false where a quick look cannot tell. */
function surelyLeaves(text: string, from: number): boolean {
  const block = text.slice(from, from + mostLookedThrough)
  if (leavesInALine(block)) return true
  /** Per open bracket: whether a way out in it is one of this function, and the word before it. */
  const open = [{ isOwn: true, word: '' }]
  let last = '{'
  token.lastIndex = 0
  for (let found = token.exec(block)?.[0]; found !== undefined; found = token.exec(block)?.[0]) {
    if (isBlank.test(found)) continue
    const isOwn = open.at(-1)?.isOwn ?? false
    if (isOwn && isWayOut.test(found)) return true
    if (/^[([{]$/.test(found))
      open.push({ isOwn: isOwn && (found !== '{' || isBeforeBlock.test(last)), word: last })
    const closed = /^[)\]}]$/.test(found) ? open.pop() : undefined
    if (open.length === 0) return false
    // A bracket after `if (…)` and its like opens a block of the same function, as after `do`.
    last = found === ')' && isControl.test(closed?.word ?? '') ? 'do' : found
  }
  return false
}

const searched =
  /indexOf\s*(?:\?\.)?\s*\((?:[^()]*\([^()]*\([^()]*\(|(?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*(\)|&&|\|\||\?(?![.?])|\/))/g
/** A list that is named directly before it, as an operand, an element or an argument of a call. */
const isGiven = /(?:[,+\-=[<>:]|(?<!\b(?:if|while)\s*)(?<=[\w$]\s*)\()\s*[\w$.?]+\.$/

/** Whether the place of something in a list may be a condition: what follows the call, and what stands before it. */
export const mayBeCondition = (text: string): boolean =>
  [...text.matchAll(searched)].some(
    ({ index, 1: after }) => after !== ')' || !isGiven.test(text.slice(Math.max(0, index - 100), index)),
  )

const placeholder =
  /(?<!`)(["'])(?=((?:\\.|(?!\1)[^`\\\n])*))(?=\2\1)(?:\\.|(?!\1)[^`\\\n])*?\$\{([A-Za-z_$][\w$]*)[\w$.]*\}/g

/** Whether a quote that is closed in its line holds a placeholder whose name stands elsewhere, too; quotes in a template do not count. */
export function mayBeMeantAsTemplate(text: string): boolean {
  const names = new Set<string>()
  for (const { 0: found, index, 3: name = '' } of text.matchAll(placeholder)) {
    if (!isInTemplate(text, index, index + found.length)) names.add(name)
    if (names.size > mostNames) return true
  }
  return [...names].some((name) =>
    new RegExp(`(?<!\\$\\{|[\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text),
  )
}

const mostNames = 10
const mostOfALine = 300

/** Whether a template begins in this line before the place, and ends in it after the place. */
function isInTemplate(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - mostOfALine), start)
  const after = text.slice(end, end + mostOfALine)
  if (!before.includes('\n') || !after.includes('\n')) return false
  const isOdd = (part: string): boolean => part.split('`').length % 2 === 0
  return isOdd(before.slice(before.lastIndexOf('\n'))) && isOdd(after.slice(0, after.indexOf('\n')))
}
