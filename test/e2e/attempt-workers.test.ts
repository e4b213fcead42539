import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { copyStore } from '../../src/app/open-store.ts'
import type { StartOutcome } from '../../src/model/api/fix.ts'
import type { IssueList } from '../../src/model/api/issues.ts'
import type { WorkerList } from '../../src/model/api/workers.ts'
import { envOf, fixpointIn } from '../fixtures/command-line.ts'
import { startPostgres, type PostgresServer } from '../fixtures/postgres.ts'
import { findViolations, landedOn } from '../fixtures/recovery/invariants.ts'
import { readOwn, readRows } from '../fixtures/recovery/read-state.ts'
import { startBucket } from '../fixtures/s3.ts'
import type { TestServer } from '../fixtures/server.ts'
import { makeSharedScene, type SharedScene, type TestWorker } from '../fixtures/shared-scene.ts'

const soon = { timeout: 180_000, interval: 50 }

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

async function start(): Promise<string> {
  const { repositories } = await server.client.repositories()
  const repository_id = repositories[0]?.id ?? ''
  const report = readFileSync(scene.repository.findings, 'utf8')
  await server.ask('/api/findings/import', { method: 'POST', body: report })
  const { issues } = (await server.ask(`/api/fix/issues/${repository_id}`)).json<IssueList>()
  const answer = await server.ask('/api/fix/start', {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: JSON.stringify({ repository_id, issue_ids: issues.map(({ id }) => id) }),
  })
  return answer.json<StartOutcome>().session_id
}

const statusOf = async (id: string): Promise<string> =>
  (await server.ask(`/api/sessions/${id}`)).json<{ status: string }>().status
const listed = async (): Promise<WorkerList['workers']> =>
  (await server.ask('/api/workers')).json<WorkerList>().workers
/** How many attempts each of the workers works on, by its own report. */
async function attemptsAt(...workers: readonly TestWorker[]): Promise<readonly number[]> {
  const all = await listed()
  return workers.map(({ pid }) => all.find((worker) => worker.pid === pid)?.attempts?.length ?? 0)
}
const begins = (): readonly string[] => scene.agentRuns().filter((line) => line.startsWith('begin'))

interface SentSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
}

/** Takes the spans of all processes, as an OpenTelemetry collector does. */
async function startCollector() {
  const spans: SentSpan[] = []
  const listening = createServer((request, response) => {
    void json(request).then((body) => {
      const { resourceSpans } = body as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, spans: () => spans, close: () => listening.close() }
}

/** The same issues of the same commit, fixed by one process with a file. */
function landedByOneProcess(): readonly string[] {
  const { repository } = scene
  const home = join(repository.folder, 'alone')
  const env = envOf(repository, { FIXPOINT_HOME: home })
  const run = (...args: string[]) => fixpointIn(repository.root, env, [...args, '--yes', '--json'])
  expect(run('import', repository.findings).exitCode).toBe(0)
  const result = run('fix', '--all').json<{ base_commit: string; branch_name: string }>()
  return landedOn({ root: repository.root, home, env }, result.base_commit, result.branch_name)
}

/** The commits of the one session, with the database as a file for the checker. */
async function readLanded() {
  const place = { root: scene.repository.root, home: scene.repository.home, env: scene.env }
  await copyStore(scene.env, join(place.home, 'fixpoint.db'))
  const [session] = readRows(place).sessions
  return { place, landed: landedOn(place, session?.base.commit ?? '', session?.branch ?? '') }
}

it('one session spreads over workers, and goes on without those that die and without the driver that leaves', async () => {
  const own = readOwn(scene.repository)
  const driver = await scene.startWorker('--only', 'sessions')
  const [first, second] = [
    await scene.startWorker('--only', 'attempts', '--concurrency', '1'),
    await scene.startWorker('--only', 'attempts', '--concurrency', '1'),
  ]
  const id = await start()
  await expect.poll(() => attemptsAt(driver, first, second), soon).toEqual([0, 1, 1])
  await expect.poll(() => begins().length, soon).toBe(2)
  // The driver leaves, and the workers go on with its attempts as if nothing had happened.
  expect(await driver.end('SIGTERM')).toBe(0)
  expect(await attemptsAt(first, second)).toEqual([1, 1])
  const next = await scene.startWorker('--only', 'sessions')
  await expect
    .poll(async () => (await listed()).find(({ pid }) => pid === next.pid)?.sessions, soon)
    .toEqual([id])
  expect(begins()).toHaveLength(2)
  // A worker dies: its attempt goes to another worker, and begins anew.
  await first.end('SIGKILL')
  const third = await scene.startWorker('--only', 'attempts', '--concurrency', '1')
  await expect.poll(() => attemptsAt(second, third), soon).toEqual([1, 1])
  await expect.poll(() => begins().length, soon).toBe(3)
  // A worker is frozen: its attempt goes to another worker too, and its own later words are not written.
  second.process.kill('SIGSTOP')
  const fourth = await scene.startWorker('--only', 'attempts', '--concurrency', '1')
  await expect.poll(() => attemptsAt(third, fourth), soon).toEqual([1, 1])
  await expect.poll(() => begins().length, soon).toBe(4)
  scene.letAgentsGo()
  await expect.poll(() => statusOf(id), soon).toBe('partial')
  const ended = (await server.ask(`/api/sessions/${id}`)).text
  second.process.kill('SIGCONT')
  await expect.poll(() => attemptsAt(second), soon).toEqual([0])
  expect((await server.ask(`/api/sessions/${id}`)).text).toBe(ended)
  const { place, landed } = await readLanded()
  expect(landed).toHaveLength(4)
  expect(findViolations(place, { own }).join('\n')).toBe('')
  expect(landed).toEqual(landedByOneProcess())
}, 900_000)

it('workers that share nothing but the database and a bucket land what any of them has made, and their spans make one trace', async () => {
  const bucket = await startBucket()
  const collector = await startCollector()
  const { root, folder } = scene.repository
  const shared = {
    ...scene.env,
    ...bucket.env,
    FIXPOINT_ARTIFACTS_URL: bucket.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  }
  const startMachine = async (name: string, only: string): Promise<void> => {
    const env = { ...shared, FIXPOINT_HOME: join(folder, name) }
    expect(fixpointIn(root, env, ['trust', '--yes']).exitCode).toBe(0)
    await scene.startWorkerOn(env, '--only', only)
  }
  try {
    await startMachine('one', 'sessions')
    await startMachine('two', 'attempts')
    await startMachine('three', 'attempts')
    const id = await start()
    await expect.poll(() => begins().length, soon).toBe(2)
    scene.letAgentsGo()
    await expect.poll(() => statusOf(id), soon).toBe('partial')
    expect((await readLanded()).landed).toEqual(landedByOneProcess())
    const ofSession = () => collector.spans().filter(({ name }) => /^(session|attempt)/.test(name))
    await expect.poll(() => ofSession().length, soon).toBe(6)
    const spanIds = new Set(collector.spans().map(({ spanId }) => spanId))
    const lost = collector.spans().filter(({ parentSpanId: id }) => id !== undefined && !spanIds.has(id))
    expect(lost).toEqual([])
    expect(new Set(collector.spans().map(({ traceId }) => traceId)).size).toBe(1)
  } finally {
    collector.close()
    await bucket.stop()
  }
}, 900_000)

it('a cancelled session ends the agents of every worker, and a worker that drains gives its attempt back', async () => {
  const driver = await scene.startWorker('--only', 'sessions')
  const first = await scene.startWorker('--only', 'attempts', '--grace', '1s')
  const id = await start()
  await expect.poll(() => attemptsAt(driver, first), soon).toEqual([0, 2])
  await expect.poll(() => begins().length, soon).toBe(2)
  const second = await scene.startWorker('--only', 'attempts')
  expect(await first.end('SIGTERM')).toBe(0)
  await expect.poll(() => attemptsAt(second), soon).toEqual([2])
  await expect.poll(() => begins().length, soon).toBe(4)
  expect((await server.ask(`/api/sessions/${id}/cancel`, { method: 'POST' })).status).toBe(200)
  expect(await statusOf(id)).toBe('cancelled')
  await expect.poll(() => attemptsAt(second), soon).toEqual([0])
  expect(scene.agentRuns().filter((line) => line.startsWith('end'))).toEqual([])
}, 900_000)

it('what agents make while their worker drains is gone on with on another machine, and no agent is asked twice', async () => {
  const bucket = await startBucket()
  const { root, folder } = scene.repository
  const startMachine = async (name: string, ...args: string[]): Promise<TestWorker> => {
    const kept = { ...bucket.env, FIXPOINT_ARTIFACTS_URL: bucket.url }
    const env = { ...scene.env, ...kept, FIXPOINT_HOME: join(folder, name) }
    expect(fixpointIn(root, env, ['trust', '--yes']).exitCode).toBe(0)
    return scene.startWorkerOn(env, ...args)
  }
  try {
    await startMachine('one', '--only', 'sessions')
    const draining = await startMachine('two', '--only', 'attempts', '--grace', '120s')
    const id = await start()
    await expect.poll(() => begins().length, soon).toBe(2)
    const left = draining.end('SIGTERM')
    await expect.poll(async () => (await listed()).some((worker) => worker.draining), soon).toBe(true)
    scene.letAgentsGo()
    expect(await left).toBe(0)
    expect(begins()).toHaveLength(2)
    await startMachine('three', '--only', 'attempts')
    await expect.poll(() => statusOf(id), soon).toBe('partial')
    const asked = begins().length
    expect((await readLanded()).landed).toEqual(landedByOneProcess())
    expect(begins().length - asked).toBe(asked)
  } finally {
    await bucket.stop()
  }
}, 900_000)
