import { linesOf, type SecretScan, uniteHits } from './detectors/hit.ts'
import { type ScanOptions, scanText } from './scan-text.ts'

/** Where a secret stands, never what it is: offsets into the text, lines from 1. */
export interface FoundSecret {
  readonly kind: string
  readonly line: number
  readonly start: number
  readonly end: number
}

/** The secrets of a text: as they are, in pieces or encoded, in order and without overlaps. */
export async function findSecrets(text: string, options: ScanOptions = {}): Promise<SecretScan<FoundSecret>> {
  const scan = await scanText(text, options)
  if ('unscanned' in scan) return scan
  const hits = uniteHits(scan.found)
  const lines = linesOf(
    text,
    hits.map(({ start }) => start),
  )
  return { found: hits.map(({ kind, start, end }, index) => ({ kind, line: lines[index] ?? 1, start, end })) }
}
