import { wholeCharactersEnd } from './bounded-text.ts'

/** One line of output, without its line end; a line above the limit keeps its beginning only. */
export interface OutputLine {
  readonly text: string
  readonly omittedBytes: number
}

export interface LineSplitter {
  push(chunk: Uint8Array): void
  /** Hands over a last line that has no line end. */
  end(): void
}

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Cuts a byte stream into lines; memory stays below `maxLineBytes` even when no line ever ends. */
export function createLineSplitter(maxLineBytes: number, onLine: (line: OutputLine) => void): LineSplitter {
  let pieces: Uint8Array[] = []
  let keptBytes = 0
  let omittedBytes = 0

  function keep(piece: Uint8Array): void {
    const kept = piece.subarray(0, maxLineBytes - keptBytes)
    // A copy, so that a short piece does not hold the whole chunk it came from.
    if (kept.length > 0) pieces.push(Uint8Array.from(kept))
    keptBytes += kept.length
    omittedBytes += piece.length - kept.length
    if (pieces.length > 1024) pieces = [Buffer.concat(pieces)]
  }

  function emit(): void {
    const bytes = Buffer.concat(pieces)
    const end = omittedBytes > 0 ? wholeCharactersEnd(bytes) : endOfLine(bytes, 0, bytes.length)
    const omitted = omittedBytes > 0 ? omittedBytes + bytes.length - end : 0
    pieces = []
    keptBytes = 0
    omittedBytes = 0
    onLine({ text: bytes.toString('utf8', 0, end), omittedBytes: omitted })
  }

  return {
    push(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
      let start = 0
      for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, start)) {
        // Most lines come whole, and are not copied.
        if (keptBytes + omittedBytes === 0 && at - start <= maxLineBytes) {
          onLine({ text: bytes.toString('utf8', start, endOfLine(bytes, start, at)), omittedBytes: 0 })
        } else {
          keep(chunk.subarray(start, at))
          emit()
        }
        start = at + 1
      }
      if (start < chunk.length) keep(chunk.subarray(start))
    },
    end() {
      if (keptBytes + omittedBytes > 0) emit()
    },
  }
}

const endOfLine = (bytes: Uint8Array, start: number, end: number): number =>
  end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end
