import { cutText } from '../../../model/issue/finding-text.ts'
import type { JsonFields, JsonObject } from '../json/json-fields.ts'

/** What an export of Fixpoint says of a result beyond what SARIF can say. */
export interface OwnResult {
  /** Who raised it; an export names only itself as the tool. */
  readonly source: string | null
  readonly category: string | null
  /** Code hosts want a line for everything: whether the line, or even the file, was made up for them. */
  readonly place: 'line' | 'file' | 'none'
  readonly placeNote: string | null
  readonly suggestedFix: string | null
  readonly references: readonly string[]
}

/** Null for the results of every other tool. */
export function readOwnResult(result: JsonObject, fields: JsonFields): OwnResult | null {
  const properties = fields.child(result, 'properties')
  const fingerprints = properties && fields.child(result, 'partialFingerprints')
  if (!fingerprints || typeof fingerprints['fixpoint/v1'] !== 'string') return null
  const texts = (name: string) => fields.list(properties, name).filter((one) => typeof one === 'string')
  const { place } = properties
  const fix = fields.text(properties, 'suggested_fix')
  return {
    source: texts('flagged_by')[0]?.slice(0, 100) ?? null,
    category: fields.name(properties, 'category'),
    place: place === 'file' || place === 'none' ? place : 'line',
    placeNote: fields.text(properties, 'place_note'),
    suggestedFix: fix === null ? null : cutText(fix, 4_000),
    references: texts('references')
      .slice(0, 20)
      .map((one) => cutText(one, 500)),
  }
}
