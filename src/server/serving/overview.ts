import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { IssueCensus } from '../../loop/ports.ts'
import type { Overview, Pulse, RepositoryStanding } from '../../model/api/overview.ts'
import type { RepositoryId } from '../../model/id.ts'
import type { Repository } from '../../model/repository.ts'
import { parseRepositoryUrl } from '../../model/repository-url.ts'
import { openQuestions } from '../../model/issue/questions.ts'
import { isDriven } from '../../adapters/process/run-mark.ts'
import { approvalsOf } from './approvals.ts'
import type { Serving } from './serving.ts'

const mostUnfinished = 1_000

/** What runs and what waits, by repository. Reads only sessions that are not over, and those that ask something. */
export async function readPulse({ store }: Pick<Serving, 'store'>): Promise<Pulse> {
  const running = new Map<RepositoryId, number>()
  const unfinished = await store.sessions.heads({
    status: ['pending', 'validating', 'running'],
    limit: mostUnfinished,
  })
  for (const { id, repositoryId } of unfinished) {
    const session = (await store.sessions.load(id))?.session
    if (session && isDriven(store, session)) running.set(repositoryId, (running.get(repositoryId) ?? 0) + 1)
  }
  const waiting = await countWaiting(store)
  const ids = [...new Set([...running.keys(), ...waiting.keys()])].toSorted()
  return {
    repositories: ids.map((id) => ({ id, running: running.get(id) ?? 0, waiting: waiting.get(id) ?? 0 })),
  }
}

/** How many answers are wanted of a person, by repository. */
async function countWaiting(store: Serving['store']): Promise<ReadonlyMap<RepositoryId, number>> {
  const waiting = new Map<RepositoryId, number>()
  for (const { id, repositoryId, status } of await store.sessions.asking()) {
    const stored = await store.sessions.load(id)
    if (!stored) continue
    const issues = await store.issues.get(stored.session.issue_ids)
    const questions = status === 'awaiting_clarification' ? openQuestions(issues).length : 0
    const count = approvalsOf(stored, issues).length + questions
    if (count > 0) waiting.set(repositoryId, (waiting.get(repositoryId) ?? 0) + count)
  }
  return waiting
}

const trendDays = 14
const dayMs = 24 * 60 * 60_000

/** Every repository with what there is to do in it; a few queries for all of them together. */
export async function readOverview(serving: Pick<Serving, 'store'>, nowMs: number): Promise<Overview> {
  const { store } = serving
  const days = Array.from({ length: trendDays }, (_, index) => dayOf(nowMs - (trendDays - 1 - index) * dayMs))
  const census = Map.groupBy(await store.issues.census(days[0] ?? ''), ({ repositoryId }) => repositoryId)
  const pulse = new Map((await readPulse(serving)).repositories.map((one) => [one.id, one]))
  const newest = new Map((await store.reviews.newestOfEach()).map((one) => [one.repository_id, one]))
  const repositories: RepositoryStanding[] = []
  for (const repository of await store.repositories.list()) {
    const review = newest.get(repository.id)
    repositories.push({
      ...viewOf(repository),
      running: pulse.get(repository.id)?.running ?? 0,
      waiting: pulse.get(repository.id)?.waiting ?? 0,
      ...countsOf(census.get(repository.id) ?? [], days),
      last_review: review
        ? { id: review.id, kind: review.kind, state: review.state, created_at: review.created_at }
        : null,
    })
  }
  return { schema: 'fixpoint.overview.v1', repositories }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

function countsOf(
  census: readonly IssueCensus[],
  days: readonly string[],
): Pick<RepositoryStanding, 'open' | 'failed' | 'fixed' | 'trend'> {
  const sum = (keep: (one: IssueCensus) => boolean): number =>
    census.filter(keep).reduce((total, { count }) => total + count, 0)
  return {
    open: sum(({ status }) => status === 'open' || status === 'in_progress'),
    failed: sum(({ status }) => status === 'failed'),
    fixed: sum(({ status }) => status === 'resolved' || status === 'merged'),
    trend: days.map((day) => sum((one) => one.day === day)),
  }
}

/** A repository as lists show it. */
export const viewOf = ({ id, path, url, created_at }: Repository) => ({
  id,
  path,
  url,
  created_at,
  name: url === null ? basename(path) : parseRepositoryUrl(url).name,
  available: url !== null || existsSync(path),
})
