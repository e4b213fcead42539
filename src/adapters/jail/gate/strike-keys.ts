import { Transform } from 'node:stream'

/** A shorter value is no key, and stands in many texts. */
const shortestKey = 8

/** The keys among the values of headers, without the word before them. */
export const keysAmong = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.values(headers)
    .map((value) => value.replace(/^(Bearer|Basic)\s+/i, '').trim())
    .filter((key) => key.length >= shortestKey)

/** A text with stars in the place of keys; it stays as long as it was. */
export const strikeKeys = (text: string, keys: readonly string[]): string =>
  keys.reduce((rest, key) => rest.replaceAll(key, '*'.repeat(key.length)), text)

/** The same for a stream: a page that repeats what it was sent must not bring the key into the jail. */
export function keyStriker(keys: readonly string[]): Transform {
  let held = ''
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const text = strikeKeys(held + chunk.toString('latin1'), keys)
      const end = text.length - Math.max(0, ...keys.map((key) => begunAtEnd(text, key)))
      held = text.slice(end)
      done(null, Buffer.from(text.slice(0, end), 'latin1'))
    },
    flush(done) {
      done(null, Buffer.from(held, 'latin1'))
    },
  })
}

/** The length of the text's end that may be the beginning of a key. */
function begunAtEnd(text: string, key: string): number {
  for (let length = Math.min(key.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(key.slice(0, length))) return length
  return 0
}
