import type { IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Severity } from '../../model/issue/severity.ts'
import { unresolved, type ExportWriter } from './export-format.ts'
import { issueMessage, pageOf } from './issue-text.ts'
import type { LineFix, LineReplacement } from './line-fixes.ts'

type Fixes = ReadonlyMap<IssueId, readonly LineFix[]>

const severities: Readonly<Record<Severity, 'ERROR' | 'WARNING' | 'INFO'>> = {
  critical: 'ERROR',
  major: 'ERROR',
  minor: 'WARNING',
  info: 'INFO',
}

export const rdjson: ExportWriter = {
  suits: unresolved,
  write: async (issues, { readFixes }) => toRdjson(issues, await readFixes(issues)),
  warningsOf(issues) {
    const placeless = issues.filter(({ file }) => file === null).length
    return placeless > 0
      ? [
          `${placeless === 1 ? '1 issue without a file is' : `${placeless} issues without a file are`} not in it: rdjson has no way to express ${placeless === 1 ? 'it' : 'them'}`,
        ]
      : []
  },
}

/** Issues as reviewdog's rdjson, which knows only places in files: an issue without a file is left out. */
export const toRdjson = (issues: readonly Issue[], fixes: Fixes = new Map()) => ({
  source: { name: 'fixpoint' },
  diagnostics: issues.flatMap((issue) =>
    issue.file === null ? [] : [diagnosticOf(issue, issue.file, fixes)],
  ),
})

function diagnosticOf(issue: Issue, path: string, fixes: Fixes) {
  const page = pageOf(issue)
  const suggestions = suggestionsOf(fixes.get(issue.id) ?? [], path)
  const [source = 'fixpoint'] = issue.flagged_by
  return {
    message: issueMessage(issue),
    location: { path, ...(issue.line !== null && { range: rangeOf(issue.line, issue) }) },
    severity: severities[issue.severity],
    source: { name: source },
    ...(issue.rule !== null && { code: { value: issue.rule, ...(page !== undefined && { url: page }) } }),
    ...(suggestions.length > 0 && { suggestions }),
  }
}

/** A suggestion belongs to the file of its diagnostic, so a fix that also changes another file is none. */
const suggestionsOf = (fixes: readonly LineFix[], path: string) =>
  fixes.every(({ file }) => file === path)
    ? fixes.flatMap(({ replacements }) => replacements.map(suggestionOf))
    : []

/** Lines by lines, without the last line end; where lines only come or go, the columns say so. */
const suggestionOf = ({ startLine, endLine, text }: LineReplacement) =>
  endLine > startLine && text !== ''
    ? { range: { start: { line: startLine }, end: { line: endLine - 1 } }, text: text.replace(/\r?\n$/, '') }
    : { range: { start: { line: startLine, column: 1 }, end: { line: endLine, column: 1 } }, text }

const rangeOf = (line: number, { end_line: endLine, column }: Issue) => ({
  start: { line, ...(column !== undefined && { column }) },
  ...(endLine !== null && { end: { line: Math.max(line, endLine) } }),
})
