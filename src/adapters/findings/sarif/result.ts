import { cutText } from '../../../model/issue/finding-text.ts'
import type { JsonFields, JsonObject } from '../json/json-fields.ts'
import { readOwnResult, type OwnResult } from './own-result.ts'
import { readFlow, readPlaces, type WrittenPlace } from './place.ts'
import { formatFix } from './fix.ts'
import { readScore, readTags } from './tags.ts'
import { readTaxa, type WrittenTaxon } from './taxonomy.ts'

/** What is kept of one result until its run has ended: rules and file tables may stand after the results. */
export interface WrittenResult {
  readonly ruleId: string | null
  readonly ruleIndex: number | null
  /** Which extension holds the rule; null is the driver. */
  readonly extension: number | null
  readonly text: string | null
  readonly messageId: string | null
  readonly args: readonly string[]
  readonly level: string | null
  readonly score: number | null
  readonly tags: readonly string[]
  readonly taxa: readonly WrittenTaxon[]
  readonly place: WrittenPlace | null
  readonly otherPlaces: readonly WrittenPlace[]
  readonly fix: string | null
  readonly suppressed: string | null
  readonly own: OwnResult | null
}

const maxMessage = 8_000
const maxArguments = 100
const none: readonly never[] = []
const findingKinds = new Set(['fail', 'open', 'review'])

/** One SARIF result, or null when it is none to act on: passed, not applicable, informational, or gone since the baseline. */
export function readResult(value: unknown, fields: JsonFields): WrittenResult | null {
  const result = fields.object(value, 'result')
  const kind = fields.text(result, 'kind') ?? 'fail'
  if (!findingKinds.has(kind) || fields.text(result, 'baselineState') === 'absent') return null
  const rule = fields.child(result, 'rule')
  const component = rule && fields.child(rule, 'toolComponent')
  const message = fields.child(result, 'message')
  const level = fields.name(result, 'level')
  const fixes = fields.children(result, 'fixes')
  const places = readPlaces(result, 'locations', fields)
  const related = readPlaces(result, 'relatedLocations', fields)
  const flow = readFlow(result, fields)
  return {
    ruleId: fields.name(result, 'ruleId') ?? (rule && fields.name(rule, 'id')),
    ruleIndex: fields.integer(result, 'ruleIndex') ?? (rule && fields.integer(rule, 'index')),
    extension: component && fields.integer(component, 'index'),
    text: message && readMessage(message, fields),
    messageId: message && fields.name(message, 'id'),
    args: message ? readArguments(message, fields) : none,
    // Undecided results must say `none` in SARIF; the rule knows better.
    level: kind !== 'fail' && level === 'none' ? null : level,
    score: readScore(result, fields),
    tags: readTags(result, fields),
    taxa: readTaxa(result, fields),
    place: places[0] ?? null,
    otherPlaces: places.length < 2 && flow.length === 0 ? related : [...places.slice(1), ...related, ...flow],
    fix: fixes.length > 0 ? formatFix(fixes, fields) : null,
    suppressed: readSuppression(result, fields),
    own: readOwnResult(result, fields),
  }
}

function readArguments(message: JsonObject, fields: JsonFields): readonly string[] {
  const args = fields.list(message, 'arguments')
  if (args.length === 0) return none
  return args.slice(0, maxArguments).map((arg) => cutText(String(arg), 2_000))
}

function readMessage(message: JsonObject, fields: JsonFields): string | null {
  const text = fields.text(message, 'text') || fields.text(message, 'markdown')
  return text ? cutText(text, maxMessage) : null
}

/** Why the source accepts the result; a suppression that was rejected or is under review accepts nothing. */
function readSuppression(result: JsonObject, fields: JsonFields): string | null {
  const suppressions = fields.children(result, 'suppressions')
  const first = suppressions[0]
  if (first === undefined) return null
  const isAccepted = suppressions.every((one) => (fields.text(one, 'status') ?? 'accepted') === 'accepted')
  if (!isAccepted) return null
  const where =
    fields.text(first, 'kind') === 'inSource' ? 'in the source code' : 'outside of the source code'
  return cutText(fields.text(first, 'justification') || `suppressed ${where}`, 1_000)
}
