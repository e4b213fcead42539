import type { Revision } from '../../model/attempt/attempt.ts'
import type { RepositoryId } from '../../model/id.ts'
import type { Issue, IssueStatus } from '../../model/issue/issue.ts'
import { splitLines } from './anchor.ts'
import type { Ports } from '../ports.ts'
import { revisitFile, wakeIgnored } from './revisit.ts'

type Store = Pick<Ports, 'issues' | 'trees' | 'clock'>

const pageSize = 500
/** Texts that are in memory at once. */
const filesAtOnce = 50

/** Ignored issues whose time is over are open again; gives how many. */
export async function wakeIssues(repositoryId: RepositoryId, ports: Store): Promise<number> {
  const now = new Date(ports.clock.now()).toISOString()
  const due = await collect(repositoryId, ['ignored'], ports, (page) =>
    Promise.resolve(page.filter((issue) => wakeIgnored(issue, now) !== null)),
  )
  for (const { id } of due)
    await ports.issues.change(id, 'engine', (issue) => wakeIgnored(issue, now) ?? issue)
  return due.length
}

/** Holds what is unresolved against the code of a revision; gives how many issues are stale now that were not. */
export async function revisitIssues(
  { repositoryId, revision }: { readonly repositoryId: RepositoryId; readonly revision: Revision },
  ports: Store,
): Promise<number> {
  const changed = await collect(repositoryId, ['open', 'failed'], ports, (page) =>
    revisitPage(page, revision, ports),
  )
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

/** Of every page what is chosen; nothing is changed before the last page was read. */
async function collect(
  repositoryId: RepositoryId,
  status: readonly IssueStatus[],
  { issues }: Store,
  choose: (page: readonly Issue[]) => Promise<readonly Issue[]>,
): Promise<readonly Issue[]> {
  const chosen: Issue[] = []
  let cursor: string | null = null
  do {
    const page = await issues.list({
      repositoryId,
      status,
      limit: pageSize,
      ...(cursor !== null && { cursor }),
    })
    chosen.push(...(await choose(page.issues)))
    cursor = page.nextCursor
  } while (cursor !== null)
  return chosen
}
