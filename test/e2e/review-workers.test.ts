import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { migrateDatabase } from '../../src/app/open-store.ts'
import type { IssueList } from '../../src/model/api/issues.ts'
import type { WorkerList } from '../../src/model/api/workers.ts'
import type { ReviewEvent } from '../../src/model/review/review-event.ts'
import { startPostgres, type PostgresServer } from '../fixtures/postgres.ts'
import { makeProject, type Project } from '../fixtures/project.ts'
import { startTestServer, type TestServer } from '../fixtures/server.ts'
import { startTestWorker, type TestWorker } from '../fixtures/shared-scene.ts'

const soon = { timeout: 300_000, interval: 50 }

const answerOf = (title: string): string =>
  JSON.stringify({
    groups: [{ findings: [{ file: 'a.mjs', line: '1', title, issue: 'It is.', severity: 'major' }] }],
    coverage: { reviewed: ['a.mjs'], partly: [], skipped: [] },
  })
const quick = `console.log(${JSON.stringify(answerOf('A could be a constant of its own kind'))}); return null`
/** Waits for as long as a file says so. */
const slow = `
  while (fs.existsSync(import.meta.dirname + '/wait')) await new Promise((done) => setTimeout(done, 20))
  console.log(${JSON.stringify(answerOf('A is wrong'))})
  return null
`
let postgres: PostgresServer
let project: Project
let server: TestServer
let env: Readonly<Record<string, string>>
const workers: TestWorker[] = []

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await postgres?.stop()
})
beforeEach(async () => {
  project = await makeProject({
    files: { 'a.mjs': 'export const a = 1\n' },
    reviewers: [quick, slow],
    config: 'sandbox: off\n',
  })
  env = { ...project.env, FIXPOINT_HOME: project.home, FIXPOINT_DATABASE: await postgres.createDatabase() }
  await migrateDatabase(env)
  server = await startTestServer({ ...project, env, args: ['--no-work'] })
})
afterEach(async () => {
  await Promise.all([...workers.splice(0), server].map((one) => one.end('SIGKILL')))
  await project.close()
})

const hold = (): void => writeFileSync(join(project.folder, 'wait'), '')
const letGo = (): void => rmSync(join(project.folder, 'wait'), { force: true })
async function startWorker(...args: string[]): Promise<TestWorker> {
  const worker = await startTestWorker(project.root, env, args)
  workers.push(worker)
  return worker
}

async function begin(...reviewers: string[]): Promise<string> {
  const [repository] = (await server.client.repositories()).repositories
  const asked = { repository_id: repository!.id, reviewers, paths: ['a.mjs'] }
  return (await server.client.startReview(asked)).review_id
}

const stateOf = async (id: string): Promise<string> => (await server.client.review(id)).state
const eventsOf = async (id: string): Promise<readonly ReviewEvent[]> =>
  (await server.ask(`/api/reviews/${id}/events`, { headers: { accept: 'application/json' } })).json<{
    events: readonly ReviewEvent[]
  }>().events
const storyOf = async (id: string) =>
  (await eventsOf(id)).map(({ type, seq, agent }) => [seq, type, agent] as const)
const runBy = async (): Promise<readonly (readonly [number, number])[]> =>
  (await server.ask('/api/workers'))
    .json<WorkerList>()
    .workers.flatMap(({ pid, reviews = [] }) => (reviews.length > 0 ? [[pid, reviews.length] as const] : []))
const titles = async (): Promise<readonly string[]> => {
  const [repository] = (await server.client.repositories()).repositories
  const { issues } = (await server.ask(`/api/fix/issues/${repository!.id}`)).json<IssueList>()
  return issues.map(({ title }) => title).toSorted()
}

const whole = [
  [1, 'review_started', null],
  [2, 'review_result', 'reviewer-1'],
  [3, 'review_result', 'reviewer-2'],
  [4, 'review_completed', null],
]

describe('a review that is asked for over HTTP, where workers share the database', () => {
  it('waits for a worker that takes reviews, whatever others there are', async () => {
    await startWorker('--only', 'sessions')
    await startWorker('--only', 'attempts')
    const id = await begin('reviewer-1')
    expect(await stateOf(id)).toBe('running')
    const { text: metrics } = await server.ask('/metrics')
    expect(metrics).toContain('\nfixpoint_review_queue_depth 1\n')
    expect(await storyOf(id)).toEqual([])
    await startWorker('--only', 'reviews')
    await expect.poll(() => stateOf(id), soon).toBe('complete')
    expect(await titles()).toEqual(['A could be a constant of its own kind'])
  })

  it('answers whoever waits for it with what it brought in, whichever process ran it', async () => {
    await startWorker('--only', 'reviews')
    const [repository] = (await server.client.repositories()).repositories
    const body = JSON.stringify({ repository_id: repository!.id, reviewers: ['reviewer-1'] })
    const answer = await server.ask('/api/reviews', { method: 'POST', body })
    expect([answer.status, answer.json()]).toEqual([
      201,
      expect.objectContaining({ state: 'complete', findings: 1, issues_created: 1, issues_updated: 0 }),
    ])
  })

  it('shows what reviewers say meanwhile, on whichever worker they run', async () => {
    hold()
    await startWorker()
    const id = await begin('reviewer-2')
    const liveOf = async () =>
      (await server.ask(`/api/reviews/${id}/events`, { headers: { accept: 'application/json' } })).json<{
        live: readonly ReviewEvent[]
      }>().live
    await expect
      .poll(liveOf, soon)
      .toMatchObject([{ type: 'review_streaming', agent: 'reviewer-2', message: 'reviewer-2 reads 1 file' }])
    letGo()
    await expect.poll(() => stateOf(id), soon).toBe('complete')
    expect(await liveOf()).toEqual([])
  })

  it('goes on with another worker when its own is killed, and asks nobody twice', async () => {
    hold()
    const first = await startWorker()
    const id = await begin('reviewer-1', 'reviewer-2')
    await expect.poll(() => storyOf(id), soon).toEqual(whole.slice(0, 2))
    const second = await startWorker()
    await first.end('SIGKILL')
    await expect.poll(runBy, soon).toContainEqual([second.pid, 1])
    letGo()
    await expect.poll(() => stateOf(id), soon).toBe('complete')
    expect(await storyOf(id)).toEqual(whole)
    expect((await eventsOf(id)).at(-1)?.details).toMatchObject({ findings: 2, issues_created: 2 })
    expect(await titles()).toEqual(['A could be a constant of its own kind', 'A is wrong'])
  })

  it('stays with its worker while that is alive, whoever starts meanwhile', async () => {
    hold()
    await startWorker()
    const id = await begin('reviewer-2')
    await expect.poll(() => storyOf(id), soon).toEqual(whole.slice(0, 1))
    await startWorker()
    const other = await begin('reviewer-1')
    await expect.poll(() => stateOf(other), soon).toBe('complete')
    letGo()
    await expect.poll(() => stateOf(id), soon).toBe('complete')
    expect(project.reviewed()).toHaveLength(2)
  })

  it('is written to by nobody who was frozen while another worker went on with it', async () => {
    hold()
    const frozen = await startWorker()
    const id = await begin('reviewer-1', 'reviewer-2')
    await expect.poll(() => storyOf(id), soon).toEqual(whole.slice(0, 2))
    frozen.process.kill('SIGSTOP')
    await startWorker()
    letGo()
    await expect.poll(() => stateOf(id), soon).toBe('complete')
    const before = [await storyOf(id), await server.client.review(id)]
    frozen.process.kill('SIGCONT')
    expect(await frozen.end('SIGTERM')).toBe(0)
    expect([await storyOf(id), await server.client.review(id)]).toEqual(before)
  })

  it('goes to another worker when its own drains', async () => {
    hold()
    const first = await startWorker('--grace', '1s')
    const id = await begin('reviewer-1', 'reviewer-2')
    await expect.poll(() => storyOf(id), soon).toEqual(whole.slice(0, 2))
    expect(await first.end('SIGTERM')).toBe(0)
    expect(await stateOf(id)).toBe('running')
    letGo()
    await startWorker()
    await expect.poll(() => stateOf(id), soon).toBe('complete')
    expect(await storyOf(id)).toEqual(whole)
  })

  it.each([
    ['one that runs it', ['--only', 'reviews']],
    ['none that takes it', null],
  ])('ends when it is cancelled, with %s', async (_who, args) => {
    hold()
    if (args) await startWorker(...args)
    const id = await begin('reviewer-2')
    if (args) await expect.poll(() => storyOf(id), soon).toEqual(whole.slice(0, 1))
    expect(await server.client.cancelReview(id)).toMatchObject({ state: 'cancelled' })
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      type: 'review_error',
      message: 'cancelled by a person',
    })
    expect(await titles()).toEqual([])
    await expect(server.client.cancelReview(id)).rejects.toThrow('over already: cancelled')
  })

  it('has failed once three workers in a row did not survive it', async () => {
    hold()
    const id = await begin('reviewer-2')
    for (let count = 0; count < 3; count += 1) {
      const worker = await startWorker()
      await expect.poll(runBy, soon).toContainEqual([worker.pid, 1])
      await worker.end('SIGKILL')
    }
    await startWorker()
    await expect.poll(() => stateOf(id), soon).toBe('failed')
    expect((await server.client.review(id)).error).toBe('3 processes in a row ended while they ran it')
  })
})
