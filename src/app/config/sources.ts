import { settingsIn } from '../../model/config/setting.ts'
import { settings, type WrittenConfig } from '../../model/config/settings.ts'
import type { Config } from '../../model/config/config.ts'
import { formatDuration } from '../../model/duration.ts'
import { isMapping, valueAt } from './explain-issue.ts'
import { knownKeys, mappingOf } from './known-keys.ts'
import type { Layer } from './layers.ts'
import { formatKey } from './problem.ts'

/** Who decided a value, and where it is written. */
export interface ValueSource {
  readonly source: 'flag' | 'env' | 'repository' | 'user' | 'default'
  /** `fixpoint.yaml:12:3`, a variable, a flag; null for defaults. */
  readonly where: string | null
}

const byDefault: ValueSource = { source: 'default', where: null }

/** The strongest layer that gives each setting. The keys of a role stand by themselves only where they were given so. */
export function sourcesOf(layers: readonly Layer[]): ReadonlyMap<string, ValueSource> {
  const sources = new Map<string, ValueSource>()
  for (const { path, schema } of knownKeys) {
    if (path.length === 1 && mappingOf(schema)) continue // a section that a bare word can stand for
    const given = layers.findLast((layer) => decides(layer.written, path))
    const isInRole = path[0] === 'agents' && path.length > 2
    if (isInRole && (!given || (given.source !== 'env' && given.source !== 'flag'))) continue
    sources.set(
      formatKey(path),
      given ? { source: given.source, where: given.placeOf(path, 'key').where } : byDefault,
    )
  }
  return sources
}

/** The layer that names the agent of a role decides the role; single keys of it do not decide the rest. */
function decides(written: WrittenConfig, path: readonly string[]): boolean {
  const value = valueAt(written, path)
  if (value === undefined) return false
  return !(path[0] === 'agents' && path.length === 2 && isMapping(value) && value['use'] === undefined)
}

export interface SettingValue extends ValueSource {
  readonly key: string
  /** As a person would write it: durations as text, nothing that is not set. */
  readonly value: unknown
}

/** Every setting with its value and source, as `fixpoint config` prints them. */
export function listSettings(
  config: Config,
  sources: ReadonlyMap<string, ValueSource>,
): readonly SettingValue[] {
  const written = asWritten(config)
  return [...sources].map(([key, source]) => ({
    key,
    value: shownValue(key, valueAt(written, key.split('.')) ?? null),
    ...source,
  }))
}

const secretKeys = new Set(
  settingsIn(settings).flatMap(({ path, setting }) => (setting.isSecret ? [formatKey(path)] : [])),
)

const shownValue = (key: string, value: unknown): unknown =>
  value !== null && secretKeys.has(key) ? '(not shown)' : value

function asWritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asWritten)
  if (!isMapping(value)) return value
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (inner === null || (key === 'fallback' && Array.isArray(inner) && inner.length === 0)) return []
    if (key.endsWith('_ms') && typeof inner === 'number') return [[key.slice(0, -3), formatDuration(inner)]]
    return [[key, asWritten(inner)]]
  })
  return Object.fromEntries(entries)
}
