import { cutText } from '../../../model/issue/finding-text.ts'
import { replacementText } from '../reading/reported-problem.ts'
import type { JsonFields, JsonRecord } from '../json/json-fields.ts'
import { readFlow, readResultPlaces, type WrittenPlace } from './place.ts'
import { readScore, readTags } from './tags.ts'
import { readTaxa, type WrittenTaxon } from './taxonomy.ts'

/** What an export of Fixpoint says of a result beyond what SARIF can say. */
interface OwnResult {
  /** Who raised it; an export names only itself as the tool. */
  readonly source: string | null
  readonly category: string | null
  /** Code hosts want a line for everything: whether the line, or even the file, was made up for them. */
  readonly place: 'line' | 'file' | 'none'
  readonly placeNote: string | null
  readonly suggestedFix: string | null
  readonly references: readonly string[]
}

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
  /** How the tool knows the result again. */
  readonly marks: readonly string[]
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
  const places = readResultPlaces(result, 'locations', fields)
  const related = readResultPlaces(result, 'relatedLocations', fields)
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
    marks: readMarks(result, fields),
  }
}

const maxMarks = 10
/** Tools write words such as "requires login" where they will not tell. */
const isTelling = (value: unknown): value is string => typeof value === 'string' && /^\S{6,200}$/.test(value)

/** Fingerprints stay from run to run; ids may. */
function readMarks(result: JsonRecord, fields: JsonFields): readonly string[] {
  const all = [
    ...readFingerprints(fields.child(result, 'fingerprints')),
    ...readFingerprints(fields.child(result, 'partialFingerprints')),
  ]
  for (const id of [result['correlationGuid'], result['guid']]) if (isTelling(id)) all.push(`id ${id}`)
  return all.length === 0 ? none : all.slice(0, maxMarks)
}

function readFingerprints(given: JsonRecord | null): readonly string[] {
  if (given === null || 'fixpoint/v1' in given) return none
  const marks: string[] = []
  for (const name of Object.keys(given)) {
    const value = given[name]
    // Joined: a template would keep its pieces beside each other in memory, which is twice as much.
    if (isTelling(value)) marks.push(['fingerprint', name, value].join(' '))
  }
  return marks.length > 1 ? marks.toSorted() : marks
}

function readArguments(message: JsonRecord, fields: JsonFields): readonly string[] {
  const args = fields.list(message, 'arguments')
  if (args.length === 0) return none
  return args.slice(0, maxArguments).map((arg) => cutText(String(arg), 2_000))
}

function readMessage(message: JsonRecord, fields: JsonFields): string | null {
  const text = fields.text(message, 'text') || fields.text(message, 'markdown')
  return text ? cutText(text, maxMessage) : null
}

/** Why the source accepts the result; a suppression that was rejected or is under review accepts nothing. */
function readSuppression(result: JsonRecord, fields: JsonFields): string | null {
  const suppressions = fields.children(result, 'suppressions')
  const first = suppressions[0]
  if (first === undefined) return null
  const isAccepted = suppressions.every((one) => (fields.text(one, 'status') ?? 'accepted') === 'accepted')
  if (!isAccepted) return null
  const where =
    fields.text(first, 'kind') === 'inSource' ? 'in the source code' : 'outside of the source code'
  return cutText(fields.text(first, 'justification') || `suppressed ${where}`, 1_000)
}

/** Null for the results of every other tool. */
function readOwnResult(result: JsonRecord, fields: JsonFields): OwnResult | null {
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

const maxFix = 4_000

/** The first fix that says something, as text that a person or an agent can follow. */
function formatFix(fixes: readonly JsonRecord[], fields: JsonFields): string | null {
  const texts = fixes.map((fix) => formatOne(fix, fields))
  const useful = texts.find((text) => text !== '')
  return useful === undefined ? null : cutText(useful, maxFix)
}

function formatOne(fix: JsonRecord, fields: JsonFields): string {
  const description = fields.child(fix, 'description')
  const said = description && (fields.text(description, 'text') || fields.text(description, 'markdown'))
  const changes = fields.children(fix, 'artifactChanges').flatMap((change) => {
    const artifact = fields.child(change, 'artifactLocation')
    const file = artifact && fields.text(artifact, 'uri')
    return fields
      .children(change, 'replacements')
      .map((replacement) => formatReplacement(replacement, file ?? 'the file', fields))
  })
  return [said ?? '', ...changes].filter((part) => part !== '').join('\n')
}

function formatReplacement(replacement: JsonRecord, file: string, fields: JsonFields): string {
  const deleted = fields.child(replacement, 'deletedRegion')
  const content = fields.child(replacement, 'insertedContent')
  const inserted = content && fields.text(content, 'text')
  return replacementText(`${file}${deleted ? formatRegion(deleted, fields) : ''}`, inserted ?? '')
}

/** `:3:5-4:1`, as far as the region tells. */
function formatRegion(region: JsonRecord, fields: JsonFields): string {
  const startLine = fields.integer(region, 'startLine')
  if (startLine === null) return ''
  const startColumn = fields.integer(region, 'startColumn')
  const endLine = fields.integer(region, 'endLine') ?? startLine
  const endColumn = fields.integer(region, 'endColumn')
  const column = (value: number | null) => (value === null ? '' : `:${value}`)
  return `:${startLine}${column(startColumn)}-${endLine}${column(endColumn)}`
}
