import type { RequestKey } from '../../loop/ports.ts'
import type { RepositoryId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { hash } from '../machine.ts'

const lifetimeMs = 60 * 60_000

interface AskedFor {
  readonly issues: readonly Issue[]
  readonly taskId?: string
  readonly idempotencyKey?: string
  readonly force?: boolean
}

/** What makes a second request the same one: repository, review, issues and base, or the caller's own key. None without issues. */
export function requestKeyOf(
  repositoryId: RepositoryId,
  baseCommit: string,
  { issues, taskId, idempotencyKey, force = false }: AskedFor,
): RequestKey | null {
  if (issues.length === 0) return null
  const reviews = new Set(issues.map((issue) => issue.task_id))
  const task = taskId ?? (reviews.size === 1 ? [...reviews][0] : null) ?? ''
  const asked =
    idempotencyKey === undefined
      ? ['request', task, baseCommit, ...issues.map(({ id }) => id).toSorted()]
      : ['caller', idempotencyKey]
  return { key: hash(JSON.stringify([repositoryId, ...asked])), lifetimeMs, force }
}
