/** Output of a process with bounded memory: everything, or its beginning and its end. */
export interface BoundedText {
  readonly head: string
  readonly tail: string
  readonly omittedBytes: number
}

interface BoundedTextWriter {
  push(chunk: Uint8Array): void
  /** What was pushed so far, decoded as UTF-8 with replacement characters for invalid bytes. */
  text(): BoundedText
}

export const EMPTY_TEXT: BoundedText = { head: '', tail: '', omittedBytes: 0 }

const FIRST_CAPACITY = 4096

/** Keeps the first and the last half of `maxBytes`, however much is pushed. */
export function createBoundedText(maxBytes: number): BoundedTextWriter {
  const headLimit = Math.ceil(maxBytes / 2)
  const tail = createTail(maxBytes - headLimit)
  let head = Buffer.alloc(0)
  let headBytes = 0

  function pushHead(chunk: Uint8Array): number {
    const taken = Math.min(chunk.length, headLimit - headBytes)
    const needed = headBytes + taken
    if (needed > head.length) {
      const grown = Buffer.alloc(Math.min(headLimit, Math.max(FIRST_CAPACITY, needed, head.length * 2)))
      head.copy(grown, 0, 0, headBytes)
      head = grown
    }
    head.set(chunk.subarray(0, taken), headBytes)
    headBytes = needed
    return taken
  }

  return {
    push(chunk) {
      const taken = headBytes < headLimit ? pushHead(chunk) : 0
      if (taken < chunk.length) tail.push(chunk.subarray(taken))
    },
    text() {
      const start = head.subarray(0, headBytes)
      const { bytes: end, omittedBytes } = tail.read()
      if (omittedBytes === 0)
        return { head: Buffer.concat([start, end]).toString('utf8'), tail: '', omittedBytes: 0 }
      const wholeStart = start.subarray(0, wholeCharactersEnd(start))
      const wholeEnd = end.subarray(wholeCharactersStart(end))
      const cutBytes = start.length - wholeStart.length + end.length - wholeEnd.length
      return {
        head: wholeStart.toString('utf8'),
        tail: wholeEnd.toString('utf8'),
        omittedBytes: omittedBytes + cutBytes,
      }
    },
  }
}

/** Keeps the last bytes that are pushed, in a ring of `limit` bytes. */
function createTail(limit: number) {
  let ring: Buffer | null = null
  let end = 0
  let pushedBytes = 0

  function inOrder(): Buffer {
    if (ring === null) return Buffer.alloc(0)
    if (pushedBytes < limit) return ring.subarray(0, pushedBytes)
    return Buffer.concat([ring.subarray(end), ring.subarray(0, end)])
  }

  return {
    push(chunk: Uint8Array): void {
      pushedBytes += chunk.length
      if (limit === 0) return
      ring ??= Buffer.alloc(limit)
      const kept = chunk.subarray(Math.max(0, chunk.length - limit))
      const untilWrap = Math.min(kept.length, limit - end)
      ring.set(kept.subarray(0, untilWrap), end)
      ring.set(kept.subarray(untilWrap), 0)
      end = (end + kept.length) % limit
    },
    read: () => ({ bytes: inOrder(), omittedBytes: Math.max(0, pushedBytes - limit) }),
  }
}

/** The text as a person reads it, with a plain note where bytes are missing. */
export function renderBoundedText(text: BoundedText): string {
  if (text.omittedBytes === 0) return text.head + text.tail
  return `${text.head}\n… [${text.omittedBytes} bytes left out] …\n${text.tail}`
}

/** Where to cut the end of `bytes` so that no UTF-8 character is left half. */
export function wholeCharactersEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    return characterLength(byte) > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

function wholeCharactersStart(bytes: Uint8Array): number {
  let start = 0
  while (start < Math.min(3, bytes.length) && isContinuation(bytes[start] ?? 0)) start += 1
  return start
}

function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000
}

function characterLength(leadByte: number): number {
  if (leadByte >= 0b1111_0000) return 4
  if (leadByte >= 0b1110_0000) return 3
  return leadByte >= 0b1100_0000 ? 2 : 1
}
