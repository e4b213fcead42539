import { setImmediate } from 'node:timers/promises'
import { findAssignments, findPasswords } from './detectors/assignments.ts'
import { findMarkedSecrets } from './detectors/marked-secrets.ts'
import { type Hit, notOverlapping, type SecretScan, uniteHits } from './detectors/hit.ts'
import { findByRules, loadPresetRules, type PresetRule } from './preset.ts'
import { type Fragment, nestFragment, stackFragments } from './views/fragment.ts'
import { joinConcatenations, joinLists } from './views/join-pieces.ts'

/** Longer texts are scanned in parts that overlap by more than the longest secret. */
const MAX_WHOLE = 2 * 1024 * 1024
const WINDOW = 1024 * 1024
const OVERLAP = 32 * 1024
const MAX_TEXT = 64 * 1024 * 1024

export interface ScanOptions {
  /** Whether passwords that a person chose count too. */
  readonly passwords?: boolean
}

/** Every secret of a text in every disguise; hits may overlap. A crash on the way is an answer of its own. */
export async function scanText(
  text: string,
  { passwords = false }: ScanOptions = {},
  loadRules: () => Promise<readonly PresetRule[]> = loadPresetRules,
): Promise<SecretScan<Hit>> {
  if (text.length > MAX_TEXT) return { unscanned: 'the text is too long to be scanned for secrets' }
  try {
    const rules = await loadRules()
    const found: Hit[] = []
    for (const { offset, part, owned } of windowsOf(text)) {
      if (offset > 0) await setImmediate()
      for (const hit of scanPart(part, { rules, passwords })) {
        if (hit.start < owned) found.push({ ...hit, start: hit.start + offset, end: hit.end + offset })
      }
    }
    return { found }
  } catch (error) {
    // The message of the error may quote the text.
    return {
      unscanned: `the scan for secrets failed (${error instanceof Error ? error.name : typeof error})`,
    }
  }
}

/** Scans a short text synchronously, without the preset, whose tokens our own detectors know too. */
export const scanNow = (text: string): readonly Hit[] => scanPart(text, { rules: [], passwords: true })

interface Window {
  readonly offset: number
  readonly part: string
  /** Hits that begin later are the next window's. */
  readonly owned: number
}

function* windowsOf(text: string): Generator<Window> {
  if (text.length <= MAX_WHOLE) {
    yield { offset: 0, part: text, owned: Infinity }
    return
  }
  const step = WINDOW - OVERLAP
  for (let offset = 0; offset < text.length; offset += step) {
    const isLast = offset + WINDOW >= text.length
    yield { offset, part: text.slice(offset, offset + WINDOW), owned: isLast ? Infinity : step }
    if (isLast) return
  }
}

/** How a part of a text is looked at. */
interface Look {
  readonly rules: readonly PresetRule[]
  readonly passwords: boolean
}

function scanPart(text: string, look: Look): readonly Hit[] {
  const plain = [
    ...findMarkedSecrets(text),
    ...findByRules(look.rules, text),
    ...findAssignments(text),
    ...(look.passwords ? findPasswords(text) : []),
  ]
  // A secret that was found in plain text would look like another one once it is joined with its neighbours.
  return [...plain, ...notOverlapping(uniteHits(plain), scanDisguises(text, look.rules))]
}

function scanDisguises(text: string, rules: readonly PresetRule[]): readonly Hit[] {
  const joined = stackFragments(joinConcatenations(text))
  const listed = stackFragments(joinLists(text))
  const decoded = stackFragments(decodeTokens(text))
  const decodedLists = nestFragment(listed, stackFragments(decodeTokens(listed.text)))
  const derived = stackFragments([joined, listed, decoded, decodedLists])
  return [
    ...located(derived, findMarkedSecrets(derived.text)),
    ...located(derived, findByRules(rules, derived.text)),
    // Lists and decoded text hold many names and values that have nothing to do with each other.
    ...located(joined, findAssignments(joined.text)),
  ]
}

function located(fragment: Fragment, hits: readonly Hit[]): readonly Hit[] {
  return hits.map((hit) => {
    const [start, end] = fragment.locate(hit.start, hit.end)
    return { ...hit, start, end }
  })
}

interface Decoder {
  readonly token: RegExp
  /** What the token may mean; one level deep, and nothing is longer than the token. */
  readonly readings: (token: string) => readonly string[]
}

const base64: Decoder = {
  token: /[A-Za-z0-9+/_-]{24,}={0,2}/g,
  // Four phases: what stands before (a path, a prefix) may be of the same alphabet.
  readings: (token) =>
    [0, 1, 2, 3].map((phase) => Buffer.from(token.slice(phase), 'base64').toString('latin1')),
}

const hexadecimal: Decoder = {
  token: /[0-9a-fA-F]{32,}/g,
  readings: (token) => [0, 1].map((phase) => Buffer.from(token.slice(phase), 'hex').toString('latin1')),
}

const escapes =
  /(?:%|\\x|=)([0-9a-fA-F]{2})|\\u\{?0{0,4}([0-9a-fA-F]{2})\}?|&#(\d{2,3});|&#x([0-9a-fA-F]{2});/g
const escaped: Decoder = {
  token: /[^\s"'`]{16,}/g,
  readings: (token) => {
    if (!/[%\\&=]/.test(token)) return []
    const plain = token.replaceAll(escapes, (_whole, ...groups: readonly (string | undefined)[]) => {
      const [hex, unicode, decimal, entity] = groups
      return String.fromCharCode(
        decimal === undefined ? Number.parseInt(hex ?? unicode ?? entity ?? '', 16) : Number(decimal),
      )
    })
    return plain === token ? [] : [plain]
  },
}

const codes: Decoder = {
  token: /(?:(?:0x[0-9a-fA-F]{2}|\d{2,3})[\s,]+){15,}(?:0x[0-9a-fA-F]{2}|\d{2,3})/g,
  readings: (token) => [
    token
      .split(/[\s,]+/)
      .map((code) => String.fromCharCode(Number(code)))
      .join(''),
  ],
}

const reversed: Decoder = {
  token: /[\w+/.=-]{20,}/g,
  readings: (token) => [[...token].toReversed().join('')],
}

const decoders = [base64, hexadecimal, escaped, codes, reversed]
const readable = /[\x20-\x7e\r\n\t]{16,}/g

/** Everything readable that the tokens of a text say in base64, hexadecimal, escapes, character codes or backwards. */
function decodeTokens(text: string): readonly Fragment[] {
  const fragments: Fragment[] = []
  for (const { token, readings } of decoders) {
    for (const match of text.matchAll(token)) {
      const range = [match.index, match.index + match[0].length] as const
      for (const reading of readings(match[0])) {
        for (const [run] of reading.matchAll(readable)) fragments.push({ text: run, locate: () => range })
      }
    }
  }
  return fragments
}
