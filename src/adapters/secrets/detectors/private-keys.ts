import type { Hit } from '../hit.ts'

// The body ends at the next five dashes, so that many beginnings without an end cost no more than their length.
const block =
  /(-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----)((?:[^-]|-(?!----)){0,16384})(-----END [A-Z0-9 ]{1,60}-----)?/g

/** Private keys in PEM armour, whole or cut off, also as one line with `\n` in it. */
export function findPrivateKeys(text: string): readonly Hit[] {
  const hits: Hit[] = []
  for (const match of text.matchAll(block)) {
    const [whole, begin = '', body = '', end] = match
    const keyEnd = endOfKey(body)
    if (keyEnd === null) continue
    const value = end === undefined ? begin + body.slice(0, keyEnd) : whole
    hits.push({ kind: 'private key', start: match.index, end: match.index + value.length, value })
  }
  return hits
}

const keyLine = /[A-Za-z0-9+/]{40,}={0,2}/g

/** Where the last run of key material ends, or null for an empty or elided body (`...`). */
function endOfKey(body: string): number | null {
  let end: number | null = null
  for (const line of body.matchAll(keyLine)) end = line.index + line[0].length
  return end
}
