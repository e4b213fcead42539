import { type Hit, uniteHits } from './hit.ts'
import { findKnownValues } from './known-values.ts'
import { type ScanOptions, scanText } from './scan-text.ts'

const markOf = (what: string): string => `[redacted: ${what}]`

/** The text with a mark in place of each secret; of a text that cannot be scanned nothing is left but the reason. */
export async function redactSecrets(text: string, options: ScanOptions = {}): Promise<string> {
  const scan = await scanText(text, options)
  return 'unscanned' in scan ? markOf(scan.unscanned) : replaceHits(text, scan.found)
}

/** The text with a mark in place of each known value, in whatever disguise; cheap enough for every line of a log. */
export function redactKnown(text: string, known: readonly string[]): string {
  return replaceHits(text, findKnownValues(text, known))
}

function replaceHits(text: string, hits: readonly Hit[]): string {
  const pieces: string[] = []
  let from = 0
  for (const { kind, start, end } of uniteHits(hits)) {
    pieces.push(text.slice(from, start), markOf(kind))
    from = end
  }
  return [...pieces, text.slice(from)].join('')
}
