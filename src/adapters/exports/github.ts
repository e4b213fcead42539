import type { Issue } from '../../model/issue/issue.ts'
import { Severity } from '../../model/issue/severity.ts'
import { issueMessage } from './issue-text.ts'
import { unresolved, type ExportWriter } from './export-format.ts'
import { toMarkdown } from './markdown.ts'

const kinds: Readonly<Record<Severity, 'error' | 'warning' | 'notice'>> = {
  critical: 'error',
  major: 'error',
  minor: 'warning',
  info: 'notice',
}
/** GitHub refuses a summary of more than 1 MiB. */
const maxSummaryBytes = 1_000_000

/** GitHub shows no more of a kind for one step. */
const annotationsShown = 10

export const github: ExportWriter = {
  suits: unresolved,
  write: async (issues) => toGithub(issues),
}

/**
 * Issues as workflow commands, one annotation per line, the most severe first. The last line, which is no command,
 * counts by rule the issues that GitHub would not show.
 */
export function toGithub(issues: readonly Issue[]): string {
  const ordered = Severity.options.flatMap((one) => issues.filter(({ severity }) => severity === one))
  const byKind = [...Map.groupBy(ordered, ({ severity }) => kinds[severity]).values()]
  const left = byKind.flatMap((found) => found.slice(annotationsShown))
  return (
    byKind
      .flatMap((found) => found.slice(0, annotationsShown))
      .map(annotationOf)
      .join('') + restOf(left)
  )
}

const rulesNamed = 5

function restOf(left: readonly Issue[]): string {
  if (left.length === 0) return ''
  const rules = [...Map.groupBy(left, ({ rule }) => rule ?? 'no rule')]
    .map(([rule, { length }]) => ({ rule: rule.replaceAll(/[^\w@./ -]/g, '?'), length }))
    .toSorted((a, b) => b.length - a.length)
  const named = rules.slice(0, rulesNamed).map(({ rule, length }) => `${length} of ${rule}`)
  const others = rules.length > rulesNamed ? [`${rules.length - rulesNamed} other rules`] : []
  return `Fixpoint: ${left.length} more without an annotation: ${[...named, ...others].join(', ')}. --summary has them.\n`
}

function annotationOf(issue: Issue): string {
  const properties = [
    ['file', issue.file],
    ['line', issue.line],
    ['endLine', issue.line === null ? null : Math.max(issue.line, issue.end_line ?? 0)],
    ['title', `${issue.code}${issue.rule === null ? '' : ` ${issue.rule}`}`],
  ].filter(([, value]) => value !== null)
  const written = properties.map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
  return `::${kinds[issue.severity]} ${written.join(',')}::${escapeData(issueMessage(issue))}\n`
}

/** A line end would end the command, and what follows could be another one. */
const escapeData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** The report for a job's summary page; where it would be too long, the least severe issues are only counted. */
export function toStepSummary(issues: readonly Issue[]): string {
  const bySeverity = Severity.options.flatMap((one) => issues.filter(({ severity }) => severity === one))
  for (let shown = bySeverity.length; shown > 0; shown = Math.floor(shown / 2)) {
    const left = bySeverity.length - shown
    const more = left > 0 ? `\nand ${left} more; fixpoint issues list shows all.\n` : ''
    const text = `${toMarkdown(bySeverity.slice(0, shown), 'Fixpoint')}${more}`
    if (Buffer.byteLength(text) <= maxSummaryBytes) return text
  }
  return toMarkdown([], 'Fixpoint')
}
