/** What a stream begins with that is sent through a tunnel. */
export type Greeting =
  /** The name that a client of TLS asks for. */
  | { readonly kind: 'named'; readonly host: string }
  | { readonly kind: 'other' }
  | { readonly kind: 'unfinished' }

const handshakeRecord = 22
const clientHello = 1
const nameExtension = 0
const recordHead = 5
/** No client greets with more, or in more pieces; each of them costs time while the whole of Fixpoint waits. */
const longestGreeting = 16 * 1024
const mostRecords = 16

/** Reads the first message of TLS as far as it has come; a name in it is what the other side answers for. */
export function readGreeting(bytes: Buffer): Greeting {
  const message = handshakeOf(bytes)
  if (message === null) return { kind: 'other' }
  if (message === 'unfinished') return { kind: bytes.length > longestGreeting ? 'other' : 'unfinished' }
  try {
    const host = nameIn(message)
    return host === null ? { kind: 'other' } : { kind: 'named', host: host.toLowerCase() }
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'other' } // it says that it is longer than it is
    throw error
  }
}

/** The message that the first records carry, which may be cut anywhere. */
function handshakeOf(bytes: Buffer): Buffer | 'unfinished' | null {
  const parts: Buffer[] = []
  let [at, wanted, had] = [0, 4, 0]
  while (had < wanted) {
    if (bytes.length > at && bytes[at] !== handshakeRecord) return null
    if (bytes.length < at + recordHead) return 'unfinished'
    const end = at + recordHead + bytes.readUInt16BE(at + 3)
    if (end === at + recordHead || parts.length === mostRecords) return null
    if (bytes.length < end) return 'unfinished'
    parts.push(bytes.subarray(at + recordHead, end))
    had += end - at - recordHead
    at = end
    const head = Buffer.concat(parts)
    if (had >= 4) {
      if (head[0] !== clientHello) return null
      wanted = 4 + head.readUIntBE(1, 3)
    }
  }
  return Buffer.concat(parts).subarray(4, wanted)
}

/** Past version, random, session, ciphers and compressions stand the extensions. */
function nameIn(message: Buffer): string | null {
  let at = 34
  at += 1 + message.readUInt8(at)
  at += 2 + message.readUInt16BE(at)
  at += 1 + message.readUInt8(at)
  const end = at + 2 + message.readUInt16BE(at)
  at += 2
  while (at < end) {
    const [kind, length] = [message.readUInt16BE(at), message.readUInt16BE(at + 2)]
    if (kind === nameExtension) {
      const size = message.readUInt16BE(at + 7)
      return message.toString('latin1', at + 9, at + 9 + size)
    }
    at += 4 + length
  }
  return null
}
