import { cutText } from '../../../model/issue/finding-text.ts'
import type { Severity } from '../../../model/issue/severity.ts'
import type { JsonFields, JsonRecord } from '../json/json-fields.ts'

const none: readonly never[] = []
const maxTags = 30
const maxTagLength = 200

/** The words by which a result or rule sorts itself. */
export function readTags(of: JsonRecord, fields: JsonFields): readonly string[] {
  const properties = fields.child(of, 'properties')
  const tags =
    properties === null ? none : fields.list(properties, 'tags').filter((tag) => typeof tag === 'string')
  const category = properties?.['category']
  if (typeof category !== 'string' && tags.length === 0) return none
  const first = typeof category === 'string' ? [category] : []
  const all = [...first, ...tags].filter((tag) => tag !== '')
  return all.slice(0, maxTags).map((tag) => cutText(tag, maxTagLength))
}

/** `properties.security-severity`, 0–10, written as text or as a number. */
export function readScore(of: JsonRecord, fields: JsonFields): number | null {
  const written = fields.child(of, 'properties')?.['security-severity']
  if (typeof written !== 'string' && typeof written !== 'number') return null
  const score = typeof written === 'string' && written.trim() === '' ? Number.NaN : Number(written)
  return score >= 0 && score <= 10 ? score : null
}

export function severityOfScore(score: number): Severity {
  if (score >= 9) return 'critical'
  if (score >= 7) return 'major'
  return score >= 4 ? 'minor' : 'info'
}

const securityTag = /secur|vulnerab|owasp|\bcwe\b|injection/i
const knownCategories = [
  'correctness',
  'reliability',
  'performance',
  'maintainability',
  'testing',
  'documentation',
  'style',
] as const

/** One category out of many tags, security first. */
export function categoryOf(tags: readonly string[]): string {
  if (tags.some((tag) => securityTag.test(tag))) return 'security'
  const lower = tags.map((tag) => tag.toLowerCase())
  const known = knownCategories.find((category) => lower.includes(category))
  if (known) return known
  return lower.find((tag) => /^[a-z][a-z0-9 _-]{2,39}$/.test(tag)) ?? 'general'
}

/** The weaknesses that the tags name, such as `CWE-79` out of `external/cwe/cwe-079`. */
export function weaknessesOf(tags: readonly string[]): readonly string[] {
  const ids = tags.flatMap((tag) =>
    [...tag.matchAll(/\bcwe-0*(\d{1,6})\b/gi)].map((match) => `CWE-${match[1]}`),
  )
  return [...new Set(ids)]
}
