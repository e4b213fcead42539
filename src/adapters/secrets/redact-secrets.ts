import type { Redactor } from '../../loop/ports.ts'
import { NewestMap } from '../../model/newest-map.ts'
import { findAssignments, findPasswords, isSecretName } from './detectors/assignments.ts'
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
    return keep(await redactSecrets(text, { passwords: true }))
  },
  value: (value) => redactValue(value, fieldOf('')) as typeof value,
  json(text) {
    const value: unknown = JSON.parse(text)
    const result = redactor.value(value)
    return keep(result === value ? text : `${JSON.stringify(result, null, 2)}\n`)
  },
}

/** Loads what redacting a text needs. */
export const prepareRedactor = (): void => void loadPresetRules().catch(() => undefined)

/** What came out last: an agent's answer passes the door again on its way into the artifacts. */
const redacted = new NewestMap<string, true>(8)
const longestKept = 1_000_000

function keep(result: string): string {
  if (result.length <= longestKept) redacted.set(result, true)
  return result
}

/** What is known of the members of one name. */
interface Field {
  /** Fields of ids, hashes and times may hold what Fixpoint itself has `made`, which looks like secrets. */
  readonly kind: 'made' | 'secret' | 'other'
  readonly key: string
  /** A name may be somebody else's text too, such as that of a test. */
  readonly name: string
  /** What needed no mark last: the findings of one file name it one after the other. */
  passed: string
}

const shortestName = 20

const fieldOf = remembered((key: string): Field => {
  const name = key.length < shortestName ? key : redactText(key)
  return { kind: kindOf(key), key, name, passed: '' }
})

function kindOf(key: string): Field['kind'] {
  if (/^(?:id|fingerprint|tree|commit)$|_(?:id|ids|sha|at|tree)$/.test(key)) return 'made'
  return isSecretName(key) ? 'secret' : 'other'
}

/** An id of ours, a hash or a time. Anything else under such a name is somebody's text: a reviewer numbers its findings as it likes. */
const isMade = (text: string): boolean =>
  /^(?:(?:[a-z]{3}_)?[0-9a-f]{7,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]{5,18}Z)$/.test(
    text,
  )

/** Of the shortest secret there is with what gives it away: `PWD=hunter22`, `db://:abcd@h`. */
const shortest = 12

/** Of the shortest password under a name that says so. */
const shortestPassword = 8

/** Half of what is stored is nothing, a number or one short word. */
const isHarmless = (member: unknown): boolean =>
  typeof member === 'string'
    ? member.length < shortestPassword
    : typeof member !== 'object' || member === null || (Array.isArray(member) && member.length === 0)

/** The same value where nothing had to be replaced. */
function redactValue(value: unknown, field: Field): unknown {
  if (typeof value === 'string')
    return value.length < shortest && field.kind !== 'secret' ? value : redactString(value, field)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return redactItems(value, field)
  let changed: Record<string, unknown> | null = null
  for (const name of Object.keys(value)) {
    const member = (value as Readonly<Record<string, unknown>>)[name]
    if (name.length < shortestName && isHarmless(member)) continue
    const known = fieldOf(name)
    const redacted = redactValue(member, known)
    if (redacted === member && known.name === name) continue
    changed ??= { ...value }
    if (known.name !== name) delete changed[name]
    changed[known.name] = redacted
  }
  return changed ?? value
}

function redactItems(items: readonly unknown[], field: Field): readonly unknown[] {
  let changed: unknown[] | null = null
  for (const [index, item] of items.entries()) {
    const redacted = redactValue(item, field)
    if (redacted !== item) (changed ??= [...items])[index] = redacted
  }
  return changed ?? items
}

function redactString(text: string, field: Field): string {
  if (text === field.passed || (field.kind === 'made' && isMade(text))) return text
  const [assigned] = field.kind === 'secret' ? findAssigned(`${field.key}="${text}"`) : []
  const redacted = assigned ? markOf(assigned.kind) : redactText(text)
  if (redacted === text && text.length <= longestPassed) field.passed = text
  return redacted
}

const findAssigned = (text: string): readonly Hit[] => [...findAssignments(text), ...findPasswords(text)]

const longestPassed = 1_000

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
