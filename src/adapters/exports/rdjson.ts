import type { Issue } from '../../model/issue/issue.ts'
import type { Severity } from '../../model/issue/severity.ts'
import { unresolved, type ExportWriter } from './export-format.ts'
import { issueMessage, pageOf } from './issue-text.ts'

const severities: Readonly<Record<Severity, 'ERROR' | 'WARNING' | 'INFO'>> = {
  critical: 'ERROR',
  major: 'ERROR',
  minor: 'WARNING',
  info: 'INFO',
}

export const rdjson: ExportWriter = {
  suits: unresolved,
  write: async (issues) => toRdjson(issues),
  warningsOf(issues) {
    const placeless = issues.filter(({ file }) => file === null).length
    return placeless > 0
      ? [`${placeless} issues without a file are not in it: rdjson has no way to express them`]
      : []
  },
}

/** Issues as reviewdog's rdjson, which knows only places in files: an issue without a file is left out. */
export const toRdjson = (issues: readonly Issue[]) => ({
  source: { name: 'fixpoint' },
  diagnostics: issues.flatMap((issue) => (issue.file === null ? [] : [diagnosticOf(issue, issue.file)])),
})

function diagnosticOf(issue: Issue, path: string) {
  const page = pageOf(issue)
  const [source = 'fixpoint'] = issue.flagged_by
  return {
    message: issueMessage(issue),
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
