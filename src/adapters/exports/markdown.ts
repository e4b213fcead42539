import type { Issue } from '../../model/issue/issue.ts'
import { Severity } from '../../model/issue/severity.ts'
import { everything, type ExportWriter } from './export-format.ts'
import { codeFence, inlineCode, plainLine, plainText } from '../../model/markdown-text.ts'

export const markdown: ExportWriter = { suits: everything, write: async (issues) => toMarkdown(issues) }

/** Nobody reads more rows of a table, or more issues in full; what is left out is counted. */
const maxRows = 100
const maxInFull = 100
const maxRules = 15

/** Issues as a report for people: how many and of which rules, a table for each severity, then the most severe in full. */
export function toMarkdown(issues: readonly Issue[], title = 'Issues'): string {
  const groups = Severity.options
    .map((severity) => ({ severity, found: issues.filter((issue) => issue.severity === severity) }))
    .filter(({ found }) => found.length > 0)
  const inFull = groups.flatMap(({ found }) => found).slice(0, maxInFull)
  const parts = [
    `# ${plainLine(title)}`,
    issues.length === 0 ? 'There are none.' : countsOf(issues),
    ...rulesTable(issues),
    ...groups.map(({ severity, found }) => `## ${capital(severity)} (${found.length})\n\n${tableOf(found)}`),
    ...(issues.length > 0 ? ['## Details', ...inFull.map(detailsOf)] : []),
    ...more(issues.length - inFull.length, 'issues are not shown in full'),
  ]
  return `${parts.join('\n\n')}\n`
}

const more = (left: number, what: string): readonly string[] =>
  left > 0 ? [`${left} more ${what}; \`fixpoint issues list\` has them all.`] : []

/** The rules that most issues come from; empty where every issue has a rule of its own. */
function rulesTable(issues: readonly Issue[]): readonly string[] {
  const rules = [...Map.groupBy(issues, ({ rule }) => rule ?? 'no rule')]
    .map(([rule, { length }]) => ({ rule, length }))
    .toSorted((a, b) => b.length - a.length)
  if (rules.length < 2 || rules.length === issues.length) return []
  const rows = rules.slice(0, maxRules).map(({ rule, length }) => `| ${cell(inlineCode(rule))} | ${length} |`)
  const table = ['| rule | issues |', '|---|---|', ...rows].join('\n')
  return [table, ...more(rules.length - maxRules, 'rules have fewer issues')]
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

function countsOf(issues: readonly Issue[]): string {
  const counts = Map.groupBy(issues, ({ status }) => status)
  const parts = [...counts].map(([status, { length }]) => `${length} ${status.replace('_', ' ')}`)
  return `${issues.length} ${issues.length === 1 ? 'issue' : 'issues'}: ${parts.join(', ')}.`
}

function tableOf(issues: readonly Issue[]): string {
  const rows = issues
    .slice(0, maxRows)
    .map(
      (issue) =>
        `| ${issue.code} | ${issue.status} | ${cell(placeOf(issue))} | ${cell(plainLine(issue.title))} |`,
    )
  const table = ['| code | status | place | title |', '|---|---|---|---|', ...rows].join('\n')
  return [table, ...more(issues.length - rows.length, 'of them')].join('\n\n')
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

const placeOf = ({ file, line }: Issue): string =>
  file === null ? '' : inlineCode(`${file}${line ? `:${line}` : ''}`)

function detailsOf(issue: Issue): string {
  const facts = [
    ['Severity', issue.severity],
    ['Status', issue.status],
    ['Place', placeOf(issue)],
    ['Category', plainLine(issue.category)],
    ['Rule', issue.rule === null ? '' : inlineCode(issue.rule)],
    ['Raised by', plainLine(issue.flagged_by.join(', '))],
    ['Ignored', issue.ignored ? plainLine(ignoredText(issue.ignored)) : ''],
    ['Fixed by', issue.fix_commit_sha === null ? '' : inlineCode(issue.fix_commit_sha)],
    ['Evidence', issue.evidence ?? ''],
    ['Note', issue.resolution_note === null ? '' : plainLine(issue.resolution_note)],
  ].filter(([, value]) => value !== '')
  return [
    `### ${issue.code}: ${plainLine(issue.title)}`,
    facts.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
    ...(issue.description === issue.title ? [] : [plainText(issue.description)]),
    ...(issue.current_code === null ? [] : [codeFence(issue.current_code)]),
    ...(issue.suggested_fix === null ? [] : [`Suggested:\n\n${codeFence(issue.suggested_fix)}`]),
    ...(issue.references.length === 0
      ? []
      : [issue.references.map((one) => `- ${plainLine(one)}`).join('\n')]),
  ].join('\n\n')
}

const ignoredText = ({ reason, until }: NonNullable<Issue['ignored']>): string =>
  until === null ? reason : `${reason} (until ${until})`
