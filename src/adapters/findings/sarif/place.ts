import { cutText } from '../../../model/issue/finding-text.ts'
import type { JsonFields, JsonRecord } from '../json/json-fields.ts'
import { lineOf, oddLine } from '../reading/reported-problem.ts'

/** A place as a result writes it, before file tables and URI bases are known. */
export interface WrittenPlace {
  readonly uri: string | null
  /** Into the run's table of artifacts. */
  readonly index: number | null
  readonly baseId: string | null
  readonly line: number | null
  readonly endLine: number | null
  readonly column: number | null
  /** The code there, as the tool cites it. */
  readonly snippet: string | null
  /** How the place is given where no line is. */
  readonly offset: string | null
  readonly note: string | null
}

/** Nobody reads more places than this. */
const maxPlaces = 10
const nowhere: readonly never[] = []

/** The places of a result, such as those under `locations`; a place without a file is left out. */
export function readResultPlaces(
  result: JsonRecord,
  name: string,
  fields: JsonFields,
): readonly WrittenPlace[] {
  const locations = fields.children(result, name)
  if (locations.length === 0) return nowhere
  const places = locations.slice(0, maxPlaces).map((location) => readPlace(location, fields))
  return places.filter((place) => place !== null)
}

/** The steps of the first flow that leads to the problem. */
export function readFlow(result: JsonRecord, fields: JsonFields): readonly WrittenPlace[] {
  const [codeFlow] = fields.children(result, 'codeFlows')
  const [threadFlow] = codeFlow ? fields.children(codeFlow, 'threadFlows') : nowhere
  const steps = threadFlow ? fields.children(threadFlow, 'locations').slice(0, maxPlaces) : nowhere
  if (steps.length === 0) return nowhere
  const places = steps.map((step) => {
    const location = fields.child(step, 'location')
    return location && readPlace(location, fields)
  })
  return places.filter((place) => place !== null)
}

function readPlace(location: JsonRecord, fields: JsonFields): WrittenPlace | null {
  const physical = fields.child(location, 'physicalLocation')
  const artifact = physical && fields.child(physical, 'artifactLocation')
  if (!physical || !artifact) return null
  const region = fields.child(physical, 'region')
  const message = fields.child(location, 'message')
  const note = message && fields.text(message, 'text')
  // Tools write line 0 for "the whole file".
  const line = lineOf(region?.['startLine'])
  const end = line === null ? null : lineOf(region?.['endLine'])
  const snippet = region && fields.child(region, 'snippet')
  return {
    uri: fields.name(artifact, 'uri'),
    index: fields.integer(artifact, 'index'),
    baseId: fields.name(artifact, 'uriBaseId'),
    line,
    endLine: line !== null && end !== null && end >= line ? end : line,
    offset: line === null && region ? (oddLine(region['startLine']) ?? readOffset(region)) : null,
    column: line === null ? null : lineOf(region?.['startColumn']),
    snippet: (snippet && fields.text(snippet, 'text')) || null,
    note: note === null ? null : cutText(note, 300),
  }
}

/**
 * Offsets in characters or bytes count in the tool's own copy of the file, which is not at hand: such a place is
 * mentioned, not used.
 */
function readOffset(region: JsonRecord): string | null {
  for (const unit of ['char', 'byte'] as const) {
    const from = region[`${unit}Offset`]
    if (typeof from !== 'number' || from < 0) continue
    const length = Number(region[`${unit}Length`] ?? 0)
    const name = unit === 'char' ? 'characters' : 'bytes'
    return `the report gives no line, but ${name} ${from} to ${from + Math.max(0, length)} of the file`
  }
  return null
}
