import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { copyDatabase, copyStore, openStore } from '../../src/app/open-store.ts'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StartOutcome } from '../../src/model/api/fix.ts'
import type { IssueList } from '../../src/model/api/issues.ts'
import { SessionId } from '../../src/model/id.ts'
import { startPostgres, type PostgresServer } from '../fixtures/postgres.ts'
import { findViolations, landedOn } from '../fixtures/recovery/invariants.ts'
import { readOwn, readRows } from '../fixtures/recovery/read-state.ts'
import type { TestServer } from '../fixtures/server.ts'
import { makeSharedScene, type SharedScene, type TestWorker } from '../fixtures/shared-scene.ts'

/** How soon is measured by `npm run bench -- takeover`: on a machine that does other things besides, no second is certain. */
const soon = { timeout: 300_000, interval: 50 }

let postgres: PostgresServer
let scene: SharedScene
let server: TestServer
let own: ReturnType<typeof readOwn>

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres?.stop()
})
beforeEach(async () => {
  scene = await makeSharedScene(postgres)
  own = readOwn(scene.repository)
  server = await scene.serve('--no-work')
})
afterEach(async () => {
  await scene.dispose()
})

async function start(): Promise<SessionId> {
  const { client } = server
  const { repositories } = await client.repositories()
  const repository_id = repositories[0]?.id ?? ''
  const report = readFileSync(scene.repository.findings, 'utf8')
  await server.ask('/api/findings/import', { method: 'POST', body: report })
  const { issues } = (await server.ask(`/api/fix/issues/${repository_id}`)).json<IssueList>()
  const answer = await server.ask('/api/fix/start', {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: JSON.stringify({ repository_id, issue_ids: issues.map(({ id }) => id) }),
  })
  expect([answer.status, answer.json()]).toEqual([202, expect.objectContaining({ status: 'pending' })])
  return SessionId.parse(answer.json<StartOutcome>().session_id)
}

const ask = async (id: string, verb: string) => server.ask(`/api/sessions/${id}/${verb}`, { method: 'POST' })
const statusOf = async (id: string): Promise<string> =>
  (await server.ask(`/api/sessions/${id}`)).json<{ status: string }>().status
const isDriven = async (id: string): Promise<boolean> =>
  (await server.ask(`/api/sessions/${id}`)).json<{ driven: boolean }>().driven

/** Finds the worker that drives the session, by its mark. */
async function driverOf(id: string, workers: readonly TestWorker[]): Promise<TestWorker> {
  let found: TestWorker | undefined
  await expect
    .poll(async () => {
      const listed = (await server.ask('/api/workers')).json<{
        workers: { pid: number; sessions: string[] }[]
      }>()
      const pids = listed.workers.filter(({ sessions }) => sessions.includes(id)).map(({ pid }) => pid)
      found = workers.find(({ pid }) => pids.includes(pid))
      return found !== undefined
    }, soon)
    .toBe(true)
  if (!found) throw new Error('nobody drives it')
  return found
}

/** Waits until an agent is at work. */
async function begun(): Promise<void> {
  await expect.poll(() => scene.agentRuns().length, soon).toBeGreaterThan(0)
}

/** The faults that the independent checker finds, with the database as a file. */
async function violations(): Promise<string> {
  const place = { root: scene.repository.root, home: scene.repository.home, env: scene.env }
  await copyStore(scene.env, join(place.home, 'fixpoint.db'))
  const [session] = readRows(place).sessions
  if (!session) throw new Error('there is no session')
  expect(landedOn(place, session.base.commit, session.branch)).toHaveLength(4)
  return findViolations(place, { own }).join('\n')
}

describe('workers', { timeout: 900_000 }, () => {
  it('go on with the sessions of others that were killed or frozen, and end them once', async () => {
    const id = await start()
    expect([await statusOf(id), await isDriven(id)]).toEqual(['pending', false])
    expect((await server.ask('/readyz')).json()).toMatchObject({
      status: 'unavailable',
      missing: [expect.stringContaining('a worker')],
    })
    expect((await server.ask('/metrics')).text).toMatch(/^fixpoint_queue_depth 1$/m)
    const [first, second] = [await scene.startWorker(), await scene.startWorker()]
    const frozen = await driverOf(id, [first, second])
    const other = frozen === first ? second : first
    await begun()
    frozen.process.kill('SIGSTOP')
    await driverOf(id, [other])
    await other.end('SIGKILL')
    const last = await scene.startWorker()
    await driverOf(id, [last])
    expect((await server.ask('/readyz')).json()).toMatchObject({ status: 'ok', missing: [] })
    expect((await server.ask('/metrics')).text).toMatch(/^fixpoint_workers\{state="working"\} 3$/m)
    scene.letAgentsGo()
    await expect.poll(() => statusOf(id), soon).toBe('partial')
    const ended = (await server.ask(`/api/sessions/${id}`)).text
    frozen.process.kill('SIGCONT')
    await expect.poll(() => frozen.log(), soon).toMatch(/taken over|released or ended/)
    expect((await server.ask(`/api/sessions/${id}`)).text).toBe(ended)
    expect([await frozen.end(), await last.end(), await server.end()]).toEqual([0, 0, 0])
    expect(await violations()).toBe('')
  })

  it('do what the server asks: stop, resume and cancel; and hand their sessions on when they drain', async () => {
    const first = await scene.startWorker('--grace', '1s')
    const id = await start()
    await driverOf(id, [first])
    await begun()
    expect((await ask(id, 'stop')).status).toBe(202)
    expect((await ask(id, 'stop')).status).toBe(202)
    await expect.poll(() => isDriven(id), soon).toBe(false)
    expect((await ask(id, 'resume')).status).toBe(202)
    await driverOf(id, [first])
    const second = await scene.startWorker('--concurrency', '1')
    expect(await first.end('SIGTERM')).toBe(0)
    await driverOf(id, [second])
    expect((await ask(id, 'cancel')).status).toBe(200)
    expect(await statusOf(id)).toBe('cancelled')
  })

  it('keep no more mirrors on their own disk than the operator gives them', async () => {
    const mirror = join(scene.repository.home, 'mirrors', 'old-0123456789abcdef')
    const git = join(mirror, '.git')
    execFileSync('git', ['init', '--quiet', mirror])
    writeFileSync(join(git, 'fixpoint-used'), '')
    utimesSync(join(git, 'fixpoint-used'), new Date(0), new Date(0))
    // Nothing of it is on the disk, but its size counts.
    writeFileSync(join(mirror, 'large'), '')
    truncateSync(join(mirror, 'large'), 2 * 1024 ** 3)
    const worker = await scene.startWorkerOn({ ...scene.env, FIXPOINT_SERVER_MIRRORS_GB: '1' })
    await expect.poll(() => existsSync(mirror), soon).toBe(false)
    expect(await worker.end()).toBe(0)
  })

  it('go on with a session in a database that was restored from a backup of the moment it ran', async () => {
    const id = await start()
    const first = await scene.startWorker()
    await driverOf(id, [first])
    await begun()
    const backup = join(scene.repository.folder, 'backup.db')
    await copyStore(scene.env, backup)
    await Promise.all([first.end('SIGKILL'), server.end('SIGKILL')])
    const env = { ...scene.env, FIXPOINT_DATABASE: await postgres.createDatabase() }
    const { rows } = await copyDatabase({ env, file: backup, onTable: () => undefined })
    expect(rows).toMatchObject({ session: 1, attempt: 5, issue: 5 })
    scene.letAgentsGo()
    await scene.startWorkerOn(env)
    const store = await openStore(scene.repository.home, env)
    const status = async (): Promise<string | undefined> => (await store.sessions.load(id))?.session.status
    await expect.poll(status, soon).toBe('partial')
    await store.close()
    const place = { root: scene.repository.root, home: scene.repository.home, env }
    await copyStore(env, join(place.home, 'fixpoint.db'))
    const [session] = readRows(place).sessions
    expect(landedOn(place, session?.base.commit ?? '', session?.branch ?? '')).toHaveLength(4)
    expect(
      readRows(place)
        .issues.map((issue) => issue.status)
        .toSorted(),
    ).toEqual(['failed', ...Array(4).fill('resolved')])
  })
})
