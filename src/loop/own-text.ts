/**
 * Text that may stand outside the fences of a prompt: Fixpoint's own words, and whatever was made safe here. Text of a
 * repository, a report or an agent is a plain string, and a plain string does not fit where own text is asked for.
 */
declare const brand: unique symbol
export type Own = string & { readonly [brand]: true }

/** Fixpoint's own words, as a template; only own text and numbers can be put into it. */
export const own = (words: TemplateStringsArray, ...parts: readonly (Own | number)[]): Own =>
  String.raw({ raw: words }, ...parts) as Own

export const joinOwn = (parts: readonly Own[], between: Own): Own => parts.join(between) as Own

/** A prompt file that replaces one of ours: a person wrote it for Fixpoint, or read and trusted it. */
export const trustedText = (text: string): Own => text as Own

/** Text that is data and nothing else, whatever it says. With a limit, the length of the rest stands behind the fence. */
export const data = (kind: 'text' | 'diff', text: string, most = Infinity): Own => fence(kind, text, most)

/** Text that advises on style and approach: conventions and plans. It cannot change rules, scope or the answer's form. */
export const guidance = (text: string, most = Infinity): Own => fence('guidance', text, most)

/** A fence is longer than any run of backticks in the text, so that the text cannot close it. */
function fence(kind: 'text' | 'diff' | 'guidance', given: string, most: number): Own {
  const text = shortenTicks(given)
  const shown = cutAt(text, most)
  const ticks = ticksAround(shown, 3)
  const block = `${ticks}${kind}\n${shown.replace(/\n+$/, '')}\n${ticks}` as Own
  return shown.length === text.length
    ? block
    : own`${block}\n\n(Cut here: the first ${shown.length} of ${text.length} characters are shown.)`
}

/** Between two lines where there are some, and never inside of a character. */
function cutAt(text: string, most: number): string {
  if (text.length <= most) return text
  const newline = text.lastIndexOf('\n', most - 1)
  const end = newline > most / 2 ? newline + 1 : most
  return text.slice(0, end).replace(/[\uD800-\uDBFF]$/, '')
}

const mostInline = 300

/** A name or value inside a sentence: one bounded line between backticks that it cannot close. */
export function inline(text: string, most = mostInline): Own {
  const line = escapeUnseen(text.length > most ? `${cutAt(text, most)}…` : text)
  const ticks = ticksAround(line, 1)
  const pad = line === '' || line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${ticks}${pad}${line}${pad}${ticks}` as Own
}

export const inlineList = (texts: readonly string[]): Own =>
  joinOwn(
    texts.map((text) => inline(text)),
    own`, `,
  )

/** A word of Fixpoint's own vocabulary as it is, such as a status; everything else is quoted. */
export const word = (text: string): Own => (/^[a-z_]{1,30}$/.test(text) ? (text as Own) : inline(text))

/** An issue's code as it is, such as `BE-001`; everything else is quoted. */
export const codeWord = (code: string): Own =>
  /^[A-Z]{1,5}-\d{1,9}$/.test(code) ? (code as Own) : inline(code)

/** The words of the person who asked: outside of fences, and marked line by line, so that they end where they end. */
export const personsWords = (text: string): Own =>
  text
    .trimEnd()
    .split(lineBreak)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n') as Own

/** Everything that some reader takes for the end of a line. */
const lineBreak = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/

/** Line ends, control and bidi characters, halves of characters: what a reader would not see, or see as something else. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const escapeUnseen = (text: string): string =>
  text.replaceAll(unseen, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

/** More backticks than there are in a row anywhere in the text. */
function ticksAround(text: string, least: number): string {
  let longest = least - 1
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return '`'.repeat(longest + 1)
}

const mostTicks = 40

/** Thousands of backticks in a row would make a fence that leaves no room for the rest of the prompt. */
export const shortenTicks = (text: string): string =>
  text.replaceAll(/`{41,}/g, (run) => `${'`'.repeat(mostTicks)}… (${run.length} backticks in a row)`)

/** A fence, the person's lines, a name in a sentence: with what opens it, what is in it, and what closes it. */
const piece =
  /^((`{3,})(?:text|diff|guidance)\n)([^]*?)(\n\2)$|^>.*(?:\n>.*)*|((?<!`)(`+)(?!`))([^\n]*?)((?<!`)\6(?!`))/gm

/** The prompt with each part rewritten by itself, as redaction does: the change of one part cannot reach into the next. */
export const rewriteParts = async (prompt: Own, rewrite: (part: string) => Promise<string>): Promise<Own> =>
  (await Promise.all(promptParts(prompt).map(rewrite))).join('') as Own

/** A prompt in parts that were put into it separately. */
function promptParts(prompt: Own): readonly string[] {
  const parts: string[] = []
  let end = 0
  for (const match of prompt.matchAll(piece)) {
    const [whole, opens, , fenced, closes, tick, , quoted, tock] = match
    const inner = opens === undefined ? [tick, quoted, tock] : [opens, fenced, closes]
    parts.push(
      prompt.slice(end, match.index),
      ...(inner[0] === undefined ? [whole] : inner.map((part) => part ?? '')),
    )
    end = match.index + whole.length
  }
  return [...parts, prompt.slice(end)].filter((part) => part !== '')
}
