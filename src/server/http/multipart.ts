import { Fault } from '../../model/fault.ts'

const headerBytes = 16_384

/** The bytes of the first file in a form, as they arrive; a body that is no form is given as it is. */
export async function* fileOfForm(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
): AsyncGenerator<Buffer> {
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    for await (const chunk of body) yield Buffer.from(chunk)
    return
  }
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw broken('it names no boundary')
  yield* readFile(body, Buffer.from(`\r\n--${boundary}`))
}

const broken = (why: string): Fault =>
  new Fault('input_invalid', `the form cannot be read: ${why}`, {
    hint: 'Send the report itself as the body.',
  })

/** Skips to the first part that is a file, then gives its bytes up to the next boundary. */
async function* readFile(body: AsyncIterable<Uint8Array>, delimiter: Buffer): AsyncGenerator<Buffer> {
  // The first boundary stands at the very beginning, without the line break of the others.
  let rest: Buffer = Buffer.from('\r\n')
  let isInFile = false
  for await (const chunk of body) {
    rest = Buffer.concat([rest, chunk])
    while (!isInFile) {
      const part = nextPart(rest, delimiter)
      if (part === null) break
      rest = part.rest
      isInFile = part.isFile
    }
    if (!isInFile) {
      if (rest.length > headerBytes + delimiter.length) rest = keepTail(rest, delimiter)
      continue
    }
    const end = rest.indexOf(delimiter)
    if (end >= 0) {
      yield rest.subarray(0, end)
      return
    }
    // The delimiter may be cut in two by the chunks.
    const safe = rest.length - delimiter.length
    if (safe > 0) {
      yield rest.subarray(0, safe)
      rest = rest.subarray(safe)
    }
  }
  throw broken(isInFile ? 'it ends in the middle of the file' : 'it holds no file')
}

interface Part {
  readonly isFile: boolean
  readonly rest: Buffer
}

/** The next part whose headers are there whole. */
function nextPart(bytes: Buffer, delimiter: Buffer): Part | null {
  const start = bytes.indexOf(delimiter)
  const end = start < 0 ? -1 : bytes.indexOf('\r\n\r\n', start + delimiter.length)
  if (end < 0) return null
  const headers = bytes.subarray(start + delimiter.length, end).toString('latin1')
  return {
    isFile: /^content-disposition:[^\r\n]*\bfilename\*?=/im.test(headers),
    rest: bytes.subarray(end + 4),
  }
}

/** Drops a part that is no file, but for its end: the next boundary may begin there. */
function keepTail(bytes: Buffer, delimiter: Buffer): Buffer {
  if (bytes.indexOf(delimiter) >= 0) throw broken('the headers of a part are too long')
  return bytes.subarray(bytes.length - delimiter.length)
}
