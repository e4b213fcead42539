/** Text of other programs made fit to keep and to show: no control or direction-changing characters, bounded. */

const ansi = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/g
const lineEnds = /\r\n?|[\u0085\u2028\u2029]/g
const hidden = /[[\p{Cc}--[\t\n]]\p{Bidi_Control}\u200B\u2060\uFEFF]/gv
const unfit = /[[\p{Cc}--[\t\n]]\p{Bidi_Control}\u200B\u2028\u2029\u2060\uFEFF]/v

const maxTitle = 120
/** A sentence ends where the next one plainly begins, so that "e.g. this" and "from ... None" stay whole. */
const sentenceEnd = /(?<!\.)[.!?](?=\s+["'`([]?\p{Lu})|[。！？]/u

/** The text without terminal sequences, hidden characters and broken surrogates, at most `maxLength` long. */
export function cleanText(text: string, maxLength = 8_000): string {
  const bounded = cutText(text.isWellFormed() ? text : text.toWellFormed(), maxLength)
  if (!unfit.test(bounded)) return bounded.trim()
  return bounded.replaceAll(ansi, '').replaceAll(lineEnds, '\n').replaceAll(hidden, '').trim()
}

/** The first sentence of a message, on one line; empty only when the message is. */
export const titleOf = (message: string): string => firstSentence(cleanText(message, 2_000))

/** The same for a message that was cleaned already. */
export function firstSentence(text: string): string {
  const lineEnd = text.indexOf('\n')
  const firstLine = lineEnd === -1 ? text : text.slice(0, lineEnd)
  const end = firstLine.search(sentenceEnd)
  const sentence = end === -1 ? firstLine.replace(/(?<!\.)\.$/, '') : firstLine.slice(0, end)
  return cutText(
    sentence.includes('\t') || sentence.includes('  ') ? sentence.replaceAll(/\s+/g, ' ') : sentence,
    maxTitle,
  )
}

/** Cuts at a limit, never inside a character, and shows that it did. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const last = text.charCodeAt(maxLength - 2)
  const end = last >= 0xd800 && last <= 0xdbff ? maxLength - 2 : maxLength - 1
  // Cut twice: a slice of a long text would keep all of it in memory, a slice of a copy keeps the copy.
  return `${text.slice(0, end)}… `.slice(0, -1)
}
