import type { Issue } from '../../model/issue/issue.ts'
import { stillThere, type ExportWriter } from './export-format.ts'
import { splitPlace } from './issue-text.ts'

export const json: ExportWriter = { suits: stillThere, write: async (issues) => toFindingsJson(issues) }

/** Issues as `fixpoint.findings.v1`: importing the file finds the same issues again. */
export const toFindingsJson = (issues: readonly Issue[]) => ({
  schema: 'fixpoint.findings.v1' as const,
  source: { kind: 'tool', name: 'fixpoint' },
  findings: issues.map(toFinding),
})

function toFinding(issue: Issue) {
  const { description, note } = issue.file === null ? splitPlace(issue.description) : { ...issue, note: null }
  return {
    // Who raised it first, so that reading it back adds no other source.
    source: { kind: 'tool', name: issue.flagged_by[0] ?? 'fixpoint' },
    code: issue.code,
    status: issue.status,
    rule: issue.rule,
    title: issue.title,
    description,
    severity: issue.severity,
    category: issue.category,
    file: issue.file,
    line: issue.line,
    end_line: issue.end_line,
    ...(issue.column !== undefined && { column: issue.column }),
    place_note: note,
    current_code: issue.current_code,
    suggested_fix: issue.suggested_fix,
    references: issue.references,
    estimated_effort: issue.estimated_effort,
    estimated_files_count: issue.estimated_files_count,
    suppressed: issue.ignored?.reason ?? null,
    flagged_by: issue.flagged_by,
    evidence: issue.evidence,
    fingerprint: issue.fingerprint,
  }
}
