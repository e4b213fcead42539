import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeFolder } from '../../../../test/fixtures/repositories.ts'
import {
  numbered,
  planByFingerprint,
  repositoryId,
  sampleAttempt,
  sampleFinding,
  sampleReview,
  sampleSession,
  triageOnce,
} from '../../../../test/fixtures/store/samples.ts'
import { createInProcessQueue } from '../../../adapters/queue/in-process-queue.ts'
import { openSqliteStore, type Store } from '../../../adapters/store/index.ts'
import { createSessionDigests } from '../../serving/session-digests.ts'
import { createMetrics } from './metrics.ts'

const { folder, dispose } = makeFolder()
let store: Store

beforeAll(async () => {
  store = await openSqliteStore({ file: join(folder, 'fixpoint.db'), now: Date.now })
  await store.repositories.ensure({ key: 'one', path: folder, newId: repositoryId })
  const review = sampleReview('rev_one')
  const findings = [0, 1, 2].map((number) => sampleFinding(review, number))
  const plan = planByFingerprint(findings, (index) => numbered('iss', index))
  const { created } = await triageOnce(store, { review, findings, plan })
  for (const [index, status] of (['running', 'running', 'failed'] as const).entries()) {
    const issues = created.slice(index, index + 1)
    const session = sampleSession(
      numbered('ses', index),
      issues.map(({ id }) => id),
      { status },
    )
    const attempts = issues.map((issue) => sampleAttempt(numbered('att', index), session, issue))
    await store.sessions.create({ session, attempts, events: [] })
    if (index === 0) await store.sessions.take(session.id, { expectedOwner: 'one', owner: 'two' })
  }
})
afterAll(async () => {
  await store.close()
  dispose()
})

const format = (figures: Store['figures'], artifactBytes: number | null = null): Promise<string> =>
  createMetrics({
    digests: createSessionDigests(store),
    streams: () => ({ openCount: () => 0, cutCount: () => 0 }),
    runningCount: () => 0,
    queue: createInProcessQueue({ onError: () => undefined }),
    store: { workers: store.workers, figures },
    artifactBytes: () => artifactBytes,
  }).format()

it('the metrics page tells of unfinished sessions where their attempts are, what they cost and how often they were taken over', async () => {
  const lines = (await format(store.figures)).split('\n')
  expect(lines).toContain('fixpoint_sessions{status="failed"} 1')
  expect(lines).toContain('fixpoint_unfinished_attempts{stage="queued"} 2')
  expect(lines).toContain('fixpoint_unfinished_cost_usd 0')
  expect(lines).toContain('fixpoint_takeovers{of="sessions"} 1')
  expect(lines.join('\n')).not.toMatch(/lease_age|database_/)
})

it('the metrics page tells of a shared database how old its leases are, and how many connections are used', async () => {
  const pool = { total: 5, idle: 2, waiting: 1 }
  const lines = (await format(async () => ({ oldestLeaseMs: 2_540, deaths: 3, pool }))).split('\n')
  expect(lines).toContain('fixpoint_takeovers{of="attempts"} 3')
  expect(lines).toContain('fixpoint_lease_age_seconds 2.5')
  expect(lines).toContain('fixpoint_database_connections{state="idle"} 2')
  expect(lines).toContain('fixpoint_database_connections{state="used"} 3')
  expect(lines).toContain('fixpoint_database_waiting 1')
})

it('the metrics page tells what the artifacts take, and nothing of those that nobody has measured', async () => {
  expect(await format(store.figures)).not.toContain('artifact_bytes')
  expect(await format(store.figures, 0)).toMatch(/^fixpoint_artifact_bytes 0$/m)
})

it('the metrics page says of every series what it is, once', async () => {
  const pool = { total: 0, idle: 0, waiting: 0 }
  const text = await format(async () => ({ oldestLeaseMs: 0, deaths: 0, pool }), 1)
  const told = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name)
  expect(new Set(told).size).toBe(told.length)
  for (const [, name] of text.matchAll(/^(fixpoint_\w+)/gm)) expect(told).toContain(name)
})
