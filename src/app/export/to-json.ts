import type { Issue } from '../../model/issue.ts'

/** Issues as `fixpoint.findings.v1`: importing the file finds the same issues again. */
export const toFindingsJson = (issues: readonly Issue[]) => ({
  schema: 'fixpoint.findings.v1' as const,
  source: { kind: 'tool', name: commonSource(issues) ?? 'fixpoint' },
  findings: issues.map(toFinding),
})

/** The one source that all issues have in common, so that reading them back adds no other. */
function commonSource(issues: readonly Issue[]): string | null {
  const [first] = issues
  return first?.flagged_by.find((name) => issues.every(({ flagged_by }) => flagged_by.includes(name))) ?? null
}

function toFinding(issue: Issue) {
  const { description, note } = issue.file === null ? splitPlace(issue.description) : { ...issue, note: null }
  return {
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

/** Where an issue names no file, its description says what its source wrote instead; that is part of who it is. */
function splitPlace(text: string): { readonly description: string; readonly note: string | null } {
  const found = /\n\nPlace: (.+)/.exec(text)
  if (!found?.[1]) return { description: text, note: null }
  return {
    description: text.slice(0, found.index) + text.slice(found.index + found[0].length),
    note: found[1],
  }
}
