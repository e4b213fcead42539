import type { Location, Log, ReportingDescriptor, Result } from 'sarif'
import { titleOf } from '../../model/finding-text.ts'
import type { Issue } from '../../model/issue.ts'
import type { Severity } from '../../model/severity.ts'

const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  major: 'error',
  minor: 'warning',
  info: 'note',
}
/** SARIF has no level above `error`; this score is how tools tell a critical one. */
const scores: Readonly<Record<Severity, string>> = {
  critical: '9.5',
  major: '8.0',
  minor: '5.0',
  info: '2.0',
}

/** Issues as one SARIF 2.1.0 run, which `fixpoint import` and code hosts can read. */
export function toSarif(issues: readonly Issue[], version: string): Log {
  const rules = rulesOf(issues)
  const indexOf = new Map(rules.map((rule, index) => [rule.id, index]))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'fixpoint', semanticVersion: version, rules } },
        columnKind: 'utf16CodeUnits',
        results: issues.map((issue) => resultOf(issue, indexOf)),
      },
    ],
  }
}

/** Each rule once, as the first of its issues has it. */
function rulesOf(issues: readonly Issue[]): ReportingDescriptor[] {
  const rules = new Map<string, ReportingDescriptor>()
  for (const issue of issues) {
    if (issue.rule === null || rules.has(issue.rule)) continue
    const page = issue.references.find((reference) => /^https?:\/\//i.test(reference))
    rules.set(issue.rule, {
      id: issue.rule,
      shortDescription: { text: issue.title },
      ...(page !== undefined && { helpUri: page }),
      defaultConfiguration: { level: levels[issue.severity] },
      properties: sortingOf(issue),
    })
  }
  return [...rules.values()]
}

function resultOf(issue: Issue, ruleIndex: ReadonlyMap<string, number>): Result {
  return {
    ...(issue.rule !== null && { ruleId: issue.rule, ruleIndex: ruleIndex.get(issue.rule) ?? -1 }),
    level: levels[issue.severity],
    message: { text: messageOf(issue) },
    ...(issue.file !== null && { locations: [locationOf(issue, issue.file)] }),
    partialFingerprints: { 'fixpoint/v1': issue.fingerprint },
    ...(issue.ignored && {
      suppressions: [{ kind: 'external', status: 'accepted', justification: issue.ignored.reason }],
    }),
    properties: {
      ...sortingOf(issue),
      code: issue.code,
      status: issue.status,
      severity: issue.severity,
      evidence: issue.evidence,
      flagged_by: [...issue.flagged_by],
      references: [...issue.references],
      ...(issue.suggested_fix !== null && { suggested_fix: issue.suggested_fix }),
      ...(issue.fix_commit_sha !== null && { fix_commit_sha: issue.fix_commit_sha }),
      ...(issue.ignored?.until && { ignored_until: issue.ignored.until }),
    },
  }
}

/** What code hosts sort by. Scores and weaknesses mean security to them; another issue has a score only where no level says enough. */
function sortingOf(issue: Issue) {
  const isSecurity = issue.category === 'security'
  const weaknesses = isSecurity ? issue.references.filter((reference) => /^CWE-\d+$/.test(reference)) : []
  return {
    category: issue.category,
    tags: [issue.category, ...weaknesses],
    ...((isSecurity || issue.severity === 'critical') && { 'security-severity': scores[issue.severity] }),
  }
}

/** A reader takes the first sentence as the title, so the title comes first where the description begins otherwise. */
function messageOf({ title, description }: Issue): string {
  if (description === '' || description === title) return title
  return titleOf(description) === title ? description : `${title}\n\n${description}`
}

function locationOf(issue: Issue, file: string): Location {
  const region = issue.line !== null && {
    region: {
      startLine: issue.line,
      endLine: Math.max(issue.line, issue.end_line ?? 0),
      ...(issue.current_code !== null && { snippet: { text: issue.current_code } }),
    },
  }
  return { physicalLocation: { artifactLocation: { uri: uriOf(file), uriBaseId: '%SRCROOT%' }, ...region } }
}

/** A relative reference; a lone surrogate has no bytes to escape. */
const uriOf = (file: string): string => file.toWellFormed().split('/').map(encodeURIComponent).join('/')
