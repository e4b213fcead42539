import type { Fragment } from './fragment.ts'

interface Decoder {
  readonly token: RegExp
  /** What the token may mean; one level deep, and nothing is longer than the token. */
  readonly readings: (token: string) => readonly string[]
}

const base64: Decoder = {
  token: /[A-Za-z0-9+/_-]{24,}={0,2}/g,
  // Four phases: what stands before (a path, a prefix) may be of the same alphabet.
  readings: (token) =>
    [0, 1, 2, 3].map((phase) => Buffer.from(token.slice(phase), 'base64').toString('latin1')),
}

const hexadecimal: Decoder = {
  token: /[0-9a-fA-F]{32,}/g,
  readings: (token) => [0, 1].map((phase) => Buffer.from(token.slice(phase), 'hex').toString('latin1')),
}

const escapes =
  /(?:%|\\x|=)([0-9a-fA-F]{2})|\\u\{?0{0,4}([0-9a-fA-F]{2})\}?|&#(\d{2,3});|&#x([0-9a-fA-F]{2});/g
const escaped: Decoder = {
  token: /[^\s"'`]{16,}/g,
  readings: (token) => {
    if (!/[%\\&=]/.test(token)) return []
    const plain = token.replaceAll(escapes, (_whole, ...groups: readonly (string | undefined)[]) => {
      const [hex, unicode, decimal, entity] = groups
      return String.fromCharCode(
        decimal === undefined ? Number.parseInt(hex ?? unicode ?? entity ?? '', 16) : Number(decimal),
      )
    })
    return plain === token ? [] : [plain]
  },
}

const codes: Decoder = {
  token: /(?:(?:0x[0-9a-fA-F]{2}|\d{2,3})[\s,]+){15,}(?:0x[0-9a-fA-F]{2}|\d{2,3})/g,
  readings: (token) => [
    token
      .split(/[\s,]+/)
      .map((code) => String.fromCharCode(Number(code)))
      .join(''),
  ],
}

const reversed: Decoder = {
  token: /[\w+/.=-]{20,}/g,
  readings: (token) => [[...token].toReversed().join('')],
}

const decoders = [base64, hexadecimal, escaped, codes, reversed]
const readable = /[\x20-\x7e\r\n\t]{16,}/g

/** Everything readable that the tokens of a text say in base64, hexadecimal, escapes, character codes or backwards. */
export function decodeTokens(text: string): readonly Fragment[] {
  const fragments: Fragment[] = []
  for (const { token, readings } of decoders) {
    for (const match of text.matchAll(token)) {
      const range = [match.index, match.index + match[0].length] as const
      for (const reading of readings(match[0])) {
        for (const [run] of reading.matchAll(readable)) fragments.push({ text: run, locate: () => range })
      }
    }
  }
  return fragments
}
