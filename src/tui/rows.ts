import stringWidth from 'string-width'
import { printable } from '../client/printable.ts'
import { NewestMap } from '../model/newest-map.ts'

export type Tone = 'plain' | 'dim' | 'good' | 'bad' | 'warn' | 'accent' | 'strong' | 'chosen'

export interface StyledText {
  readonly text: string
  readonly tone: Tone
}

/** One line of the screen. Its text is safe for a terminal however it came about: spans are only made by `span`. */
export type ScreenRow = readonly StyledText[]

/** Text that may come from anyone: control sequences go, tabs and line ends become spaces. */
export const span = (text: string, tone: Tone = 'plain'): StyledText => ({
  text: printable(text).replaceAll(/[\t\n]/g, '  '),
  tone,
})

export const row = (text: string, tone: Tone = 'plain'): ScreenRow => [span(text, tone)]

const isAscii = (text: string): boolean => /^[\u0020-\u007E]*$/.test(text)

const segmenter = new Intl.Segmenter()
const mostKnown = 10_000
const knownWidths = new NewestMap<string, number>(mostKnown)

/** The width of what is seen as one character. It is remembered: measuring one takes 25 µs, and a long diff has many. */
function widthOfCharacter(character: string): number {
  const known = knownWidths.get(character)
  if (known !== undefined) return known
  const width = stringWidth(character)
  knownWidths.set(character, width)
  return width
}

/** How many columns a text takes. */
export function widthOf(text: string): number {
  if (isAscii(text)) return text.length
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += widthOfCharacter(segment)
  return width
}

/** As much of the text as fits, with a mark where something is missing. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  return width < 1 ? '' : `${head(text, width - 1)}…`
}

/** The text in exactly so many columns. */
export const column = (text: string, width: number): string => {
  const shown = cut(text, width)
  return `${shown}${' '.repeat(Math.max(0, width - widthOf(shown)))}`
}

/** The longest start of the text that fits; a letter is not parted from its accents, nor an emoji in the middle. */
function head(text: string, width: number): string {
  if (isAscii(text)) return text.slice(0, width)
  let used = 0
  for (const { segment, index } of segmenter.segment(text)) {
    used += widthOfCharacter(segment)
    if (used > width) return text.slice(0, index)
  }
  return text
}

/** The first character, where not even what belongs together with it fits. */
const firstCharacter = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 0x20)

/** The row in at most so many columns. */
export function fit(spans: ScreenRow, width: number): ScreenRow {
  const fitting: StyledText[] = []
  let left = width
  for (const one of spans) {
    if (left <= 0) break
    const text = cut(one.text, left)
    fitting.push({ ...one, text })
    left -= widthOf(text)
  }
  return fitting
}

/** The text over as many lines as it needs, each at most so wide. */
export const wrap = (text: string, width: number): readonly string[] => wrapAt(text, width, () => null)

/** The same, broken between words where that is possible. */
export const wrapWords = (text: string, width: number): readonly string[] =>
  wrapAt(text, width, (part) => {
    const space = part.lastIndexOf(' ')
    return space > part.length / 2 ? space + 1 : null
  })

/** `breakOf`: where a line that has to be broken is broken best; null for where it is full. */
function wrapAt(text: string, width: number, breakOf: (part: string) => number | null): readonly string[] {
  const lines: string[] = []
  for (const line of printable(text).replaceAll('\t', '  ').split('\n')) {
    let rest = line
    do {
      const full = rest === '' ? '' : head(rest, Math.max(2, width)) || firstCharacter(rest)
      const part = full === rest ? full : full.slice(0, breakOf(full) ?? full.length)
      lines.push(part)
      rest = rest.slice(part.length)
    } while (rest !== '')
  }
  return lines
}

/** A line across the screen that names what is below it. */
export const rule = (title: string, width: number, tone: Tone = 'dim'): ScreenRow => {
  const named = cut(`── ${span(title).text} `, width)
  return [span(`${named}${'─'.repeat(Math.max(0, width - widthOf(named)))}`, tone)]
}
