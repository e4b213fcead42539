/** Whether two titles speak of the same problem, in whatever order and form they put their words. */

const threshold = 0.5
const fillers = new Set(
  (
    'a an the of in on at to for from by with without via and or is are was be been being it its this that these those ' +
    'there here has have had can could may might should would will must does do when where which while as if then than ' +
    'possible possibly potential potentially likely detected found issue problem line lines'
  ).split(' '),
)
const maxWords = 40

/** A title without what changes when only lines move: case, spacing, punctuation and line numbers. */
export const normaliseTitle = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/\blines? +\d+(?: *(?:-|–|to) *\d+)?/g, 'line')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Compares titles by the words they share; remembers each title's words for as long as it lives. */
export function createTitleComparison(): (a: string, b: string) => boolean {
  const known = new Map<string, ReadonlySet<string>>()
  const wordsOf = (title: string): ReadonlySet<string> => {
    const words = known.get(title) ?? stems(title)
    known.set(title, words)
    return words
  }
  return (a, b) => a === b || isAlike(wordsOf(a), wordsOf(b))
}

function stems(title: string): ReadonlySet<string> {
  const words = normaliseTitle(title).split(' ').slice(0, maxWords)
  const telling = words.filter((word) => word !== '' && !fillers.has(word))
  return new Set((telling.length > 0 ? telling : words).map(stem))
}

/** Cuts the commonest English endings; other scripts stay as they are. */
const stem = (word: string): string =>
  word.length < 5 ? word.replace(/s$/, '') : word.replace(/(?:ations?|ions?|ings?|ers?|ed|es|e|s|ly)$/, '')

function isAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  let shared = 0
  for (const word of a) if (b.has(word)) shared += 1
  return shared > 0 && shared / (a.size + b.size - shared) >= threshold
}
