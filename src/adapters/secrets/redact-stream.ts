import { redactor } from './redact-secrets.ts'

const begins = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?![^]*-----END )/
const ends = /-----END [A-Z0-9 ]{1,60}-----/
/** What stands between the two: runs of base64, and the headers of an encrypted key. */
const keyText = /^(?:[ \t>|]*(?:[A-Za-z0-9+/=]*|[\w-]+: [\w,. -]+)[ \t\r]*(?:\n|$))*$/
const longestKey = 16_384
const mark = '[redacted: private key]'

/** Redacts a text that comes in pieces, such as line by line: a private key that begins in one goes on in the next ones. */
export function redactStream(): (piece: string) => string {
  let seen: number | null = null
  return (piece) => {
    const end = seen === null ? null : ends.exec(piece)
    const after = end === null ? 0 : end.index + end[0].length
    const isInside = seen !== null && seen < longestKey && keyText.test(piece.slice(0, end?.index))
    if (isInside && end === null) {
      seen = (seen ?? 0) + piece.length
      return mark
    }
    const rest = isInside ? piece.slice(after) : piece
    seen = begins.test(rest) ? 0 : null
    return `${isInside ? mark : ''}${redactor.value(rest)}`
  }
}
