import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPullRequest } from '../../src/app/forge/create-pull-request.ts'
import { publishIssues } from '../../src/app/forge/publish-issues.ts'
import { reviewPullRequest } from '../../src/app/forge/review-pull-request.ts'
import { syncPullRequests } from '../../src/app/forge/sync-pull-requests.ts'
import type { Interceptor } from '../fixtures/forge/forge.ts'
import {
  makePublishedProject,
  threeFindings,
  threeMistakes,
  type PublishedProject,
} from '../fixtures/forge/published-project.ts'

const voter =
  "console.log(JSON.stringify({ score: 90, summary: 'fine', findings: [{ file: 'src/add.js', line: '1', title: 'no test', issue: 'Nothing tests it.', severity: 'minor', category: 'testing' }] })); return null"

let project: PublishedProject
beforeAll(async () => {
  project = await makePublishedProject({ ...threeMistakes, reviewers: [voter, voter] })
  await project.import(threeFindings)
  await project.fix()
})
afterAll(() => project.closeAll())

/** The answer to the first write is lost, and nothing answers after it: what a process leaves that dies there. */
const dieAfterFirstWrite = (): Interceptor => {
  let isDead = false
  return ({ method, path }, at) => {
    isDead ||= at === 'after' && method !== 'GET' && path.startsWith('/repos/')
    return isDead ? { status: 403, body: { message: 'gone' } } : 'pass'
  }
}

/** Does something again and again, dying after one more write each time, until there is nothing left to write; gives how often it died. */
async function dyingAtEveryWrite(work: () => Promise<unknown>): Promise<number> {
  for (let deaths = 0; deaths < 30; deaths += 1) {
    project.forge.intercept = dieAfterFirstWrite()
    const isDone = await work().then(
      () => true,
      () => false,
    )
    project.forge.intercept = () => 'pass'
    if (isDone) return deaths
  }
  throw new Error('it never ends')
}
const count = async (path: string): Promise<number> =>
  (await project.forge.ask<unknown[]>('GET', `/repos/ada/sample/${path}`)).data.length

it('whoever dies after every single write of the walk has published everything once in the end', async () => {
  const { app, forge } = project
  expect(await dyingAtEveryWrite(() => createPullRequest(app, { isDraft: false }))).toBeGreaterThan(1)
  expect(await count('pulls?state=all')).toBe(1)

  const reviewing = {
    pull: '1',
    isPosted: true,
    requireTrust: async () => undefined,
    signal: new AbortController().signal,
    say: () => undefined,
  }
  expect(await dyingAtEveryWrite(() => reviewPullRequest(app, reviewing))).toBeGreaterThan(0)
  expect(await count('pulls/1/reviews')).toBe(1)
  expect(await count('pulls/1/comments')).toBe(1)

  await forge.merge(1, 'squash')
  await dyingAtEveryWrite(() => syncPullRequests(app))
  const leftovers = { codes: [], unresolved: true, severities: [], isDryRun: false }
  expect(await dyingAtEveryWrite(() => publishIssues(app, leftovers))).toBeGreaterThan(0)
  const all = await forge.ask<{ pull_request?: object }[]>(
    'GET',
    '/repos/ada/sample/issues?state=all&per_page=100',
  )
  expect(all.data.filter(({ pull_request }) => pull_request === undefined)).toHaveLength(1)
  const { issues } = await app.store.issues.list({ repositoryId: app.repository.id, limit: 50 })
  expect(issues.map(({ status }) => status).toSorted()).toEqual(['failed', 'merged', 'merged'])
})
