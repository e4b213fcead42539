import type { Fix, Location, Result } from 'sarif'
import type { IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Severity } from '../../model/issue/severity.ts'
import type { RuleText } from './export-format.ts'
import { issueMessage, splitPlace } from './issue-text.ts'
import type { LineFix } from './line-fixes.ts'

export const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  major: 'error',
  minor: 'warning',
  info: 'note',
}
/** SARIF has no level above `error`; tools mark a critical one by this score. */
const scores: Readonly<Record<Severity, string>> = {
  critical: '9.5',
  major: '8.0',
  minor: '5.0',
  info: '2.0',
}
const maxTags = 10

export interface SarifOptions {
  readonly version: string
  /** The newest review: what it raised first is new, everything else was there before. */
  readonly newestReview?: string | null
  /** What was or would be changed to fix an issue, where the code still is as it was. */
  readonly fixes?: ReadonlyMap<IssueId, readonly LineFix[]>
  readonly rules?: ReadonlyMap<string, RuleText>
}

export interface ResultContext extends SarifOptions {
  readonly ruleIndex: ReadonlyMap<string, number>
  /** 1 for the first issue of its fingerprint, 2 for its first copy, … */
  readonly occurrence: number
}

export function toResult(
  issue: Issue,
  { ruleIndex, occurrence, fixes, newestReview }: ResultContext,
): Result {
  const { description, note } = issue.file === null ? splitPlace(issue.description) : { ...issue, note: null }
  const changes = fixes?.get(issue.id)
  return {
    ...(issue.rule !== null && { ruleId: issue.rule, ruleIndex: ruleIndex.get(issue.rule) ?? -1 }),
    ...(issue.status === 'merged'
      ? { kind: 'pass' as const, level: 'none' as const }
      : { level: levels[issue.severity] }),
    message: { text: issueMessage({ title: issue.title, description }) },
    locations: [locationOf(issue)],
    partialFingerprints: {
      'fixpoint/v1': issue.fingerprint,
      // What code hosts match alerts by; without it they hash the line, which does not survive an edit nearby.
      primaryLocationLineHash: `${issue.fingerprint.slice(0, 16)}:${occurrence}`,
    },
    ...(newestReview && { baselineState: baselineOf(issue, newestReview) }),
    ...(issue.ignored && {
      suppressions: [{ kind: 'external', status: 'accepted', justification: issue.ignored.reason }],
    }),
    // It is fixed on a branch that the code host does not look at: the base has the problem until the branch is merged.
    ...(issue.status === 'resolved' && {
      suppressions: [{ kind: 'external', status: 'underReview', justification: whereFixed(issue) }],
    }),
    ...(changes && { fixes: [toFix(issue, changes)] }),
    properties: propertiesOf(issue, note),
  }
}

const whereFixed = ({ fix_commit_sha: commit, fix_branch: branch }: Issue): string =>
  commit === null ? 'resolved by a person' : `fixed by ${commit} on ${branch ?? 'a branch'}, not merged yet`

function baselineOf(issue: Issue, newestReview: string): 'new' | 'unchanged' | 'absent' {
  if (issue.status === 'merged') return 'absent'
  return issue.task_id === newestReview ? 'new' : 'unchanged'
}

const propertiesOf = (issue: Issue, note: string | null) => ({
  ...sortingOf(issue),
  code: issue.code,
  status: issue.status,
  severity: issue.severity,
  priority: issue.priority,
  evidence: issue.evidence,
  flagged_by: [...issue.flagged_by],
  references: [...issue.references],
  // Code hosts want a line in a file for everything; this says what it really is.
  ...(issue.file === null && { place: 'none', place_note: note }),
  ...(issue.file !== null && issue.line === null && { place: 'file' }),
  ...(issue.suggested_fix !== null && { suggested_fix: issue.suggested_fix }),
  ...(issue.fix_commit_sha !== null && { fix_commit_sha: issue.fix_commit_sha }),
  ...(issue.fix_challenger_score !== null && { fix_challenger_score: issue.fix_challenger_score }),
  ...(issue.ignored?.until && { ignored_until: issue.ignored.until }),
})

/** What code hosts sort by. A score or a weakness means security to them, so another issue has a score only when it is critical. */
export function sortingOf(issue: Issue) {
  const isSecurity = issue.category === 'security'
  const weaknesses = isSecurity ? issue.references.filter((reference) => /^CWE-\d+$/.test(reference)) : []
  return {
    category: issue.category,
    tags: [...new Set([issue.category, ...weaknesses])].slice(0, maxTags),
    ...((isSecurity || issue.severity === 'critical') && { 'security-severity': scores[issue.severity] }),
  }
}

function locationOf(issue: Issue): Location {
  const line = issue.line ?? 1
  return {
    physicalLocation: {
      artifactLocation: locationUri(issue.file ?? 'no file'),
      region: {
        startLine: line,
        ...(issue.column !== undefined && { startColumn: issue.column }),
        endLine: Math.max(line, issue.end_line ?? 0),
        ...(issue.current_code !== null && { snippet: { text: issue.current_code } }),
      },
    },
  }
}

function toFix(issue: Issue, changes: readonly LineFix[]): Fix {
  return {
    description: { text: issue.fix_explanation ?? `A fix of ${issue.code}.` },
    artifactChanges: changes.map(({ file, replacements }) => ({
      artifactLocation: locationUri(file),
      replacements: replacements.map(({ startLine, endLine, text }) => ({
        deletedRegion: { startLine, startColumn: 1, endLine, endColumn: 1 },
        ...(text !== '' && { insertedContent: { text } }),
      })),
    })),
  }
}

/** A relative reference; a lone surrogate has no bytes to escape. */
const locationUri = (file: string) => ({
  uri: file.toWellFormed().split('/').map(encodeURIComponent).join('/'),
  uriBaseId: '%SRCROOT%',
})
