import { isOpposite } from './opposite.ts'
import { stem } from './stem.ts'
import { meaningsOf } from './synonyms.ts'

/** Whether two texts speak of the same problem, in whatever order and form they put their words. */

const fillers = new Set(
  (
    'a an the of in on at to for from by with without via and or is are was be been being it its this that these those ' +
    'there here has have had can could may might should would will must does do when where which while as if then than ' +
    'not but so because since also only such any all each both into using use used uses ' +
    'possible possibly potential potentially likely detected found issue problem line lines'
  ).split(' '),
)

/** Words that are said of code everywhere tell little. */
const common = new Set(
  (
    'access actual add after allow already always api apply assert assume avoid before behavior break call cause change check ' +
    'code comment condition consider contain context correct create data default direct does duplicate during empty ensure ' +
    'error even exist expect explicit fail false field file first function get guard handle id implement include inconsistent ' +
    'incorrect instead intend invalid key lead leave like list logic make match mean method miss multiple name need never new ' +
    'no non now null object one parameter pass path prevent property read remove request require result return run same serve ' +
    'set silent start state still store string test them throw time true type update user valid validate value variable were work'
  )
    .split(' ')
    .map(stem),
)
const commonWeight = 0.5
/** A word inside a name counts less than one that stands alone, or one shared name would count like a shared sentence. */
const partWeight = 0.5
/** Chosen on labelled comments of AI reviewers, where it merges right 19 times in 20; short texts must share more than half of their words. */
const threshold = 0.2
const shortThreshold = 0.55
/** The weight that two texts must share to be compared by the lower threshold. */
const telling = 3
/** A sentence has few words to share: it says the same with more than a topic in common, which most problems of one line have. */
const terse = { sum: 11, telling: 2, threshold: 0.16 }
/** What two sentences with one subject must say of it beyond naming it. */
const subjectWeights = { word: 0.5, name: 1 }
const maxWords = 400

/** A title without what changes when only lines move: case, spacing, punctuation and line numbers. */
export const normaliseTitle = (title: string): string =>
  foldWords(title.replaceAll(/\blines? +\d+(?: *(?:-|–|to) *\d+)?/gi, 'line'))

/** A text without case, spacing and punctuation; every word and number stays. */
export const foldWords = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** The text with every run of white space as one space. */
export function foldSpace(text: string): string {
  const trimmed = text.trim()
  return /\s\s|[^\S ]/.test(trimmed) ? trimmed.replaceAll(/\s+/g, ' ') : trimmed
}

interface SaidText {
  readonly title: string
  readonly description: string
}

/** How much of what two texts say is the same, from 0 to 1; 0 where that is too little to be one problem. */
export type Likeness = (a: SaidText, b: SaidText) => number

interface Words {
  readonly weights: ReadonlyMap<string, number>
  readonly sum: number
  /** The first word or name, which mostly says what the text is about. */
  readonly subject: string | undefined
}

/** Compares texts by the words that they share, weighted by how much a word tells. Remembers the words of each text for as long as it lives. */
export function createLikeness(): Likeness {
  const known = new Map<string, Words>()
  const wordsOf = (text: string): Words => {
    const words = known.get(text) ?? weigh(text)
    known.set(text, words)
    return words
  }
  return (a, b) => {
    if (a.title === b.title && a.description === b.description) return 1
    const ofTitles = compare(wordsOf(a.title), wordsOf(b.title))
    const [whole, other] = [wholeText(a), wholeText(b)]
    const ofWhole = compareWhole(wordsOf(whole), wordsOf(other))
    const share = Math.max(
      ofTitles >= shortThreshold ? ofTitles : 0,
      ofWhole.isSure || (ofWhole.isLikely && !isAboutOther(whole, other)) ? ofWhole.share : 0,
    )
    return share > 0 && isOpposite(whole, other) ? 0 : share
  }
}

const wholeText = ({ title, description }: SaidText): string =>
  description.startsWith(title.replace(/…$/, '')) ? description : `${title}\n${description}`

interface Comparison {
  readonly share: number
  readonly isSure: boolean
  /** Enough for a text of one sentence that names nothing else. */
  readonly isLikely: boolean
}

function compareWhole(a: Words, b: Words): Comparison {
  const shared = sharedWeight(a, b)
  const share = shareOf(shared, a, b)
  const said =
    shared -
    (a.subject !== undefined && a.subject === b.subject
      ? subjectWeights[a.subject.startsWith('#') ? 'name' : 'word']
      : 0)
  return {
    share,
    isSure: share >= (shared >= telling ? threshold : shortThreshold),
    isLikely: share >= terse.threshold && said >= terse.telling && Math.min(a.sum, b.sum) < terse.sum,
  }
}

const compare = (a: Words, b: Words): number => shareOf(sharedWeight(a, b), a, b)

const shareOf = (shared: number, a: Words, b: Words): number =>
  shared === 0 ? 0 : shared / (a.sum + b.sum - shared)

function sharedWeight(a: Words, b: Words): number {
  const [few, many] = a.weights.size < b.weights.size ? [a, b] : [b, a]
  let shared = 0
  for (const [word, weight] of few.weights) shared += Math.min(weight, many.weights.get(word) ?? 0)
  return shared + ownMeanings(few, many).intersection(ownMeanings(many, few)).size
}

/** The meanings of the words that only the first text has: two words for one thing count like one that both share. */
function ownMeanings(own: Words, other: Words): ReadonlySet<number> {
  const meanings = new Set<number>()
  for (const word of own.weights.keys())
    if (!other.weights.has(word)) for (const meaning of meaningsOf(word)) meanings.add(meaning)
  return meanings
}

const word = /[\p{L}_$][\p{L}\p{N}_$]*|\p{N}+/gu
const isIdentifier = /_|\p{Ll}\p{Lu}|\d/u
const isNumber = /^\p{N}+$/u
const identifierPart = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+/gu

function weigh(text: string): Words {
  const weights = new Map<string, number>()
  const plain: string[] = []
  let subject: string | undefined
  const add = (stemmed: string, factor: number) => {
    const weight = factor * (common.has(stemmed) ? commonWeight : 1)
    if (weight > (weights.get(stemmed) ?? 0)) weights.set(stemmed, weight)
  }
  for (const [found] of text.slice(0, 8_000).matchAll(word)) {
    if (weights.size >= maxWords) break
    const lower = found.toLowerCase()
    if (isIdentifier.test(found)) {
      subject ??= `#${lower}`
      add(`#${lower}`, isNumber.test(found) ? commonWeight : 1)
      for (const [part] of found.matchAll(identifierPart))
        if (isTelling(part)) add(stem(part.toLowerCase()), partWeight)
    } else if (fillers.has(lower)) plain.push(lower)
    else {
      const stemmed = stem(lower)
      subject ??= stemmed
      add(stemmed, 1)
    }
  }
  if (weights.size === 0) for (const filler of plain) add(filler, 1)
  return { weights, sum: weights.values().reduce((sum, weight) => sum + weight, 0), subject }
}

const isTelling = (part: string): boolean => part.length > 1 && !fillers.has(part.toLowerCase())

/** The names in a message: words in quotes, and words that are spelled like names in code. */
function namesIn(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [, quoted] of text.matchAll(/[`'"‘“]([^`'"‘’“”\n]{1,80})[`'"’”]/g))
    names.add((quoted ?? '').trim())
  for (const [found] of text.matchAll(word))
    if (isIdentifier.test(found) && !/^\d+$/.test(found)) names.add(found)
  names.delete('')
  return names
}

/** Whether both texts name something, and nothing that the other names: two problems of one kind. */
export function isAboutOther(a: string, b: string): boolean {
  if (a === b) return false
  const [names, others] = [namesIn(a), namesIn(b)]
  return names.size > 0 && others.size > 0 && !names.values().some((name) => others.has(name))
}
