import picomatch from 'picomatch'
import type { Issue } from '../../model/issue/issue.ts'
import { builtInAgent } from '../../model/config/written.ts'

/** What narrows a choice of issues beside status and severity; whatever is left out does not. */
export interface Narrowing {
  readonly rule?: readonly string[] | undefined
  /** Flagged by any of these. */
  readonly tool?: readonly string[] | undefined
  /** A file, a folder, or a glob. */
  readonly path?: string | undefined
  /** The kind of who said it: agent, rules or tool. */
  readonly source?: readonly IssueSource[] | undefined
  /** Found at or after this time. */
  readonly since?: string | undefined
}

export const issueSources = ['agent', 'rules', 'tool'] as const
export type IssueSource = (typeof issueSources)[number]

export const narrows = (narrowing: Narrowing): boolean =>
  Object.values(narrowing).some((value) => value !== undefined)

/** Whether an issue is among those that a narrowing means; `agents` are the names of known agents. */
export function createNarrowing(
  { rule, tool, path, source, since }: Narrowing,
  agents: ReadonlySet<string>,
): (issue: Pick<Issue, 'rule' | 'flagged_by' | 'file' | 'created_at'>) => boolean {
  const isAt = path === undefined ? () => true : pathMatcher(path)
  const sourceOf = (name: string): IssueSource =>
    name === builtInAgent ? 'rules' : agents.has(name) ? 'agent' : 'tool'
  return (issue) =>
    (rule?.includes(issue.rule ?? '') ?? true) &&
    (tool === undefined || issue.flagged_by.some((name) => tool.includes(name))) &&
    (source === undefined || issue.flagged_by.some((name) => source.includes(sourceOf(name)))) &&
    (path === undefined || (issue.file !== null && isAt(issue.file))) &&
    (since === undefined || issue.created_at >= since)
}

function pathMatcher(path: string): (file: string) => boolean {
  const plain = path.replace(/^\.\//, '').replace(/\/+$/, '')
  if (plain === '' || plain === '.') return () => true
  if (/[*?[{]/.test(plain)) return picomatch(plain, { dot: true })
  return (file) => file === plain || file.startsWith(`${plain}/`)
}
