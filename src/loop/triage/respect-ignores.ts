import type { RepositoryId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { respectIgnore, type SharedIgnore } from '../../model/issue/move-by-hand.ts'
import type { Ports } from '../ports.ts'
import { pagesOf } from './revisit-issues.ts'

/** Brings the issues in line with the project's own list; gives how many it ignores that were not ignored here. */
export async function respectIgnores(
  repositoryId: RepositoryId,
  ignores: readonly SharedIgnore[],
  ports: Pick<Ports, 'issues'>,
): Promise<number> {
  const entries = new Map(ignores.map((entry) => [entry.fingerprint, entry]))
  const after = (issue: Issue): Issue => respectIgnore(issue, entries.get(issue.fingerprint))
  const due: Issue[] = []
  // Without a list only the issues that it ignored before matter.
  const status = entries.size === 0 ? (['ignored'] as const) : (['ignored', 'open', 'failed'] as const)
  for await (const page of pagesOf({ repositoryId, status: [...status] }, ports))
    due.push(...page.filter((issue) => after(issue) !== issue))
  for (const { id } of due) await ports.issues.change(id, 'person', after)
  return due.filter((issue) => issue.status !== 'ignored').length
}
