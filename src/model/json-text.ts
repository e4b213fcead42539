/** Finds JSON objects in a program's or model's text: among prose, in fences, with a BOM, colour codes or trailing commas. */

const ansi = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/g
/** An answer with more broken openings than this is not an answer; it also bounds the work on hostile text. */
const maxOpenings = 2_000
/** How much text in all the search may walk over, as a multiple of the text's length. */
const maxWalk = 8

export type JsonObject = Record<string, unknown>

export const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every top-level JSON object in the text, in order. */
export function findJsonObjects(text: string): readonly JsonObject[] {
  const plain = text.replaceAll(ansi, '').replaceAll('\uFEFF', '')
  const found: JsonObject[] = []
  let walked = 0
  let at = plain.indexOf('{')
  for (let openings = 0; at >= 0 && openings < maxOpenings; openings += 1) {
    if (walked > plain.length * maxWalk) break
    const end = endOfObject(plain, at)
    walked += (end ?? plain.length) - at
    const value = end === null ? null : parseObject(plain.slice(at, end))
    if (value) found.push(value)
    at = plain.indexOf('{', value && end !== null ? end : at + 1)
  }
  return found
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
