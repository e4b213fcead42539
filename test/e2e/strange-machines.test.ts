import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { copyStore, openStore } from '../../src/app/open-store.ts'
import { openQueue } from '../../src/app/worker/open-queue.ts'
import type { StartOutcome } from '../../src/model/api/fix.ts'
import type { IssueList } from '../../src/model/api/issues.ts'
import type { WorkerList } from '../../src/model/api/workers.ts'
import { SessionId } from '../../src/model/id.ts'
import { startPostgres, type PostgresServer } from '../fixtures/postgres.ts'
import { findViolations, landedOn } from '../fixtures/recovery/invariants.ts'
import { readOwn, readRows } from '../fixtures/recovery/read-state.ts'
import type { TestServer } from '../fixtures/server.ts'
import { makeSharedScene, type SharedScene } from '../fixtures/shared-scene.ts'

const soon = { timeout: 300_000, interval: 50 }
const hourMs = 3_600_000

let postgres: PostgresServer
let scene: SharedScene
let server: TestServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres?.stop()
})
beforeEach(async () => {
  scene = await makeSharedScene(postgres)
  server = await scene.serve('--no-work')
})
afterEach(async () => {
  await scene.dispose()
})

const startSkewed = (skewMs: number) =>
  scene.startWorkerOn({
    ...scene.env,
    TEST_CLOCK_SKEW_MS: String(skewMs),
    NODE_OPTIONS: `--import ${join(import.meta.dirname, '../fixtures/skewed-clock.ts')}`,
  })

async function start(): Promise<SessionId> {
  const repository_id = (await server.client.repositories()).repositories[0]?.id ?? ''
  const body = readFileSync(scene.repository.findings, 'utf8')
  await server.ask('/api/findings/import', { method: 'POST', body })
  const { issues } = (await server.ask(`/api/fix/issues/${repository_id}`)).json<IssueList>()
  const answer = await server.ask('/api/fix/start', {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: JSON.stringify({ repository_id, issue_ids: issues.map(({ id }) => id) }),
  })
  return SessionId.parse(answer.json<StartOutcome>().session_id)
}

const statusOf = async (id: string): Promise<string> =>
  (await server.ask(`/api/sessions/${id}`)).json<{ status: string }>().status

/** Sends every job of the session again and again, until it is told to end. */
async function sendTwice(id: SessionId, signal: AbortSignal): Promise<void> {
  const store = await openStore(scene.repository.home, scene.env)
  const queue = await openQueue({ env: scene.env, onError: () => undefined })
  while (!signal.aborted) {
    const stored = await store.sessions.load(id)
    const job = { sessionId: id, repositoryId: stored?.session.repository_id, refusals: 0 }
    if (job.repositoryId === undefined) throw new Error('there is no session')
    const entry = { ...job, repositoryId: job.repositoryId }
    await queue.send(entry)
    for (const attempt of stored?.attempts ?? []) await queue.send({ ...entry, attemptId: attempt.id })
    await setTimeout(500)
  }
  await queue.close()
  await store.close()
}

it('machines whose clocks are two hours apart, and jobs that come twice, do no attempt twice and lose none', async () => {
  const own = readOwn(scene.repository)
  const workers = await Promise.all([startSkewed(hourMs), startSkewed(-hourMs)])
  const silent = async () =>
    (await server.ask('/api/workers')).json<WorkerList>().workers.map(({ silent_ms }) => silent_ms < 60_000)
  await expect.poll(silent, soon).toEqual([true, true])
  expect((await server.ask('/readyz')).json()).toMatchObject({ status: 'ok' })
  const id = await start()
  const ending = new AbortController()
  const sending = sendTwice(id, ending.signal)
  await expect.poll(() => scene.agentRuns().length, soon).toBe(2)
  // Longer than a look for sessions and attempts whose process is silent.
  await setTimeout(3_000)
  expect(scene.agentRuns()).toHaveLength(2)
  scene.letAgentsGo()
  await expect.poll(() => statusOf(id), soon).toBe('partial')
  ending.abort()
  await sending
  expect(await Promise.all(workers.map((worker) => worker.end()))).toEqual([0, 0])
  // Four fixes of one round, and one that is refused twice.
  expect(scene.agentRuns().filter((line) => line.startsWith('begin'))).toHaveLength(6)
  const place = { root: scene.repository.root, home: scene.repository.home, env: scene.env }
  await copyStore(scene.env, join(place.home, 'fixpoint.db'))
  const [session] = readRows(place).sessions
  expect(landedOn(place, session?.base.commit ?? '', session?.branch ?? '')).toHaveLength(4)
  expect(findViolations(place, { own })).toEqual([])
}, 600_000)
