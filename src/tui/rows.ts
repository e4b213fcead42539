import { printable } from '../client/printable.ts'

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

const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u
const noWidth = /^(?:\p{Mark}|\u200B|\u200C|\u200D)$/u

const widthOfCharacter = (character: string): number =>
  noWidth.test(character) ? 0 : wide.test(character) ? 2 : 1

const isAscii = (text: string): boolean => /^[\u0020-\u007E]*$/.test(text)

/** How many columns a text takes. */
export function widthOf(text: string): number {
  if (isAscii(text)) return text.length
  let width = 0
  for (const character of text) width += widthOfCharacter(character)
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

function head(text: string, width: number): string {
  if (isAscii(text)) return text.slice(0, width)
  let end = 0
  let used = 0
  for (const character of text) {
    used += widthOfCharacter(character)
    if (used > width) break
    end += character.length
  }
  return text.slice(0, end)
}

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
      const full = head(rest, Math.max(2, width)) || rest
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
