import { JsonSplitter, type JsonVisitor, type Shape } from '../json/json-splitter.ts'
import type { ReaderContext, Reading, ReportEnd, ReportReader } from './report-format.ts'

/** Takes the parts of a JSON document, in whatever order they come. */
export interface DocumentReader extends JsonVisitor {
  /** Called at the end of a file that was read to its end. */
  finish(): ReportEnd
}

const againHint = 'Make the report again; nothing of it was taken.'

/** Reads one JSON document to its end, handing over the parts that `shape` names. */
export async function readDocument(
  source: AsyncIterable<Uint8Array>,
  { shape, reader }: { readonly shape: Shape; readonly reader: DocumentReader },
  { context, limits }: Reading,
): Promise<ReportEnd> {
  const splitter = new JsonSplitter(shape, reader, {
    ...limits,
    fail: (what, offset) => context.fail(`${what} (byte ${offset})`, againHint),
  })
  for await (const chunk of source) splitter.push(chunk)
  splitter.end()
  return reader.finish()
}

/** How a format is read whose file is one JSON document. */
export const documentFormat =
  (shape: Shape, create: (context: ReaderContext) => DocumentReader): ReportReader['read'] =>
  (source, reading) => {
    const own = create(reading.context)
    const isObject = typeof shape === 'object' && 'fields' in shape
    const reader = isObject ? requireParts(own, reading.context) : own
    return readDocument(source, { shape, reader }, reading)
  }

/** Refuses a document that has no part at all of the format that a person named. */
function requireParts(reader: DocumentReader, { askedFormat, fail }: ReaderContext): DocumentReader {
  let hasParts = false
  return {
    take(path, value, offset) {
      hasParts = true
      reader.take(path, value, offset)
    },
    leave(path) {
      hasParts ||= path.length > 0
      reader.leave(path)
    },
    finish() {
      if (askedFormat !== null && !hasParts)
        throw fail(
          `is not a report in the format "${askedFormat}"`,
          'Leave out --format: Fixpoint then detects the format.',
        )
      return reader.finish()
    },
  }
}

const NEWLINE = 0x0a

/** Hands over the JSON value of each line; empty lines are passed over. */
export async function readLines(
  source: AsyncIterable<Uint8Array>,
  take: (value: unknown, line: number) => void,
  { context, limits }: Reading,
): Promise<ReportEnd> {
  let pieces: Uint8Array[] = []
  let kept = 0
  let line = 1

  function keep(piece: Uint8Array): void {
    kept += piece.length
    if (kept > limits.maxValueBytes)
      throw context.fail(
        `has a line of more than ${Math.round(limits.maxValueBytes / 1_000_000)} MB (line ${line})`,
        'One line holds one JSON object.',
      )
    pieces.push(piece)
  }
  function endLine(): void {
    const text = Buffer.concat(pieces)
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trim()
    pieces = []
    kept = 0
    if (text !== '') take(parseLine(text, line, context), line)
    line += 1
  }

  for await (const chunk of source) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, end))
      endLine()
      from = end + 1
    }
    // A copy, because the source may use its buffer again.
    if (from < chunk.length) keep(Buffer.from(chunk.subarray(from)))
  }
  endLine()
  return { notFindings: 0, incomplete: [], coverage: null }
}

function parseLine(text: string, line: number, context: ReaderContext): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 120) : String(error)
    throw context.fail(
      `is not one JSON object per line: line ${line} (${reason})`,
      'Nothing of it was taken.',
    )
  }
}
