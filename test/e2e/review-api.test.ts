import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReviewEvent } from '../../src/model/review/review-event.ts'
import { makeProject, type Project } from '../fixtures/project.ts'
import { startTestServer, type TestServer } from '../fixtures/server.ts'

let project: Project
let server: TestServer

const found = { file: 'a.mjs', line: '1', title: 'A is wrong', issue: 'It is.', severity: 'major' }
const answer = JSON.stringify({
  groups: [{ findings: [found] }],
  coverage: { reviewed: ['a.mjs'], partly: [], skipped: [] },
})
/** A reviewer that speaks, and then waits for as long as a file says so. */
const slow = `
  console.log('Reading a.mjs …')
  while (fs.existsSync(import.meta.dirname + '/wait')) await new Promise((done) => setTimeout(done, 20))
  console.log(${JSON.stringify(answer)})
  return null
`

const soon = { ...found, title: 'A could be a constant of its own kind', severity: 'minor' }
const quick = `console.log(${JSON.stringify(answer.replace(JSON.stringify(found), JSON.stringify(soon)))}); return null`

beforeAll(async () => {
  project = await makeProject({
    files: { 'a.mjs': 'export const a = 1\n' },
    reviewers: [slow, 'return null', quick],
  })
  server = await startTestServer(project)
})
afterAll(async () => {
  await server.end('SIGKILL')
  await project.close()
})

const repository = () => project.app.repository.id
const hold = () => writeFileSync(join(project.folder, 'wait'), '')
const letGo = () => rmSync(join(project.folder, 'wait'), { force: true })

/** Every event of a review until its last, and the times of the first live text and the first answer. */
function follow(reviewId: string, at = server) {
  const events: ReviewEvent[] = []
  const speaks = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const over = at.client.followReview({
    reviewId,
    signal: new AbortController().signal,
    onEvent(event) {
      events.push(event)
      if (event.message.includes('Reading a.mjs')) speaks.resolve()
      if (event.type === 'review_result') answered.resolve()
    },
  })
  return { events, speaks: speaks.promise, answered: answered.promise, over }
}

describe('a review over HTTP', () => {
  it('is begun with chosen reviewers, followed live, and told again to whoever comes later', async () => {
    hold()
    const { review_id: id, state } = await server.client.startReview({
      repository_id: repository(),
      reviewers: ['reviewer-1'],
      paths: ['a.mjs'],
    })
    expect(state).toBe('running')
    const first = follow(id)
    await first.speaks
    const later = follow(id)
    await later.speaks
    expect((await server.client.reviews(repository())).reviews[0]).toMatchObject({ id, state: 'running' })
    letGo()
    await Promise.all([first.over, later.over])
    const durable = ({ events }: typeof first) => events.filter(({ seq }) => seq !== null)
    expect(durable(first).map(({ type, seq, agent }) => [type, seq, agent])).toEqual([
      ['review_started', 1, null],
      ['review_result', 2, 'reviewer-1'],
      ['review_completed', 3, null],
    ])
    expect(durable(first).at(-1)?.details).toMatchObject({ findings: 1, issues_created: 1 })
    expect(durable(first).at(-1)?.message).toContain('1 finding: 1 new issue, ')
    expect(durable(later)).toEqual(durable(first))
    // What a reviewer said comes after the event that names it: a page shows no words of somebody it does not know.
    expect([first, later].map(({ events: [begun] }) => begun?.type)).toEqual([
      'review_started',
      'review_started',
    ])
    const { review } = { review: await server.client.review(id) }
    expect(review).toMatchObject({ state: 'complete', scope: 'a.mjs', error: null })
    expect(review.reviewers.map(({ agent }) => agent)).toEqual(['reviewer-1'])
  })

  it('that is cancelled says so, changes no issue, and cannot be cancelled twice', async () => {
    hold()
    const { issues } = await server.client.issues(repository())
    const { review_id: id } = await server.client.startReview({
      repository_id: repository(),
      reviewers: ['reviewer-1'],
    })
    const watched = follow(id)
    await watched.speaks
    expect(await server.client.cancelReview(id)).toMatchObject({ state: 'cancelled' })
    await watched.over
    expect(watched.events.at(-1)).toMatchObject({ type: 'review_error', message: 'cancelled by a person' })
    expect((await server.client.issues(repository())).issues).toEqual(issues)
    await expect(server.client.cancelReview(id)).rejects.toThrow('over already: cancelled')
    letGo()
  })

  it('that nobody answers is kept as failed, with the reason', async () => {
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const body = JSON.stringify({ repository_id: repository(), reviewers: ['reviewer-2'] })
    const refused = await server.ask('/api/reviews', { ...asked, body })
    expect(refused.status).toBe(502)
    const [last] = (await server.client.reviews(repository())).reviews
    expect(last).toMatchObject({ state: 'failed' })
    expect(last?.error).toContain('reviewer-2')
  })

  it('is known after a restart of the server, with its events', async () => {
    const { reviews } = await server.client.reviews(repository())
    const done = reviews.find(({ state }) => state === 'complete')
    await server.end()
    server = await startTestServer(project)
    const again = follow(done?.id ?? '')
    await again.over
    expect(again.events.map(({ type }) => type)).toEqual([
      'review_started',
      'review_result',
      'review_completed',
    ])
    await expect(server.client.review('rev_0')).rejects.toThrow('there is no review')
  })

  it('runs for every process of the home, and is over for all of them at once', async () => {
    hold()
    const asked = { repository_id: repository(), reviewers: ['reviewer-1'], paths: ['a.mjs'] }
    const { review_id: id } = await server.client.startReview(asked)
    await follow(id).speaks
    const other = await startTestServer(project)
    try {
      const [seen] = (await other.client.reviews(repository())).reviews
      expect(seen).toMatchObject({ id, state: 'running', error: null })
      expect(seen).not.toHaveProperty('running')
      const watched = follow(id, other)
      letGo()
      await watched.over
      expect(watched.events.map(({ type, seq }) => [type, seq])).toEqual([
        ['review_started', 1],
        ['review_result', 2],
        ['review_completed', 3],
      ])
      expect(await other.client.review(id)).toMatchObject({ state: 'complete' })
    } finally {
      await other.end('SIGKILL')
    }
  })

  it('that another server runs ends when it is cancelled here', async () => {
    hold()
    const { review_id: id } = await server.client.startReview({
      repository_id: repository(),
      reviewers: ['reviewer-1'],
    })
    const watched = follow(id)
    await watched.speaks
    const other = await startTestServer(project)
    try {
      expect(await other.client.cancelReview(id)).toMatchObject({
        state: 'cancelled',
        error: 'cancelled by a person',
      })
      await watched.over
      expect(watched.events.at(-1)).toMatchObject({ type: 'review_error', message: 'cancelled by a person' })
      expect(await server.client.review(id)).toMatchObject({ state: 'cancelled' })
    } finally {
      letGo()
      await other.end('SIGKILL')
    }
  })

  it('that a killed server left goes on at the next start, and asks nobody twice', async () => {
    hold()
    const reviewers = ['reviewer-1', 'reviewer-3']
    const asked = { repository_id: repository(), reviewers, paths: ['a.mjs'] }
    const { review_id: id } = await server.client.startReview(asked)
    const before = follow(id)
    await before.answered
    await server.end('SIGKILL')
    letGo()
    server = await startTestServer(project)
    const after = follow(id)
    await after.over
    expect(
      after.events.filter(({ seq }) => seq !== null).map(({ type, seq, agent }) => [type, seq, agent]),
    ).toEqual([
      ['review_started', 1, null],
      ['review_result', 2, 'reviewer-3'],
      ['review_result', 3, 'reviewer-1'],
      ['review_completed', 4, null],
    ])
    const [done] = (await server.client.reviews(repository())).reviews
    expect(done).toMatchObject({ id, state: 'complete', scope: 'a.mjs', error: null })
    expect(done?.reviewers.map(({ agent, state, findings }) => [agent, state, findings])).toEqual([
      ['reviewer-1', 'complete', 1],
      ['reviewer-3', 'complete', 1],
    ])
    const { issues } = await server.client.issues(repository())
    expect(issues.map(({ title }) => title)).toContain(soon.title)
  })

  it('of what is not committed keeps what was found when its server is killed', async () => {
    hold()
    writeFileSync(join(project.root, 'a.mjs'), 'export const a = 3\n')
    const reviewers = ['reviewer-1', 'reviewer-3']
    const asked = { repository_id: repository(), reviewers, pending: 'uncommitted' as const }
    const { review_id: id } = await server.client.startReview(asked)
    await follow(id).answered
    await server.end('SIGKILL')
    letGo()
    server = await startTestServer(project)
    await follow(id).over
    const left = await server.client.review(id)
    expect(left).toMatchObject({ state: 'partial', error: null })
    expect(left.reviewers.map(({ agent, state, reason }) => [agent, state, reason])).toEqual([
      ['reviewer-1', 'failed', 'its process ended before the review was done'],
      ['reviewer-3', 'complete', null],
    ])
  })
})

describe('the preview of an import', () => {
  it('tells what the import then does, and stores nothing', async () => {
    const report = JSON.stringify({
      schema: 'fixpoint.findings.v1',
      source: 'scan',
      findings: [
        { file: 'a.mjs', line: 1, title: 'A is wrong', rule: 'wrong', severity: 'critical' },
        { file: 'a.mjs', line: 1, title: 'Quite another matter', rule: 'other', severity: 'minor' },
      ],
    })
    const before = await server.client.issues(repository())
    const preview = await server.client.previewImport(repository(), report, 'scan.json')
    expect(await server.client.issues(repository())).toEqual(before)
    const stored = await server.client.importFindings(repository(), report, 'scan.json')
    const { issues_created, issues_updated } = stored
    expect(preview).toMatchObject({ findings: 2, issues_created, issues_updated, issues_unchanged: 0 })
    expect(preview.examples.map(({ title }) => title)).toContain('Quite another matter')
    expect(await server.client.previewImport(repository(), report)).toMatchObject({
      issues_created: 0,
      issues_updated: 0,
      issues_unchanged: 2,
      examples: [],
    })
    await expect(server.client.previewImport(repository(), 'no report')).rejects.toThrow()
  })
})
