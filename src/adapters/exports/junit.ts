import type { Issue, IssueStatus } from '../../model/issue/issue.ts'
import { stillThere, type ExportWriter } from './export-format.ts'
import { issueMessage } from './issue-text.ts'

export const junit: ExportWriter = { suits: stillThere, write: async (issues) => toJunit(issues) }

/** Issues as a JUnit report: one suite per file; what stays unresolved fails, what is ignored is skipped. */
export function toJunit(issues: readonly Issue[]): string {
  const suites = [...Map.groupBy(issues, ({ file }) => file ?? 'no file')]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="fixpoint" ${countsOf(issues)}>`,
    ...suites.flatMap(([file, ofFile]) => [
      `  <testsuite name="${escape(file)}" ${countsOf(ofFile)}>`,
      ...ofFile.map(caseOf),
      '  </testsuite>',
    ]),
    '</testsuites>\n',
  ].join('\n')
}

const ends: Readonly<Record<IssueStatus, 'failure' | 'skipped' | null>> = {
  open: 'failure',
  in_progress: 'failure',
  failed: 'failure',
  ignored: 'skipped',
  duplicate: 'skipped',
  resolved: null,
  merged: null,
}

function countsOf(issues: readonly Issue[]): string {
  const count = (end: 'failure' | 'skipped') => issues.filter(({ status }) => ends[status] === end).length
  return `tests="${issues.length}" failures="${count('failure')}" errors="0" skipped="${count('skipped')}"`
}

function caseOf(issue: Issue): string {
  const place = [
    ['file', issue.file],
    ['line', issue.line],
  ].flatMap(([name, value]) => (value === null ? [] : [` ${name}="${escape(String(value))}"`]))
  const name = `${issue.code} ${issue.title}`
  const opening = `    <testcase name="${escape(name)}" classname="${escape(issue.rule ?? issue.category)}"${place.join('')}`
  const end = ends[issue.status]
  if (end === null) return `${opening}/>`
  const inside =
    end === 'skipped'
      ? `<skipped message="${escape(issue.ignored?.reason ?? issue.status)}"/>`
      : `<failure message="${escape(issue.title)}" type="${issue.severity}">${escape(issueMessage(issue))}</failure>`
  return `${opening}>\n      ${inside}\n    </testcase>`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** XML has no way to write most control characters and lone surrogates; they are shown as a replacement. */
const escape = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '\uFFFD')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
