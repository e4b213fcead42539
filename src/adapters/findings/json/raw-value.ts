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

/** Follows one JSON value after another through the chunks of a file, without building it. */
export class RawValue {
  private readonly limits: RawValueLimits
  private pieces: Buffer[] = []
  private keptBytes = 0
  /** -1 until the first byte of the value is read. */
  private startInChunk = 0
  private isKept = true
  private isScalar = false
  private inString = false
  private isEscaped = false
  private depth = 0

  constructor(limits: RawValueLimits) {
    this.limits = limits
  }

  begin(firstByte: number): void {
    this.pieces = []
    this.keptBytes = 0
    this.startInChunk = -1
    this.isKept = true
    this.isEscaped = false
    this.inString = false
    this.depth = 0
    this.isScalar = meanings[firstByte] === OTHER || meanings[firstByte] === CLOSE
  }

  /** Reads on from `at`: the offset after the value, or -1 when the chunk ended first. */
  read(chunk: Buffer, at: number): number {
    let from = at
    if (this.startInChunk === -1) {
      this.startInChunk = at
      this.inString = chunk[at] === QUOTE
      if (this.inString) from += 1
    }
    const end = this.isScalar ? findDelimiter(chunk, from) : this.readNested(chunk, from)
    if (end === -1) this.keepRest(chunk, chunk.length)
    return end
  }

  /** The value's text when `read` has found its end in `chunk`; null when it was too long to keep. */
  text(chunk: Buffer, end: number): string | null {
    if (this.pieces.length === 0 && this.isKept && end - this.startInChunk <= this.limits.maxBytes)
      return chunk.toString('utf8', this.startInChunk, end)
    this.keepRest(chunk, end)
    return this.isKept ? Buffer.concat(this.pieces).toString('utf8') : null
  }

  private keepRest(chunk: Buffer, end: number): void {
    this.keptBytes += end - this.startInChunk
    if (this.isKept && this.keptBytes > this.limits.maxBytes) {
      this.isKept = false
      this.pieces = []
      this.limits.exceeded('bytes')
    }
    // A copy, because the source may use its buffer again.
    if (this.isKept) this.pieces.push(Buffer.from(chunk.subarray(this.startInChunk, end)))
    this.startInChunk = 0
  }

  private readNested(chunk: Buffer, from: number): number {
    let at = from
    while (at < chunk.length) {
      if (this.inString) {
        at = this.readString(chunk, at)
        if (at === -1) return -1
        this.inString = false
        if (this.depth === 0) return at
      }
      while (at < chunk.length && meanings[chunk[at] as number] === OTHER) at += 1
      if (at >= chunk.length) return -1
      const meaning = meanings[chunk[at] as number]
      at += 1
      if (meaning === STRING) this.inString = true
      else if (meaning === CLOSE && (this.depth -= 1) === 0) return at
      else if (meaning === OPEN && (this.depth += 1) > this.limits.maxDepth) this.limits.exceeded('depth')
    }
    return -1
  }

  /** The offset after the string's closing quote, or -1. */
  private readString(chunk: Buffer, from: number): number {
    let at = from
    if (this.isEscaped && at < chunk.length) {
      this.isEscaped = false
      at += 1
    }
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (byte === QUOTE) return at + 1
      if (byte !== BACKSLASH) continue
      at += 1
      this.isEscaped = at >= chunk.length
    }
    return -1
  }
}

function findDelimiter(chunk: Buffer, from: number): number {
  for (let at = from; at < chunk.length; at += 1) if (delimiters.has(chunk[at] as number)) return at
  return -1
}
