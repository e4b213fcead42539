/** Finds JSON objects in a program's or model's text: among prose, in fences, with a BOM, colour codes or trailing commas. */

const ansi = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/g
/** An answer with more broken openings than this is not an answer; it also bounds the work on hostile text. */
const maxOpenings = 2_000
/** How much text in all the search may walk over, as a multiple of the text's length. */
const maxWalk = 8

export type JsonObject = Record<string, unknown>

export const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export interface FoundObject {
  readonly value: JsonObject
  /** The characters it was read from. */
  readonly source: string
}

/** Every top-level JSON object in the text, in order. */
export const findJsonObjects = (text: string): readonly JsonObject[] =>
  searchObjects(text, { strict: false }).map(({ value }) => value)

/** As `findJsonObjects`, but an object inside a broken or cut-off one is not taken for an answer of its own. */
export const findWholeObjects = (text: string): readonly FoundObject[] =>
  searchObjects(text, { strict: true })

function searchObjects(text: string, { strict }: { readonly strict: boolean }): readonly FoundObject[] {
  const plain = text.replaceAll(ansi, '').replaceAll('\uFEFF', '')
  const found: FoundObject[] = []
  let walked = 0
  let at = plain.indexOf('{')
  for (let openings = 0; at >= 0 && openings < maxOpenings; openings += 1) {
    if (walked > plain.length * maxWalk) break
    const end = endOfObject(plain, at)
    walked += (end ?? plain.length) - at
    const source = end === null ? '' : plain.slice(at, end)
    const value = parseObject(source)
    if (value) found.push({ value, source })
    const isBroken = !value && strict && looksLikeObject(plain, at)
    if (isBroken && end === null) break
    at = plain.indexOf('{', end !== null && (value || isBroken) ? end : at + 1)
  }
  return found
}

/** A brace of prose or code is not the beginning of an object; one before a key is. */
function looksLikeObject(text: string, at: number): boolean {
  const opening = /\{\s*"(?:[^"\\\n]|\\.){0,200}"\s*:/y
  opening.lastIndex = at
  return opening.test(text)
}

/** Keys that one object of the JSON text has more than once: `JSON.parse` silently takes the last. */
export function repeatedKeys(json: string): readonly string[] {
  const repeated: string[] = []
  const open: Set<string>[] = []
  for (const [token, written] of json.matchAll(/("(?:[^"\\]|\\.)*")(?=\s*:)|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (written !== undefined) {
      const key = decodeKey(written)
      const keys = open.at(-1)
      if (keys?.has(key)) repeated.push(key)
      keys?.add(key)
    }
  }
  return repeated
}

/** Escapes can write one key in two ways. */
function decodeKey(written: string): string {
  const { key } = parseJson(`{"key":${written}}`) ?? {}
  return typeof key === 'string' ? key : written
}

/** The offset after the brace that closes the one at `start`, or null when nothing closes it. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (inString) {
      if (char === 0x5c) at += 1
      else if (char === 0x22) inString = false
    } else if (char === 0x22) inString = true
    else if (char === 0x7b) depth += 1
    else if (char === 0x7d && (depth -= 1) === 0) return at + 1
  }
  return null
}

function parseObject(text: string): JsonObject | null {
  return parseJson(text) ?? parseJson(dropTrailingCommas(text))
}

function parseJson(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null
    throw error
  }
}

/** Commas before a closing bracket, outside of strings: models write them, JSON forbids them. */
const dropTrailingCommas = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (part) => (part === ',' ? '' : part))
