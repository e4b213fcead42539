import { type Hit, linesOf, type SecretScan, uniteHits } from './detectors/hit.ts'
import { redactSecrets } from './redact-secrets.ts'
import { scanText } from './scan-text.ts'

/** A file before and after; null where there is none. */
export interface ChangedText {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

export interface AddedSecret {
  /** Which of the changes; the path below may be redacted. */
  readonly change: number
  readonly path: string
  /** Null when the secret is in the name of the file. */
  readonly line: number | null
  readonly kind: string
}

interface ScannedChange {
  readonly change: number
  readonly path: string
  readonly text: string
  readonly isName: boolean
  readonly hits: readonly Hit[]
}

/** Above this many, values are no longer looked for one by one: so many new secrets are no coincidence. */
const MAX_LOOKUPS = 200

/** The secrets that changes bring in, in content or in names of files; a secret that stood anywhere before does not count. */
export async function findAddedSecrets(changes: readonly ChangedText[]): Promise<SecretScan<AddedSecret>> {
  const scanned = await scanAll(textsAfter(changes))
  if ('unscanned' in scanned) return scanned
  const candidates = new Set(scanned.found.flatMap(({ hits }) => hits.map(({ value }) => value)))
  const present = await valuesBefore(changes, candidates)
  if ('unscanned' in present) return present
  const known = new Set(present.found)

  const added: (readonly AddedSecret[])[] = []
  for (const text of scanned.found) added.push(await describe(text, known))
  return { found: added.flat() }
}

type TextAfter = Omit<ScannedChange, 'hits'>

function textsAfter(changes: readonly ChangedText[]): readonly TextAfter[] {
  return changes.flatMap(({ path, before, after }, change) => {
    if (after === null) return []
    const content = { change, path, text: after, isName: false }
    return before === null ? [{ change, path, text: path, isName: true }, content] : [content]
  })
}

async function scanAll(texts: readonly TextAfter[]): Promise<SecretScan<ScannedChange>> {
  const found: ScannedChange[] = []
  for (const text of texts) {
    const scan = await scanText(text.text)
    if ('unscanned' in scan) return scan
    if (scan.found.length > 0) found.push({ ...text, hits: scan.found })
  }
  return { found }
}

/** Which of the values stood in the files before, as they are or in a disguise. */
async function valuesBefore(
  changes: readonly ChangedText[],
  values: ReadonlySet<string>,
): Promise<SecretScan<string>> {
  if (values.size === 0) return { found: [] }
  const lookups = values.size <= MAX_LOOKUPS ? [...values] : []
  const found: (readonly string[])[] = []
  for (const { path, before } of changes) {
    if (before === null) continue
    found.push(lookups.filter((value) => before.includes(value)))
    for (const text of [before, path]) {
      const scan = await scanText(text)
      if ('unscanned' in scan) return scan
      found.push(scan.found.map(({ value }) => value))
    }
  }
  return { found: found.flat() }
}

async function describe(
  { change, path, text, isName, hits }: ScannedChange,
  present: ReadonlySet<string>,
): Promise<readonly AddedSecret[]> {
  const added = uniteHits(hits.filter(({ value }) => !present.has(value)))
  if (added.length === 0) return []
  const shownPath = await redactSecrets(path)
  const lines = linesOf(
    text,
    added.map(({ start }) => start),
  )
  return added.map(({ kind }, index) => ({
    change,
    path: shownPath,
    line: isName ? null : (lines[index] ?? 1),
    kind,
  }))
}
