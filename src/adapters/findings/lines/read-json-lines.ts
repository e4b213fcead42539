import type { ReaderContext } from '../format-reader.ts'

const NEWLINE = 0x0a

/** Hands over the JSON value of each line; empty lines are passed over. */
export async function readJsonLines(
  source: AsyncIterable<Uint8Array>,
  take: (value: unknown, line: number) => void,
  { context, maxLineBytes }: { readonly context: ReaderContext; readonly maxLineBytes: number },
): Promise<void> {
  let pieces: Uint8Array[] = []
  let kept = 0
  let line = 1

  function keep(piece: Uint8Array): void {
    kept += piece.length
    if (kept > maxLineBytes)
      throw context.fail(
        `has a line of more than ${Math.round(maxLineBytes / 1_000_000)} MB (line ${line})`,
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
