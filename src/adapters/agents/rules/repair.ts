import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AgentTask } from '../../../model/agent/agent.ts'
import type { IssueReport } from '../../../model/agent/report.ts'
import { applyEdits } from './engine/edits.ts'
import { readWorkspaceFile } from './review-files.ts'
import type { Edit } from './engine/rule.ts'
import type { Match } from './engine/scan.ts'
import { fixWithOxlint } from './linters/oxlint.ts'
import type { Source } from './engine/found.ts'
import { isLinterRule, scanSources, type Rule } from './scan-sources.ts'

type Repair = Pick<IssueReport, 'outcome' | 'files_modified' | 'changes_summary' | 'explanation'>

/** Applies exactly one finding's edit. A rule has one fix: when that was refused there is no second try. */
export async function repairIssue(
  task: AgentTask,
  rules: readonly Rule[],
  signal: AbortSignal,
): Promise<Repair> {
  const issue = task.issues[0]
  const rule = rules.find(({ id }) => id === issue?.rule)
  if (!issue?.file || !rule)
    return unable('needs_agent', 'no built-in rule knows this finding; configure an agent with a model')
  const refused = task.feedback.at(-1)
  if (refused)
    return blocked(
      `the only fix that ${rule.id} has was refused at ${refused.stage}: ${firstLine(refused.text)}`,
    )
  const source = await readWorkspaceFile(task.workspace, issue.file)
  if (source === null) return blocked(`${issue.file} cannot be read`)
  const scan = (await scanSources([{ path: issue.file, text: source }], [rule], signal)).get(issue.file)
  if (!scan || scan.status === 'skipped')
    return blocked(`${issue.file} cannot be parsed: ${scan?.why ?? 'nothing is known of it'}`)
  const match = matchFor(scan.matches, issue)
  if (!match) return blocked(`${rule.id} finds nothing in ${issue.file} any more`)
  const edits = await editsFor({ path: issue.file, text: source }, match, signal)
  if (!edits)
    return unable(
      'needs_agent',
      `${rule.id} has no fix that is safe to apply here; configure an agent with a model, or ${asRequest(rule.advice ?? match.message)}`,
    )
  await writeFile(join(task.workspace, issue.file), applyEdits(source, edits))
  return {
    outcome: 'fixed',
    files_modified: [issue.file],
    changes_summary: summaryOf(match, issue.file),
    explanation: `${match.message} ${rule.why}`,
  }
}

/** What the fix does, of which name or in which line. */
function summaryOf({ rule, message, line }: Match, file: string): string {
  const done = rule.done ?? rule.advice ?? `settle ${rule.id}`
  const name = /`([\w.]+)`/.exec(message)?.[1]
  const where = `in ${file.split('/').at(-1)}`
  return done.includes('{name}') && name !== undefined
    ? `${done.replace('{name}', name)} ${where}`
    : `${done.replace(' {name}', '')} ${where}, line ${line}`
}

/** Advice in the middle of a sentence: without a capital, unless its first word is a name such as SQL, and without a stop. */
const asRequest = (advice: string): string =>
  advice.replace(/^\p{Lu}(?=\p{Ll}|\s)/u, (letter) => letter.toLowerCase()).replace(/\.$/, '')

/** oxlint says that there is a fix, but shows it only when it applies it. */
export const editsFor = async (
  source: Source,
  { rule, edits, ...place }: Match,
  signal: AbortSignal,
): Promise<readonly Edit[] | null> =>
  isLinterRule(rule) && rule.linter === 'oxlint' && rule.isFixSafe
    ? fixWithOxlint(source, { rule, ...place }, signal)
    : edits

const blocked = (explanation: string): Repair => unable('blocked', explanation)

const unable = (outcome: 'blocked' | 'needs_agent', explanation: string): Repair => ({
  outcome,
  files_modified: [],
  changes_summary: '',
  explanation,
})

const firstLine = (text: string): string => text.split('\n')[0] ?? ''

type Cited = Pick<AgentTask['issues'][number], 'line' | 'current_code' | 'column'>

/** The match an issue is about: the cited code first, then the nearest line and column. Earlier fixes may have moved it. */
export function matchFor(matches: readonly Match[], issue: Cited): Match | null {
  const cited = issue.current_code ?? ''
  const distance = (match: Match): number => Math.abs(match.line - (issue.line ?? match.line))
  const besides = (match: Match): number => Math.abs(match.column - (issue.column ?? match.column))
  const ranked = matches.toSorted(
    (a, b) =>
      Number(cited.includes(b.text)) - Number(cited.includes(a.text)) ||
      distance(a) - distance(b) ||
      besides(a) - besides(b),
  )
  return ranked[0] ?? null
}
