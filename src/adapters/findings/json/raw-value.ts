/** Follows one JSON value through the chunks of a file, without building it. */
export interface RawValue {
  begin(firstByte: number): void
  /** Reads on from `at`: the offset after the value, or -1 when the chunk ended first. */
  read(chunk: Buffer, at: number): number
  /** The value's text when `read` has found its end in `chunk`; null when it was too long to keep. */
  text(chunk: Buffer, end: number): string | null
}

export interface RawValueLimits {
  readonly maxBytes: number
  readonly maxDepth: number
  /** Called once, when the value is longer than may be kept or deeper than may be read. */
  readonly exceeded: (what: 'bytes' | 'depth') => void
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OTHER = 0
const STRING = 1
const OPEN = 2
const CLOSE = 3
/** What a byte means outside of strings. */
const meanings = new Uint8Array(256)
meanings[QUOTE] = STRING
for (const char of '[{') meanings[char.charCodeAt(0)] = OPEN
for (const char of ']}') meanings[char.charCodeAt(0)] = CLOSE
/** What ends a number, `true`, `false` or `null`. */
const delimiters = new Set([...' \t\r\n,]}'].map((char) => char.charCodeAt(0)))

export function createRawValue(limits: RawValueLimits): RawValue {
  let pieces: Buffer[] = []
  let keptBytes = 0
  let startInChunk = 0
  let isKept = true
  let isScalar = false
  let inString = false
  let isEscaped = false
  let depth = 0

  function keepRest(chunk: Buffer, end: number): void {
    keptBytes += end - startInChunk
    if (isKept && keptBytes > limits.maxBytes) {
      isKept = false
      pieces = []
      limits.exceeded('bytes')
    }
    // A copy, because the source may use its buffer again.
    if (isKept) pieces.push(Buffer.from(chunk.subarray(startInChunk, end)))
    startInChunk = 0
  }

  /** The offset after the string's closing quote, or -1. */
  function readString(chunk: Buffer, from: number): number {
    let at = from
    if (isEscaped && at < chunk.length) {
      isEscaped = false
      at += 1
    }
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (byte === QUOTE) return at + 1
      if (byte !== BACKSLASH) continue
      at += 1
      isEscaped = at >= chunk.length
    }
    return -1
  }

  function readNested(chunk: Buffer, from: number): number {
    let at = from
    while (at < chunk.length) {
      if (inString) {
        at = readString(chunk, at)
        if (at === -1) return -1
        inString = false
        if (depth === 0) return at
      }
      while (at < chunk.length && meanings[chunk[at] as number] === OTHER) at += 1
      if (at >= chunk.length) return -1
      const meaning = meanings[chunk[at] as number]
      at += 1
      if (meaning === STRING) inString = true
      else if (meaning === CLOSE && (depth -= 1) === 0) return at
      else if (meaning === OPEN && (depth += 1) > limits.maxDepth) limits.exceeded('depth')
    }
    return -1
  }

  function readScalar(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) if (delimiters.has(chunk[at] as number)) return at
    return -1
  }

  return {
    begin(firstByte) {
      pieces = []
      keptBytes = 0
      startInChunk = -1
      isKept = true
      isEscaped = false
      inString = false
      depth = 0
      isScalar = meanings[firstByte] === OTHER || meanings[firstByte] === CLOSE
    },
    read(chunk, at) {
      let from = at
      if (startInChunk === -1) {
        startInChunk = at
        inString = chunk[at] === QUOTE
        if (inString) from += 1
      }
      const end = isScalar ? readScalar(chunk, from) : readNested(chunk, from)
      if (end === -1) keepRest(chunk, chunk.length)
      return end
    },
    text(chunk, end) {
      if (pieces.length === 0 && isKept && end - startInChunk <= limits.maxBytes) {
        return chunk.toString('utf8', startInChunk, end)
      }
      keepRest(chunk, end)
      return isKept ? Buffer.concat(pieces).toString('utf8') : null
    },
  }
}
