import type { IssueId } from '../../../model/id.ts'
import type { Issue } from '../../../model/issue/issue.ts'
import { rulesDefinition } from './definition.ts'
import type { Edit } from './engine/rule.ts'
import { editsFor, matchFor } from './repair.ts'
import { scanSources, type Rule } from './scan-sources.ts'

/** What a rule would change in one file. */
export interface ProposedFix {
  readonly file: string
  /** The file as it is. */
  readonly text: string
  readonly edits: readonly Edit[]
}

interface Engines {
  readonly rules: readonly Rule[]
  readonly signal: AbortSignal
}

/**
 * What the rules would change to fix issues of theirs; issues whose rule has no safe fix are left out, and those that
 * were not looked at before the signal. Nothing is written.
 */
export async function proposeFixes(
  issues: readonly Issue[],
  texts: ReadonlyMap<string, string>,
  engines: Engines,
): Promise<ReadonlyMap<IssueId, ProposedFix>> {
  const proposed = new Map<IssueId, ProposedFix>()
  try {
    for await (const [id, fix] of proposals(issues, texts, engines)) proposed.set(id, fix)
  } catch (error) {
    if (!engines.signal.aborted) throw error
  }
  return proposed
}

async function* proposals(
  issues: readonly Issue[],
  texts: ReadonlyMap<string, string>,
  { rules, signal }: Engines,
): AsyncGenerator<readonly [IssueId, ProposedFix]> {
  const named = new Set(issues.map(({ rule }) => rule))
  const sources = [...texts].map(([path, text]) => ({ path, text }))
  const scans = await scanSources(
    sources,
    rules.filter(({ id }) => named.has(id)),
    signal,
  )
  for (const issue of issues) {
    const scan = scans.get(issue.file ?? '')
    const text = texts.get(issue.file ?? '')
    if (!isOurs(issue) || text === undefined || !scan) continue
    const matches = scan.status === 'skipped' ? [] : scan.matches.filter(({ rule }) => rule.id === issue.rule)
    const match = matchFor(matches, issue)
    const edits = match && (await editsFor({ path: issue.file ?? '', text }, match, signal))
    if (edits) yield [issue.id, { file: issue.file ?? '', text, edits }]
  }
}

const isOurs = ({ flagged_by }: Issue): boolean => flagged_by.includes(rulesDefinition.kind)
