import type { LinterPlace } from './linter-rule.ts'

/** How much of the code before a place is looked at. */
const lookBack = 2_000

const codeBefore = ({ text, start }: LinterPlace): string => text.slice(Math.max(0, start - lookBack), start)
const codeAt = ({ text, start, end }: LinterPlace): string => text.slice(start, end)

/** An executor that is one try with its catch handles its errors itself. */
export const mayHang = ({ text, start }: LinterPlace): boolean =>
  !/^async\b[^{}]*(?:\{[^{}]*\}[^{}]*)?\{\s*(?:\/\/.*\s*)*try\s*\{/.test(text.slice(start, start + 400))

/** Whether a block that begins in this code is still open at its end. */
const isOpen = (code: string): boolean => code.split('{').length > code.split('}').length

/** Whether code throws into a try of its own, whose catch looks at the error. */
export function throwsIntoTry(code: string): boolean {
  return [...code.matchAll(/\btry\s*(?=\{)/g)].some(({ index }) => isOpen(code.slice(index)))
}

/** Another rule has a wrong `typeof`, and a constructor in a try is called to see whether it throws. */
export const isMistaken = (place: LinterPlace): boolean =>
  !/^typeof\b/.test(codeAt(place)) &&
  !(/^new\b.*[!=]==?\s*null$/s.test(codeAt(place)) && /\btry\s*\{\s*(?:return\s*)?$/.test(codeBefore(place)))

/** Digits of a fraction that no number can hold change nothing; those of a whole number do, where it is not all nines. */
export const isWholeNumber = (place: LinterPlace): boolean => !/\.|^9+$/.test(codeAt(place))

/** What the condition before it asks for is there, as is what has a default. */
export function isUnasked(place: LinterPlace): boolean {
  const chain = codeAt(place)
  const isDefaulted = /\|\|\s*(?:\[\]|\{\})\s*\)\s*\?\./.test(chain)
  const before = codeBefore(place).slice(-600)
  return !isDefaulted && !before.replaceAll('?.', '.').includes(chain.replaceAll('?.', '.'))
}

/** A second settlement that computes nothing, right after the first one, changes nothing. */
export function doesMore(place: LinterPlace): boolean {
  const call = /^[\w$.]+\(\s*(?:[\w$]+|'[^']*')?\s*\)$/
  const settledBefore = /\b[\w$]*(?:resolve|reject)\w*\((?:[^();]|\([^();]*\))*\)[\s;}]*$/i
  // What ends a try by settling with what is there already does not throw, so its catch has nothing settled.
  const atEndOfTry =
    /\b[\w$]*(?:resolve|reject)\w*\([^()]*\)[;\s]*\}\s*catch\b[^{}]*\{(?:[^{}]|\{[^{}]*\})*$/i
  if (atEndOfTry.test(codeBefore(place))) return false
  const since = codeBefore(place).replace(/(?:\belse\s*)?(?:\bif\s*\([\w$!.\s]*\)\s*)?\{?\s*$/, '')
  return !(call.test(codeAt(place)) && settledBefore.test(since))
}

/** A hook at the top of a module would throw at once, and a function that returns elements is a component under any name. */
export const breaksOrder = (place: LinterPlace): boolean =>
  !place.message.includes('at the top level') &&
  // Others have hooks of that name, too.
  (!place.message.includes('useEffectEvent') ||
    /\bimport\b[^;]*\buseEffectEvent\b[^;]*['"]react['"]/.test(place.text)) &&
  // A context is read the same way whenever it is read.
  !/"use\w*Context" is called conditionally/.test(place.message) &&
  // What is named so is called like a function, by a list of renderers.
  !/in function "render\w*" that is neither/.test(place.message) &&
  !(place.message.includes('neither') && /(?:\breturn|=>)\s*\(?\s*<[\w>]/.test(codeAt(place)))

/** Neither not-a-number nor undefined is less or more than something, but both are different from it. */
export const saysTheSame = (place: LinterPlace): boolean => codeAt(place).includes('==')

/**
 * A mark or a comment tells the compiler what the value is, a page goes to its own address, and what has an accessor may
 * do anything.
 */
export function assignsNothing(place: LinterPlace): boolean {
  const assigned = codeAt(place)
  const name = /[\w$]+$/.exec(assigned)?.[0].replaceAll('$', '\\$') ?? ''
  const accessor = new RegExp(
    `\\b[gs]et\\s+${name}\\s*\\(|\\b${name}['"]?\\s*[,:]\\s*\\{\\s*(?:\\w+:[^{}]*,\\s*)*[gs]et\\b|['"]${name}['"]\\s*,\\s*\\{[^{}]*\\b[gs]et\\b`,
  )
  const isCast = /=\s*\/\*\*\s*@type\b/.test(
    place.text.slice(place.text.lastIndexOf('\n', place.start) + 1, place.end),
  )
  return !isCast && !/!\.|\blocation(?:\.h(?:ash|ref))?$/.test(assigned) && !accessor.test(place.text)
}

/** ESLint tells of it at the try, where its comments stand; another comment says why the error is only thrown again. */
export const isNotSilencedAtTry = (place: LinterPlace): boolean =>
  !/(?:\/\/[^\n]*|\*\/)\s*$/.test(codeBefore(place)) &&
  !/\b(?:eslint|oxlint)-disable-next-line\b[^\n]*\bno-useless-catch\b[^\n]*\n\s*try\b(?:(?!\bcatch\b)[^])*\bcatch\b[^{}]*\{[^{}]*$/.test(
    codeBefore(place),
  )

/** The first statement that is never run stands for those after it; a break after a return is a habit, and harmless. */
export function isFirstUnreached(place: LinterPlace): boolean {
  // A throw at the end says that nobody comes here.
  if (/^(?:break|throw)\b/.test(codeAt(place))) return false
  if (/\b(?:eslint|oxlint)-disable[^\n]*\bno-unreachable\b/.test(codeBefore(place).slice(-1_000)))
    return false
  const before = codeBefore(place)
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    .trimEnd()
  // Who throws this has left the rest for later.
  if (/\bthrow\s+new\s+\w+\(\s*(['"`])(?:(?!\1).)*(?:not (?:yet )?implemented|todo)[^\n]*$/i.test(before))
    return false
  const jump = [...before.matchAll(/\b(?:return|throw|break|continue)\b/g)].at(-1)
  if (jump === undefined || before.endsWith('}')) return true
  let statement = before.slice(jump.index).replace(/;$/, '')
  for (let depth = 0; depth < mostNested; depth += 1)
    statement = statement.replace(/\([^()]*\)|\[[^[\]]*\]|\{[^{}]*\}/g, '')
  return !/;|[\w$'"`]\s*\n\s*[\w$]/.test(statement)
}

const mostNested = 8

/** What stands behind other statements of an accessor may run only when the value is there. */
export const callsItself = ({ text, start }: LinterPlace): boolean =>
  /^\s*(?:return\b|[gs]et\b|this\.\w+\s*=[^=])/.test(text.slice(text.lastIndexOf('\n', start - 1) + 1))

/** Where the code around it speaks of the debugger, the program is there to stop. */
export const isLeftOver = ({ path, text, start, end }: LinterPlace): boolean =>
  !/debug/i.test(path) &&
  !/debugger/i.test(text.slice(Math.max(0, start - 400), start) + text.slice(end, end + 200))
