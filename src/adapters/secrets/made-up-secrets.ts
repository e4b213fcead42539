/** Test data: looks issued, belongs to nobody, and is put together at run time so that no file holds it. */
export function madeUp(prefix: string, length: number, alphabet = LETTERS_AND_DIGITS): string {
  let state = length * 7919 + prefix.length
  let text = prefix
  while (text.length < prefix.length + length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    text += alphabet[(state >>> 16) % alphabet.length]
  }
  return text
}

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
export const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
export const HEX = '0123456789abcdef'

export const GITHUB_TOKEN = madeUp('ghp_', 36)

export const base64 = (text: string): string => Buffer.from(text).toString('base64')
export const reverse = (text: string): string => [...text].toReversed().join('')

const keyLines = (count: number): string[] =>
  Array.from({ length: count }, (_, line) => madeUp('', 60 + (line % 4)))

export const PRIVATE_KEY = [
  ['-----BEGIN', 'RSA PRIVATE KEY-----'].join(' '),
  ...keyLines(12),
  ['-----END', 'RSA PRIVATE KEY-----'].join(' '),
].join('\n')

export const JSON_WEB_TOKEN = [
  base64('{"alg":"HS256","typ":"JWT"}').replaceAll('=', ''),
  base64('{"sub":"u-77","role":"admin"}').replaceAll('=', ''),
  madeUp('', 43),
].join('.')
