import { type SyntaxLanguage, lineCounter, outline } from '../syntax/outline.ts'
import { type Inspection, type TamperingKind, nothingSeen, quote } from './tampering.ts'

/** A marker in a text; `key` says which occurrences are the same. */
export type Occurrence = { readonly index: number; readonly text: string; readonly key: string }

export type Stretch = { readonly start: number; readonly end: number }

/** Where a pattern matches; matches that differ in blanks only are the same. */
export const findMatches = (source: string, pattern: RegExp): readonly Occurrence[] =>
  [...source.matchAll(pattern)].map(({ index, 0: text }) => ({
    index,
    text,
    key: text.replaceAll(/\s+/g, ''),
  }))

/** Those of `after` that `before` does not account for, key by key; what moved is no addition. */
export function additions(before: readonly Occurrence[], after: readonly Occurrence[]): Occurrence[] {
  const open = new Map<string, number>()
  for (const { key } of before) open.set(key, (open.get(key) ?? 0) + 1)
  return after.filter(({ key }) => {
    const left = open.get(key) ?? 0
    open.set(key, left - 1)
    return left <= 0
  })
}

/** The last occurrence of each line: a line says it once, in however many ways. */
export function oncePerLine(source: string, found: readonly Occurrence[]): readonly Occurrence[] {
  const lineOf = lineCounter(source)
  return [...new Map(found.map((each) => [lineOf(each.index), each])).values()]
}

/** What an occurrence is a sign of; `says` stands before its text. */
type Meaning = { readonly kind: TamperingKind; readonly says: string }

/** Every occurrence as a sign of the same. */
export function showSigns(source: string, found: readonly Occurrence[], { kind, says }: Meaning): Inspection {
  if (found.length === 0) return nothingSeen
  const lineOf = lineCounter(source)
  const signs = found.map(({ index, text }) => ({
    kind,
    line: lineOf(index),
    what: `${says}: ${quote(text)}`,
  }))
  return { signs, moveKeys: [] }
}

/** Whether an offset lies in one of the stretches, which are in order and do not overlap. */
export function insideOf(stretches: readonly Stretch[]): (index: number) => boolean {
  return (index) => {
    let low = -1
    let high = stretches.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((stretches[middle]?.start ?? 0) <= index) low = middle
      else high = middle
    }
    const found = stretches[low]
    return found !== undefined && index < found.end
  }
}

/** Says of an offset whether it lies in a node of these kinds; null when the text does not parse. */
export function inNodes(
  source: string,
  language: SyntaxLanguage | null,
  kinds: readonly string[],
): ((index: number) => boolean) | null {
  const spans = language && outline(source, language, kinds)
  return spans ? insideOf(spans.filter(({ parent }) => parent === null)) : null
}

const maxLineChars = 500

/** The line that an offset is in, free of indentation; of an endless line only what is near. */
export function lineAt(source: string, index: number): string {
  const before = source.slice(Math.max(0, index - maxLineChars), index)
  const after = source.slice(index, index + maxLineChars)
  return `${before.slice(before.lastIndexOf('\n') + 1)}${after.split('\n', 1)[0] ?? ''}`.trim()
}

/** The line after the one that an offset is in, or nothing when that is far away. */
export function nextLine(source: string, index: number): string {
  const end = source.slice(index, index + maxLineChars).indexOf('\n')
  return end < 0 ? '' : lineAt(source, index + end + 1)
}
