import type { Redactor } from '../../loop/ports.ts'
import { NewestMap } from '../../model/newest-map.ts'
import { findAssignments, isSecretName } from './detectors/assignments.ts'
import { type Hit, uniteHits } from './detectors/hit.ts'
import { mayHoldSecret } from './may-hold-secret.ts'
import { loadPresetRules } from './preset.ts'
import { scanNow, type ScanOptions, scanText } from './scan-text.ts'

const markOf = (what: string): string => `[redacted: ${what}]`

/** The text with a mark in place of each secret; only the reason is left of a text that cannot be scanned. */
export async function redactSecrets(text: string, options: ScanOptions = {}): Promise<string> {
  const scan = await scanText(text, options)
  return 'unscanned' in scan ? markOf(scan.unscanned) : replaceHits(text, scan.found)
}

/** Redacts everything that leaves this process. Redacting twice gives the same as redacting once. */
export const redactor: Redactor = {
  async text(text) {
    if (redacted.has(text)) return text
    const result = await redactSecrets(text, { passwords: true })
    if (result.length <= longestKept) redacted.set(result, true)
    return result
  },
  value: (value) => redactValue(value, '') as typeof value,
}

/** Loads what redacting a text needs. */
export const prepareRedactor = (): void => void loadPresetRules().catch(() => undefined)

/** What came out last: an agent's answer passes the door again on its way into the artifacts. */
const redacted = new NewestMap<string, true>(8)
const longestKept = 1_000_000

/**
 * Fields of ids, hashes and times are `made` by Fixpoint itself: they look like secrets, so scanning them takes long.
 */
const kindOfKey = remembered((key: string): 'made' | 'secret' | 'other' => {
  if (/^(?:id|fingerprint|tree|commit)$|_(?:id|ids|sha|at|tree)$/.test(key)) return 'made'
  return isSecretName(key) ? 'secret' : 'other'
})

/** Of the shortest secret there is with what gives it away: `PWD=hunter22`, `db://:abcd@h`. */
const shortest = 12

/** The same value where nothing had to be replaced. */
function redactValue(value: unknown, key: string): unknown {
  if (typeof value === 'string') return value.length < shortest ? value : redactString(value, key)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return redactItems(value, key)
  let changed: Record<string, unknown> | null = null
  for (const name of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[name]
    const redacted = redactValue(member, name)
    // A name may be somebody else's text too, such as that of a test.
    const newName = name.length < 20 ? name : redactText(name)
    if (redacted === member && newName === name) continue
    changed ??= { ...value }
    if (newName !== name) delete changed[name]
    changed[newName] = redacted
  }
  return changed ?? value
}

function redactItems(items: readonly unknown[], key: string): readonly unknown[] {
  let changed: unknown[] | null = null
  for (const [index, item] of items.entries()) {
    const redacted = redactValue(item, key)
    if (redacted !== item) (changed ??= [...items])[index] = redacted
  }
  return changed ?? items
}

function redactString(text: string, key: string): string {
  const kind = kindOfKey(key)
  if (kind === 'made') return text
  const isAssigned = kind === 'secret' && findAssignments(`${key}="${text}"`).length > 0
  return isAssigned ? markOf('assigned secret') : redactText(text)
}

const redactText = (text: string): string => (mayHoldSecret(text) ? redactSuspect(text) : text)

/** The same texts come again and again: with every step of an attempt, with every finding of a file. */
const redactSuspect = remembered((text: string) => {
  const hits = scanNow(text)
  return hits.length === 0 ? text : replaceHits(text, hits)
})

function remembered<Result>(make: (text: string) => Result): (text: string) => Result {
  const made = new NewestMap<string, Result>(4_000)
  return (text) => {
    const known = made.get(text)
    if (known !== undefined) return known
    const result = make(text)
    made.set(text, result)
    return result
  }
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
