import type { IssueId, RepositoryId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Ports } from '../ports.ts'
import { pagesOf } from './revisit-issues.ts'

/** A tool that always says the same of the same code, and the files that it read in full. */
export interface ToolLook {
  readonly name: string
  readonly files: ReadonlySet<string>
}

export interface AbsentRequest {
  readonly repositoryId: RepositoryId
  readonly looks: readonly ToolLook[]
  /** The issues that this review raised, again or anew. */
  readonly raised: ReadonlySet<IssueId>
  /** Rules that nobody asked about. */
  readonly isOff: (rule: string) => boolean
}

/**
 * Marks the unresolved issues whose every source looked at the file again and raises them no longer; returns how many
 * are marked now. A claim of a model or a person is never marked: their silence means nothing.
 */
export async function markAbsent(
  { repositoryId, looks, raised, isOff }: AbsentRequest,
  ports: Pick<Ports, 'issues' | 'clock'>,
): Promise<number> {
  if (looks.length === 0) return 0
  const now = new Date(ports.clock.now()).toISOString()
  const isAbsent = (issue: Issue): boolean =>
    !raised.has(issue.id) &&
    (issue.rule === null || !isOff(issue.rule)) &&
    issue.flagged_by.length > 0 &&
    issue.flagged_by.every((source) => looks.some((look) => hasLooked(look, source, issue.file)))
  const absent: Issue[] = []
  for await (const page of pagesOf({ repositoryId, status: ['open', 'failed'] }, ports))
    absent.push(...page.filter(isAbsent))
  for (const { id, absent_since } of absent)
    if (!absent_since) await ports.issues.change(id, 'engine', (issue) => ({ ...issue, absent_since: now }))
  return absent.length
}

const hasLooked = ({ name, files }: ToolLook, source: string, file: string | null): boolean =>
  file !== null && files.has(file) && name.toLowerCase() === source.toLowerCase()
