import { isCloser, isOpener } from './normalize.ts'
import { type Dialect, tokenize } from './tokens.ts'

const maxChars = 200_000
const maxLineChars = 3000
const maxOperators = 24
const maxUnclosedComments = 20
const operatorRun = new RegExp(`(?:[^\\w\\s()[\\]{}'"\`]\\s*){${maxOperators}}`)

/** Whether a text may be given to the parser, which cannot be stopped. */
export const isParseable = (source: string, dialect: Dialect): boolean =>
  source.length <= maxChars && !hasLongLine(source) && !isHostile(source, dialect)

/**
 * Whether a text would stop the parser: on endless comments its time grows with the square, on long runs of operators
 * its memory does worse. No program that people write has these.
 */
export function isHostile(source: string, dialect: Dialect): boolean {
  const unclosed = source.slice(source.lastIndexOf('*/') + 1).split('/*', maxUnclosedComments)
  if (unclosed.length === maxUnclosedComments) return true
  return operatorRun.test(source) && longestRun(source, dialect) >= maxOperators
}

function hasLongLine(source: string): boolean {
  let start = 0
  for (let end = source.indexOf('\n'); end >= 0; end = source.indexOf('\n', start)) {
    if (end - start > maxLineChars) return true
    start = end + 1
  }
  return source.length - start > maxLineChars
}

/** Operators in a row, comments and texts left out. */
function longestRun(source: string, dialect: Dialect): number {
  let [run, longest] = [0, 0]
  for (const token of tokenize(source, dialect)) {
    run = token.kind === 'mark' && !isOpener(token) && !isCloser(token) ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}
