import type { z } from 'zod'
import { WrittenConfig } from '../../model/config/settings.ts'
import {
  explainIssue,
  isMapping,
  mostExplained,
  toPath,
  unknownKey,
  valueAt,
  type Explained,
} from './explain-issue.ts'
import { entryOf, mappingOf, unwrap } from './known-keys.ts'
import { formatKey, showValue, type KeyPath } from './problem.ts'

/** What is valid of a written configuration, and what is wrong with the rest. */
export interface CheckedConfig {
  readonly written: WrittenConfig
  readonly explained: readonly Explained[]
}

/** Checks section by section and key by key, so that what is valid can still be checked as a whole. */
export function keepValid(value: unknown): CheckedConfig {
  if (value === null || value === undefined) return { written: {}, explained: [] }
  if (!isMapping(value)) {
    const text = `expected settings such as "verify:", found ${showValue(value)}`
    return { written: {}, explained: [{ path: [], at: 'value', text }] }
  }
  const explained: Explained[] = []
  const visit = (schema: z.ZodType, path: KeyPath, entry: unknown): unknown => {
    const mapping = unwrap(schema).type === 'object' && path.length < 2 ? mappingOf(schema) : null
    if (!mapping || !isMapping(entry)) return parseEntry({ schema, path, entry }, explained)
    const kept = Object.entries(entry).map(([key, inner]) => {
      // An agent of one's own is a mapping; anything else under an unknown key was meant to be a role.
      const known = Object.hasOwn(mapping.shape, key) || isMapping(inner) ? entryOf(mapping, key) : null
      if (known) return [key, visit(known, [...path, key], inner)] as const
      explained.push({
        path: [...path, key],
        at: 'key',
        text: explained.length < mostExplained ? unknownKey([...path, key]) : 'unknown key',
      })
      return [key, undefined] as const
    })
    return Object.fromEntries(kept.filter(([, inner]) => inner !== undefined))
  }
  return { written: visit(WrittenConfig, [], value) as WrittenConfig, explained }
}

/** A value that somebody wrote, where it stands, and what it should be. */
interface WrittenEntry {
  readonly schema: z.ZodType
  readonly path: KeyPath
  readonly entry: unknown
}

/** The parsed entry; undefined when it is wrong, and `explained` then says what is wrong with it. */
export function parseEntry({ schema, path, entry }: WrittenEntry, explained: Explained[]): unknown {
  const parsed = schema.safeParse(entry === undefined ? null : entry)
  if (parsed.success) return parsed.data
  const said = new Set<string>()
  for (const issue of parsed.error.issues) {
    const inner = toPath(issue.path)
    for (const one of explainIssue(issue, [...path, ...inner], valueAt(entry, inner))) {
      // A value that fails one test often fails the next for the same reason: the first one is enough.
      const key = formatKey(one.path)
      if (!said.has(key)) explained.push(one)
      said.add(key)
    }
  }
  return undefined
}
