import { z } from 'zod'
import { findJsonObjects, isRecord, type JsonObject } from '../json-text.ts'

/** `needs_agent` is the word of an agent without a model: it knows the problem and has no fix for it. */
export const ReportedOutcome = z.enum(['fixed', 'blocked', 'deferred', 'false_positive', 'needs_agent'])
export type ReportedOutcome = z.infer<typeof ReportedOutcome>

/** What a fixer says about one issue: a hint, never a proof. */
export const IssueReport = z.object({
  outcome: ReportedOutcome,
  files_modified: z.array(z.string()).readonly(),
  changes_summary: z.string(),
  explanation: z.string(),
  confidence: z.number().min(0).max(100).nullable(),
  completeness: z.string().nullable(),
  risks: z.array(z.string()).readonly(),
})
export type IssueReport = z.infer<typeof IssueReport>

/** The fixer's report over all issues it was given, with what did not fit noted. */
export interface FixerReport {
  readonly issues: ReadonlyMap<string, IssueReport>
  readonly notes: readonly string[]
}

const text = z.string().catch('')
const Written = z.object({
  outcome: ReportedOutcome.optional().catch(undefined),
  status: ReportedOutcome.optional().catch(undefined),
  files_modified: z.array(z.string()).optional().catch(undefined),
  file_modified: z.string().optional().catch(undefined),
  changes_summary: text,
  explanation: text,
  self_evaluation: z
    .object({
      confidence: z.number().min(0).max(100).nullable().catch(null),
      completeness: z.string().nullable().catch(null),
      risks: z.array(z.string()).catch([]),
    })
    .catch({ confidence: null, completeness: null, risks: [] }),
})

const unreported = { none: 'no report', unknown: 'the report names no known outcome' } as const

/** Whether Fixpoint wrote the explanation because there was no report, or the report named no outcome. */
export const isUnreported = (explanation: string): boolean =>
  Object.values(unreported).some((one) => one === explanation)

const missing = (why: string): IssueReport => ({
  outcome: 'deferred',
  files_modified: [],
  changes_summary: '',
  explanation: why,
  confidence: null,
  completeness: null,
  risks: [],
})

/** Reads a fixer's text for the given codes: every code gets a report, the missing ones as deferred. Null when there is none to read. */
export function readFixerReport(output: string, codes: readonly string[]): FixerReport | null {
  const entries = findJsonObjects(output)
    .map(entriesOf)
    .findLast((found) => found !== null)
  if (!entries) return null
  const notes: string[] = []
  const read = new Map<string, IssueReport>()
  for (const [code, value] of entries) {
    if (!codes.includes(code)) notes.push(`reported on ${code}, which it was not given`)
    else if (read.has(code)) notes.push(`reported twice on ${code}; the first report counts`)
    else read.set(code, readEntry(value))
  }
  for (const code of codes) if (!read.has(code)) read.set(code, missing(unreported.none))
  return { issues: read, notes }
}

type Entry = readonly [string, unknown]

/** The report's three shapes: `issues` by code, `outcomes[]` with ids, or one issue alone. */
function entriesOf(value: JsonObject): readonly Entry[] | null {
  if (isRecord(value['issues'])) return Object.entries(value['issues'])
  if (Array.isArray(value['outcomes'])) return value['outcomes'].filter(isRecord).map(namedEntry)
  if (typeof value['issue_code'] === 'string') return [namedEntry(value)]
  return null
}

const namedEntry = (value: Record<string, unknown>): Entry => {
  const id = value['id'] ?? value['issue_code']
  return [typeof id === 'string' ? id : '', value]
}

function readEntry(value: unknown): IssueReport {
  const parsed = Written.safeParse(value)
  const outcome = parsed.data?.outcome ?? parsed.data?.status
  if (!parsed.success || !outcome) return missing(unreported.unknown)
  const { files_modified, file_modified, changes_summary, explanation, self_evaluation } = parsed.data
  return {
    outcome,
    files_modified: files_modified ?? (file_modified ? [file_modified] : []),
    changes_summary,
    explanation,
    ...self_evaluation,
  }
}
