import type { Issue } from '../../model/issue/issue.ts'
import type { Severity } from '../../model/issue/severity.ts'
import { messageOf, pageOf } from './issue-text.ts'

const severities: Readonly<Record<Severity, 'ERROR' | 'WARNING' | 'INFO'>> = {
  critical: 'ERROR',
  major: 'ERROR',
  minor: 'WARNING',
  info: 'INFO',
}

/** Issues as reviewdog's rdjson. It knows only places in files: an issue without one is not in it. */
export const toRdjson = (issues: readonly Issue[]) => ({
  source: { name: 'fixpoint' },
  diagnostics: issues.flatMap((issue) => (issue.file === null ? [] : [diagnosticOf(issue, issue.file)])),
})

function diagnosticOf(issue: Issue, path: string) {
  const page = pageOf(issue)
  const [source = 'fixpoint'] = issue.flagged_by
  return {
    message: messageOf(issue),
    location: { path, ...(issue.line !== null && { range: rangeOf(issue.line, issue.end_line) }) },
    severity: severities[issue.severity],
    source: { name: source },
    ...(issue.rule !== null && { code: { value: issue.rule, ...(page !== undefined && { url: page }) } }),
  }
}

const rangeOf = (line: number, endLine: number | null) => ({
  start: { line },
  ...(endLine !== null && { end: { line: Math.max(line, endLine) } }),
})
