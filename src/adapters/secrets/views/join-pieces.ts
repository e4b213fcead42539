import { type Fragment, keepRanges, type Range } from './fragment.ts'

// Every alternative begins where the one before cannot end, so that nothing is read in two ways.
const comment = String.raw`(?:\/\*[^*]{0,80}\*\/|(?:\/\/|#)[^\n]{0,120}\n)`
const gap = String.raw`\s{0,40}(?:${comment}\s{0,40})?`
const operator = String.raw`(?:\+|\.{1,2}|&|\|\||<>|\)?\.concat\()`
const quote = '["\'`]'
const inPlace = [
  `${quote}${gap}(?:${operator}${gap})?${quote}`,
  // Template pieces: the way into a literal inside the braces and the way out of it.
  String.raw`\$\{\s{0,8}${quote}`,
  String.raw`${quote}\s{0,8}\}`,
  String.raw`\\\r?\n[ \t]{0,80}`,
  // Characters that nobody sees.
  String.raw`[\0\u00ad\u200b-\u200f\u2060\ufeff]+`,
]
const inLists = [
  `${quote}${gap},${gap}${quote}`,
  // A word that goes on in the next line.
  String.raw`(?<=[\w+/=-])\r?\n[ \t]{0,80}(?=[\w+/=-])`,
]

const concatenation = new RegExp(inPlace.join('|'), 'g')
const listing = new RegExp([...inLists, ...inPlace].join('|'), 'g')

/** Finds whether there is anything to be put together. */
export const jointSource: string = listing.source

/** Literals that are put together right where they stand: with operators, in templates, over several lines. */
export const joinConcatenations = (text: string): readonly Fragment[] => join(text, concatenation)

/** The same with the items of lists, and with lines, put together as well. */
export const joinLists = (text: string): readonly Fragment[] => join(text, listing)

const BEFORE = 120
const AFTER = 512
const MAX_PIECE = 4096

function join(text: string, joint: RegExp): readonly Fragment[] {
  const chains: Range[][] = []
  for (const match of text.matchAll(joint)) {
    const cut = [match.index, match.index + match[0].length] as const
    const last = chains.at(-1)
    if (last !== undefined && cut[0] - (last.at(-1)?.[1] ?? 0) <= MAX_PIECE) last.push(cut)
    else chains.push([cut])
  }
  return chains.map((cuts) => keepRanges(text, rangesAround(cuts, text.length)))
}

function rangesAround(cuts: readonly Range[], length: number): readonly Range[] {
  const kept: Range[] = []
  let from = Math.max(0, (cuts[0]?.[0] ?? 0) - BEFORE)
  for (const [start, end] of cuts) {
    kept.push([from, start])
    from = end
  }
  return [...kept, [from, Math.min(length, from + AFTER)]]
}
