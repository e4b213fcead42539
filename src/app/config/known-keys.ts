import type { z } from 'zod'
import { WrittenConfig } from '../../model/config/settings.ts'
import type { KeyPath } from './problem.ts'

/** One setting that a person can give, with the schema of its value. */
export interface KnownKey {
  readonly path: readonly string[]
  readonly schema: z.ZodType
  readonly description: string
}

/** The schema without its wrappers. */
export function unwrap(schema: z.ZodType): z.ZodType {
  return schema.type === 'optional' ? unwrap((schema as z.ZodOptional<z.ZodType>).unwrap()) : schema
}

/** The schema of a mapping, or of the mapping among its alternatives; null when it cannot be one. */
export function mappingOf(schema: z.ZodType): z.ZodObject | null {
  const bare = unwrap(schema)
  if (bare.type === 'object') return bare as z.ZodObject
  if (bare.type !== 'union') return null
  const options = (bare as z.ZodUnion<readonly z.ZodType[]>).options
  return options.map(mappingOf).find((option) => option !== null) ?? null
}

/** The schema of one entry of a mapping or list; null when there is no such key. */
export function entryOf(schema: z.ZodType, key: string | number): z.ZodType | null {
  const bare = unwrap(schema)
  if (bare.type === 'array') return (bare as z.ZodArray<z.ZodType>).element
  if (bare.type === 'record') return (bare as z.ZodRecord<z.ZodString, z.ZodType>).valueType
  const mapping = mappingOf(bare)
  if (!mapping) return null
  if (Object.hasOwn(mapping.shape, key)) return mapping.shape[key] as z.ZodType
  const rest = mapping.def.catchall as z.ZodType | undefined
  return rest && rest.type !== 'never' ? rest : null
}

/** The schema at a path of the written configuration; null when no such key is known. */
export const schemaAt = (path: KeyPath): z.ZodType | null =>
  path.reduce<z.ZodType | null>((schema, key) => schema && entryOf(schema, key), WrittenConfig)

/** The keys that a mapping at this path may have. */
export function keysAt(path: KeyPath): readonly string[] {
  const schema = schemaAt(path)
  return Object.keys((schema && mappingOf(schema)?.shape) ?? {})
}

/** Every setting with a name of its own; the keys of an agent's role are settings too. */
export const knownKeys: readonly KnownKey[] = listKeys(WrittenConfig, [])

function listKeys(mapping: z.ZodObject, path: readonly string[]): readonly KnownKey[] {
  return Object.entries(mapping.shape).flatMap(([key, value]) => {
    const schema = value as z.ZodType
    const here = [...path, key]
    const inner = mappingOf(schema)
    const own = { path: here, schema, description: schema.description ?? '' }
    if (!inner) return [own]
    return unwrap(schema).type === 'union' ? [own, ...listKeys(inner, here)] : listKeys(inner, here)
  })
}
