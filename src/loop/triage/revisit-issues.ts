import type { Revision } from '../../model/attempt/attempt.ts'
import type { RepositoryId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { splitLines } from './anchor.ts'
import type { IssueQuery, Ports } from '../ports.ts'
import { revisitFile, wakeIgnored } from './revisit.ts'

type IssuePorts = Pick<Ports, 'issues' | 'trees' | 'clock'>

const pageSize = 500
/** Texts that are in memory at once. */
const filesAtOnce = 50

/** Opens the ignored issues whose time is over; gives how many there were. */
export async function wakeIssues(repositoryId: RepositoryId, ports: IssuePorts): Promise<number> {
  const now = new Date(ports.clock.now()).toISOString()
  const due: Issue[] = []
  for await (const page of pagesOf({ repositoryId, status: ['ignored'] }, ports))
    due.push(...page.filter((issue) => wakeIgnored(issue, now) !== null))
  for (const { id } of due)
    await ports.issues.change(id, 'engine', (issue) => wakeIgnored(issue, now) ?? issue)
  return due.length
}

/** Compares the unresolved issues with the code of a revision; gives how many became stale. */
export async function revisitIssues(
  { repositoryId, revision }: { readonly repositoryId: RepositoryId; readonly revision: Revision },
  ports: IssuePorts,
): Promise<number> {
  const changed: Issue[] = []
  for await (const page of pagesOf({ repositoryId, status: ['open', 'failed'] }, ports))
    changed.push(...(await revisitPage(page, revision, ports)))
  for (const after of changed)
    await ports.issues.change(after.id, 'engine', (issue) => {
      const isAsSeen = issue.status === after.status && issue.fingerprint === after.fingerprint
      const { anchor, line, end_line, resolution_note } = after
      return isAsSeen ? { ...issue, anchor, line, end_line, resolution_note } : issue
    })
  return changed.filter(({ anchor }) => anchor === 'stale').length
}

async function revisitPage(
  page: readonly Issue[],
  revision: Revision,
  { trees }: Pick<Ports, 'trees'>,
): Promise<readonly Issue[]> {
  const changed: Issue[] = []
  const ofFiles = [...Map.groupBy(page, ({ file }) => file ?? '')].filter(([file]) => file !== '')
  for (let start = 0; start < ofFiles.length; start += filesAtOnce) {
    const some = ofFiles.slice(start, start + filesAtOnce)
    const texts = await trees.readMany(
      revision.tree,
      some.map(([file]) => file),
    )
    for (const [file, issues] of some) {
      const bytes = texts.get(file)
      const lines = bytes === undefined ? null : splitLines(new TextDecoder().decode(bytes))
      changed.push(...revisitFile(issues, { lines, commit: revision.commit }))
    }
  }
  return changed
}

/**
 * The issues page by page. The reader changes none before the last page: a change would move the others between pages.
 */
export async function* pagesOf(
  query: Pick<IssueQuery, 'repositoryId' | 'status'>,
  { issues }: Pick<Ports, 'issues'>,
): AsyncGenerator<readonly Issue[]> {
  let cursor: string | null = null
  do {
    const page = await issues.list({ ...query, limit: pageSize, ...(cursor !== null && { cursor }) })
    yield page.issues
    cursor = page.nextCursor
  } while (cursor !== null)
}
