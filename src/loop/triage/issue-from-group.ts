import type { Finding } from '../../model/issue/finding.ts'
import type { IssueId, RepositoryId } from '../../model/id.ts'
import { moveIssue, priorityOf, type Issue, type IssueClass } from '../../model/issue/issue.ts'
import { noFix } from '../../model/issue/no-fix.ts'
import { highestSeverity } from '../../model/issue/severity.ts'
import type { NewIssue } from '../ports.ts'
import { describe, withNewVoices } from './issue-description.ts'
import type { FindingGroup } from './matching/groups.ts'
import { wakeIgnored } from './revisit.ts'
import { normaliseTitle } from './matching/words.ts'

/** The parts of an issue that its findings do not have. */
export interface IssueOrigin {
  readonly repositoryId: RepositoryId
  readonly nextId: () => IssueId
  /** The time to record, in ISO 8601. */
  readonly now: string
  readonly classOf: (file: string | null) => IssueClass
}

const maxReferences = 20
const none: readonly never[] = []

/** The fields of an issue that nobody has answered or worked on yet. */
const untouched = {
  resolution_note: null,
  clarifications: none,
  plan: null,
  ...noFix,
  duplicate_of: null,
  depends_on: none,
} satisfies Partial<Issue>

/** Known issues that a new one has to do with. */
export interface Relatives {
  readonly regressionOf: IssueId | null
  /** It may be any of these: all of them fit equally well. */
  readonly undecided: readonly Issue[]
}

/** The issue that a group of findings becomes; one that every source suppresses is born ignored. */
export function issueFromGroup(
  group: FindingGroup,
  origin: IssueOrigin,
  { regressionOf, undecided }: Relatives,
): NewIssue {
  const { lead } = group
  const severe = mostSevere(group)
  const category = categoryOf(group)
  const flaggedBy = flagged(group)
  const suppressed = suppressedBy(group)
  const { marks } = marksOf(none, group)
  const issue: Draft = {
    ...untouched,
    id: origin.nextId(),
    class: origin.classOf(lead.file),
    repository_id: origin.repositoryId,
    task_id: lead.review_id,
    fingerprint: lead.fingerprint,
    title: lead.title,
    description: describe(group),
    severity: severe.severity,
    severity_note: severe.severity_note,
    category,
    group: topicOf(group),
    priority: priorityOf({ severity: severe.severity, category, flagged_by: flaggedBy }),
    rule: lead.rule,
    file: lead.file,
    line: lead.line,
    end_line: lead.end_line,
    current_code: lead.current_code,
    suggested_fix: bestSuggestion(null, group),
    references: group.members.length === 1 ? lead.references : allReferences(none, group),
    flagged_by: flaggedBy,
    estimated_effort: largest(group, 'estimated_effort'),
    estimated_files_count: largest(group, 'estimated_files_count'),
    status: suppressed === null ? 'open' : 'ignored',
    resolution_note: undecidedNote(undecided),
    regression_of: regressionOf,
    ignored: suppressed === null ? null : { reason: suppressed, until: null },
    anchor: lead.anchor,
    created_at: origin.now,
    updated_at: origin.now,
  }
  if (lead.column !== undefined) issue.column = lead.column
  if (marks !== undefined) issue.marks = marks
  return issue
}

/** Spreading an object into the middle of another takes as long as all the rest, and a report has many thousands. */
type Draft = { -readonly [Name in keyof NewIssue]: NewIssue[Name] }

/** When a known issue is seen again, and which of them have lost their fix since. */
export interface Sighting {
  readonly now: string
  readonly discarded?: ReadonlySet<IssueId> | undefined
  /** The source that the issue has its words and its place from, where that is known. */
  readonly lead?: string | undefined
  /** What was said of it so far, the lead first, where several said something. */
  readonly voices?: readonly Finding[]
}

/** The known issue with what the group adds; the very same object when it adds nothing. */
export function enrichIssue(issue: Issue, group: FindingGroup, seen: Sighting): Issue {
  const { now } = seen
  const severity = highestSeverity(issue.severity, mostSevere(group).severity)
  const flaggedBy = withNew(issue.flagged_by, flagged(group))
  const enriched: Issue = {
    ...wake(issue, group, seen),
    ...placeFrom(issue, group, seen.lead),
    ...(issue.absent_since && { absent_since: null }),
    ...(!issue.group && topicOf(group) !== null && { group: topicOf(group) }),
    description: withNewVoices(issue, group, seen.voices),
    severity,
    severity_note: severity === issue.severity ? issue.severity_note : mostSevere(group).severity_note,
    suggested_fix: bestSuggestion(issue.suggested_fix, group),
    references: allReferences(issue.references, group),
    ...marksOf(issue.marks ?? none, group),
    flagged_by: flaggedBy,
    priority: priorityOf({ severity, category: issue.category, flagged_by: flaggedBy }),
  }
  const names = Object.keys(enriched) as (keyof Issue)[]
  return names.every((name) => enriched[name] === issue[name]) ? issue : { ...enriched, updated_at: now }
}

/**
 * An ignored issue comes back when its time is over, unless the source itself still suppresses it; a fixed one when its
 * fix was thrown away and the code that the claim is about is there.
 */
function wake(issue: Issue, group: FindingGroup, { now, discarded }: Sighting): Issue {
  const isThere = group.members.some(({ anchor }) => anchor === 'exact')
  if (issue.status === 'resolved' && isThere && discarded?.has(issue.id))
    return {
      ...moveIssue(issue, 'open', 'engine'),
      resolution_note: `the fix was discarded: ${issue.fix_branch ?? 'its branch'} is gone, and ${issue.fix_commit_sha?.slice(0, 10) ?? 'its commit'} is on no branch`,
    }
  const awake = wakeIgnored(issue, now)
  const suppressed = suppressedBy(group)
  if (awake === null) return issue
  return suppressed === null ? awake : { ...issue, ignored: { reason: suppressed, until: null } }
}

/** Only the source that made the claim moves the issue: another one may cite another line of the same problem. */
function placeFrom(issue: Issue, group: FindingGroup, lead: string | undefined): Partial<Issue> {
  const leads = ({ source: { name } }: Finding): boolean =>
    lead === undefined ? issue.flagged_by.includes(name) : name === lead
  const voice =
    group.members.find((finding) => finding.fingerprint === issue.fingerprint) ??
    group.members.find((finding) => leads(finding) && isSameVoice(finding, issue))
  if (voice === undefined || (voice.anchor !== 'exact' && issue.anchor === 'exact')) return {}
  const { fingerprint, file, line, current_code, anchor, column } = voice
  // Some reports name the last line of a finding in one line, some do not.
  const isAsLong = line === issue.line && (voice.end_line ?? line) === (issue.end_line ?? line)
  const { end_line } = isAsLong ? issue : voice
  return { fingerprint, file, line, end_line, current_code, anchor, ...(column !== undefined && { column }) }
}

const isSameVoice = (finding: Finding, issue: Issue): boolean =>
  finding.rule === issue.rule &&
  (finding.rule !== null || normaliseTitle(finding.title) === normaliseTitle(issue.title))

const maxMarks = 20

/** The marks by which all sources know the problem; none where they say nothing new. */
function marksOf(old: readonly string[], group: FindingGroup): { readonly marks?: readonly string[] } {
  const { lead, members } = group
  if (old.length === 0 && members.length === 1 && lead.marks && lead.marks.length <= maxMarks)
    return lead.marks.length === 0 ? {} : { marks: lead.marks }
  const all = members.reduce((list, { marks }) => withNew(list, marks ?? none), old)
  return all === old ? {} : { marks: all.slice(-maxMarks) }
}

const maxUndecided = 5

function undecidedNote(issues: readonly Issue[]): string | null {
  const codes = [...new Set(issues.map(({ code }) => code))]
  if (codes.length === 0) return null
  const named = codes.slice(0, maxUndecided).join(', ')
  const more = codes.length > maxUndecided ? ` and ${codes.length - maxUndecided} more` : ''
  return `may be the same as ${named}${more}: they fit equally well, so none was chosen`
}

const mostSevere = (group: FindingGroup): Finding =>
  group.members.reduce((a, b) => (highestSeverity(a.severity, b.severity) === a.severity ? a : b))

/** Null as soon as one source does not suppress it. */
function suppressedBy(group: FindingGroup): string | null {
  return group.members.every((finding) => finding.suppressed !== null) ? group.lead.suppressed : null
}

function flagged(group: FindingGroup): readonly string[] {
  if (group.members.length === 1) return [group.lead.source.name]
  return [...new Set(group.members.map((finding) => finding.source.name))].toSorted()
}

/** The old list itself when nothing is new. */
function withNew(old: readonly string[], found: readonly string[]): readonly string[] {
  const added = found.filter((one) => !old.includes(one))
  return added.length === 0 ? old : [...old, ...added]
}

function allReferences(old: readonly string[], group: FindingGroup): readonly string[] {
  const all = group.members.reduce((list, { references }) => withNew(list, references), old)
  return all === old ? old : all.slice(0, maxReferences)
}

function bestSuggestion(old: string | null, group: FindingGroup): string | null {
  return group.members.reduce((best, { suggested_fix: fix }) => {
    return fix !== null && fix.trim().length > (best?.trim().length ?? 0) ? fix : best
  }, old)
}

const categoryOf = (group: FindingGroup): string =>
  group.members.find((finding) => finding.category !== 'general')?.category ?? group.lead.category

/** The topic that a reviewer put it under. */
const topicOf = (group: FindingGroup): string | null =>
  group.members.find((finding) => finding.group !== null)?.group ?? null

function largest(group: FindingGroup, name: 'estimated_effort' | 'estimated_files_count'): number | null {
  return group.members.reduce<number | null>((most, { [name]: value }) => {
    return value !== null && value > (most ?? 0) ? value : most
  }, null)
}
