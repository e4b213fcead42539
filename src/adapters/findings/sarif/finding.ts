import type { FindingSource, WrittenFinding } from '../../../model/issue/finding.ts'
import { cleanText, cutText, firstSentence } from '../../../model/issue/finding-text.ts'
import type { PlacedPath } from '../../../model/repository-path.ts'
import { parseSeverity, type ReadSeverity } from '../../../model/issue/severity.ts'
import type { WrittenPlace } from './place.ts'
import type { WrittenResult } from './result.ts'
import { categoryOf, severityOfScore, weaknessesOf } from './tags.ts'
import type { NameTaxon } from './taxonomy.ts'
import type { Tool, ToolRule } from './tool.ts'

/** What is known of a run when it has ended. */
export interface SarifRun {
  readonly source: FindingSource
  readonly tool: Tool
  /** Of rules whose level was changed for this run. */
  readonly levels: ReadonlyMap<ToolRule, string>
  readonly nameTaxon: NameTaxon
  readonly placeFile: (place: WrittenPlace) => PlacedPath
  /** The rule's name, cleaned, in one copy for all its results. */
  readonly nameRule: (id: string) => string | null
}

const nothing: readonly never[] = []

export function toFinding(result: WrittenResult, run: SarifRun): WrittenFinding {
  const rule = run.tool.findRule(result)
  const ruleId = result.ruleId === null ? (rule?.id ?? null) : run.nameRule(result.ruleId)
  const message = cleanText(resultMessage(result, rule, run.tool))
  const { severity, note } = severityOf(result, rule, run)
  const tags = tagsOf(result, run)
  const place = placeOf(result, run)
  const finding: Draft = {
    source: result.own?.source ? { kind: 'tool', name: result.own.source } : run.source,
    rule: ruleId,
    title: firstSentence(message) || ruleId || `A finding of ${run.source.name} without a message`,
    description: describe(message, result, run),
    severity,
    severity_note: note,
    category: categoryFor(result, rule, tags),
    file: place.file,
    line: place.line,
    end_line: place.endLine,
    suggested_fix: suggestionOf(result),
    references: referencesOf(result, rule, tags),
    estimated_effort: null,
    estimated_files_count: null,
    group: null,
    suppressed: result.suppressed === null ? null : cleanText(result.suppressed),
    place_note: place.note,
  }
  if (result.place?.column && place.line !== null) finding.column = result.place.column
  if (result.marks.length > 0) finding.marks = result.marks
  if (result.place?.snippet) finding.snippet = cleanText(result.place.snippet, 4_000)
  return finding
}

/** Spreading what is optional takes as long as all the rest, and a report has many thousands of results. */
type Draft = { -readonly [Name in keyof WrittenFinding]: WrittenFinding[Name] }

function suggestionOf({ fix, own }: WrittenResult): string | null {
  const text = own?.suggestedFix ?? fix
  return text === null ? null : cleanText(text)
}

function severityOf(result: WrittenResult, rule: ToolRule | null, { levels }: SarifRun): ReadSeverity {
  const score = result.score ?? rule?.score ?? null
  if (score !== null) return { severity: severityOfScore(score), note: null }
  return parseSeverity(result.level ?? (rule && levels.get(rule)) ?? rule?.level ?? 'warning')
}

function tagsOf({ tags, taxa }: WrittenResult, { nameTaxon }: SarifRun): readonly string[] {
  if (taxa.length === 0) return tags
  return [...tags, ...taxa.map(nameTaxon).filter((tag) => tag !== '')]
}

function categoryFor(result: WrittenResult, rule: ToolRule | null, tags: readonly string[]): string {
  if (result.own?.category) return cleanText(result.own.category, 60) || 'general'
  if (result.score !== null || (rule !== null && rule.score !== null)) return 'security'
  const ofRule = rule?.tags ?? nothing
  return categoryOf(tags.length > 0 ? [...tags, ...ofRule] : ofRule)
}

function referencesOf(
  result: WrittenResult,
  rule: ToolRule | null,
  tags: readonly string[],
): readonly string[] {
  if (result.own) return result.own.references.map((one) => cleanText(one, 500))
  const ofRule = rule?.references ?? nothing
  if (tags.length === 0) return ofRule
  return [...new Set([...ofRule, ...weaknessesOf(tags)])]
}

const nowhere = { file: null, line: null, endLine: null }

function placeOf(result: WrittenResult, run: SarifRun) {
  const { place, own } = result
  if (own?.place === 'none')
    return { ...nowhere, note: cleanText(own.placeNote ?? '', 300) || 'the report names no place' }
  if (place === null) return { ...nowhere, note: 'the report names no place' }
  const placed = run.placeFile(place)
  if ('path' in placed && own?.place === 'file') return { ...nowhere, file: placed.path, note: null }
  if ('path' in placed)
    return { file: placed.path, line: place.line, endLine: place.endLine, note: place.offset }
  return { ...nowhere, note: `${writtenPlace(place)}: ${placed.refused}` }
}

/** The message, and every other place that the result names. */
function describe(message: string, result: WrittenResult, run: SarifRun): string {
  if (result.otherPlaces.length === 0) return message
  const others = result.otherPlaces.map((place) => {
    const placed = run.placeFile(place)
    const where =
      'path' in placed ? `${placed.path}${place.line === null ? '' : `:${place.line}`}` : writtenPlace(place)
    return place.note ? `- ${where}: ${cleanText(place.note, 300)}` : `- ${where}`
  })
  return `${message}\n\nSee also:\n${[...new Set(others)].join('\n')}`
}

const writtenPlace = (place: WrittenPlace): string =>
  `${cleanText(JSON.stringify(place.uri ?? ''), 300)}${place.line === null ? '' : ` line ${place.line}`}`

/** What a result says, in plain words: its text, else its rule's message, else what the rule is about; empty when all are silent. */
function resultMessage(result: WrittenResult, rule: ToolRule | null, tool: Tool): string {
  const named = result.messageId === null ? null : tool.findMessage(rule, result.messageId, result.extension)
  const template = result.text ?? named
  if (template === null) return rule?.summary ?? result.ruleId ?? ''
  return unlink(fillIn(template, result.args))
}

/** Puts arguments for `{0}`; doubled braces are braces. */
function fillIn(template: string, args: readonly string[]): string {
  if (args.length === 0 || !template.includes('{')) return template
  const filled = template.replaceAll(/\{\{|\}\}|\{(\d{1,4})\}/g, (part, index?: string) => {
    if (index === undefined) return part.slice(1)
    return args[Number(index)] ?? part
  })
  return cutText(filled, 8_000)
}

/** `[text](1)` points at a related location, which is listed apart. */
const unlink = (text: string): string =>
  text.includes('](') ? text.replaceAll(/\[([^[\]]*)\]\(\d+\)/g, '$1') : text
