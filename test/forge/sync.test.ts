import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createPullRequest } from '../../src/app/forge/create-pull-request.ts'
import { publishIssues } from '../../src/app/forge/publish-issues.ts'
import { syncPullRequests } from '../../src/app/forge/sync-pull-requests.ts'
import { openApp } from '../../src/app/open-app.ts'
import { importFindings } from '../../src/app/review/import-findings.ts'
import type { Issue } from '../../src/model/issue/issue.ts'
import {
  makePublishedProject,
  threeFindings,
  type PublishedProject,
} from '../fixtures/forge/published-project.ts'
import type { MergeMethod } from '../fixtures/forge/bare-repository.ts'

const opened: PublishedProject[] = []
afterEach(async () => {
  for (const project of opened.splice(0)) await project.closeAll()
})

async function fixedProject(): Promise<PublishedProject> {
  const project = await makePublishedProject()
  opened.push(project)
  await project.import(threeFindings)
  await project.fix()
  return project
}

const issuesOf = async ({ app }: PublishedProject): Promise<readonly Issue[]> =>
  (await app.store.issues.list({ repositoryId: app.repository.id, limit: 50 })).issues.toSorted((a, b) =>
    a.code.localeCompare(b.code),
  )
const standing = async (project: PublishedProject) =>
  (await issuesOf(project)).map(({ title, status, resolution_note }) => [title, status, resolution_note])

describe('pr sync', () => {
  it.each<MergeMethod>(['squash', 'rebase', 'merge'])(
    'makes fixed issues merged after a %s merge, and says in which pull request',
    async (method) => {
      const project = await fixedProject()
      const { number } = await createPullRequest(project.app, { isDraft: false })
      await project.forge.merge(number ?? 0, method)
      await syncPullRequests(project.app)
      expect((await standing(project)).filter(([, status]) => status === 'merged')).toEqual([
        ['add subtracts', 'merged', `Fixed in PR #${number}`],
        ['half takes a third', 'merged', `Fixed in PR #${number}`],
      ])
      // No pull request is left to ask about.
      expect(await syncPullRequests(project.app)).toEqual([])
      // The pulled code holds the fixes, so a review of it leaves all issues as they are.
      const before = await standing(project)
      project.forge.bare.git('push', '--quiet', project.root, '+main:refs/remotes/origin/main')
      project.git('merge', '--quiet', '--ff-only', 'origin/main')
      await project.import([])
      expect(await standing(project)).toEqual(before)
    },
  )

  it('takes over what open pull requests fix on a machine that remembers nothing, and what becomes of them', async () => {
    const project = await fixedProject()
    const { number } = await createPullRequest(project.app, { isDraft: false })
    const home = join(project.folder, 'another-home')
    const app = await openApp({ cwd: project.root, env: { ...project.app.env, FIXPOINT_HOME: home } })
    const there = { ...project, app }
    try {
      const file = join(project.folder, 'findings.json')
      await importFindings(app, { file, format: null, stdin: process.stdin })
      // The pull request of a stranger could name any fingerprint.
      const listed = await project.forge.ask<object[]>('GET', '/repos/ada/sample/pulls?state=open')
      const forked = listed.data.map((pull) => ({
        ...pull,
        head: { ref: 'x', sha: 'x', repo: { full_name: 'eve/sample' } },
      }))
      project.forge.intercept = ({ path }) =>
        path.includes('/pulls?state=open') ? { status: 200, body: forked } : 'pass'
      expect(await syncPullRequests(app)).toEqual([])
      project.forge.intercept = () => 'pass'
      const proposed = [
        ['add subtracts', 'resolved', `Proposed in PR #${number}`],
        ['half takes a third', 'resolved', `Proposed in PR #${number}`],
        ['load throws on bad text', 'open', null],
      ]
      expect(await syncPullRequests(app)).toMatchObject([{ number, session_id: null, changed: [{}, {}] }])
      expect(await standing(there)).toEqual(proposed)
      expect(await syncPullRequests(app)).toEqual([])
      const at = `/repos/ada/sample/pulls/${number}`
      await project.forge.ask('PATCH', at, { state: 'closed' })
      await syncPullRequests(app)
      expect((await standing(there)).map(([, status]) => status)).toEqual(['open', 'open', 'open'])
      await project.forge.ask('PATCH', at, { state: 'open' })
      await syncPullRequests(app)
      expect(await standing(there)).toEqual(proposed)
      await project.forge.merge(number ?? 0, 'squash')
      await syncPullRequests(app)
      expect((await standing(there)).slice(0, 2)).toEqual([
        ['add subtracts', 'merged', `Fixed in PR #${number}`],
        ['half takes a third', 'merged', `Fixed in PR #${number}`],
      ])
    } finally {
      await app.close()
    }
  })

  it('opens issues again when their pull request is closed, and takes that back when it is reopened', async () => {
    const project = await fixedProject()
    const { number } = await createPullRequest(project.app, { isDraft: false })
    const at = `/repos/ada/sample/pulls/${number}`
    await project.forge.ask('PATCH', at, { state: 'closed' })
    const [closed] = await syncPullRequests(project.app)
    expect(closed).toMatchObject({ state: 'closed', changed: [{ status: 'open' }, { status: 'open' }] })
    expect((await standing(project))[0]).toEqual([
      'add subtracts',
      'open',
      `PR #${number} was closed without being merged`,
    ])
    await expect(createPullRequest(project.app, {})).rejects.toThrow(/is closed already/)
    await project.forge.ask('PATCH', at, { state: 'open' })
    await syncPullRequests(project.app)
    const [reopened] = await issuesOf(project)
    expect(reopened).toMatchObject({
      status: 'resolved',
      resolution_note: `Proposed in PR #${number}`,
      evidence: 'E1',
    })
    expect(reopened?.fix_commit_sha).toMatch(/^[0-9a-f]{40}$/)
    // A second sync changes nothing.
    expect((await syncPullRequests(project.app))[0]?.changed).toEqual([])
  })
})

describe('issues publish', () => {
  const everything = { codes: [], unresolved: true, severities: [], isDryRun: false }
  const published = async ({ forge }: PublishedProject) =>
    (
      await forge.ask<
        {
          number: number
          title: string
          state: string
          body: string
          labels: { name: string }[]
          pull_request?: unknown
        }[]
      >('GET', '/repos/ada/sample/issues?state=all')
    ).data.filter(({ pull_request }) => pull_request === undefined)

  it('publishes a leftover once with its weak excuse, updates it, and closes it when it is settled', async () => {
    const project = await fixedProject()
    const dry = await publishIssues(project.app, { ...everything, isDryRun: true })
    expect(dry.planned).toHaveLength(1)
    expect(await published(project)).toEqual([])
    const first = await publishIssues(project.app, everything)
    expect(first).toMatchObject({
      total_findings: 3,
      fixed: 2,
      blocked: 1,
      issues_created: [{ number: 1 }],
      issues_closed: [],
    })
    const [issue, ...others] = await published(project)
    expect(others).toEqual([])
    expect(issue?.title).toBe('[CRITICAL] load throws on bad text')
    expect(issue?.labels.map(({ name }) => name).toSorted()).toEqual(['critical', 'tech-debt'])
    expect(issue?.body).toBe(dry.planned[0]?.body)
    expect(issue?.body).toContain('Suspicious justification: “out of scope”')
    expect(issue?.body).toMatch(/\/blob\/[0-9a-f]{40}\/src\/load\.js#L1/)
    // A person adds a line and removes the labels; the published issue is found nevertheless.
    await project.forge.ask('PATCH', '/repos/ada/sample/issues/1', {
      body: `${issue?.body}\n\nI will look at it.`,
      labels: [],
    })
    expect(await publishIssues(project.app, everything)).toMatchObject({
      issues_created: [],
      issues_updated: [],
      issues_unchanged: [{ number: 1 }],
    })
    await project.fixpoint(
      'issues',
      'ignore',
      issue?.body.match(/as (\w+-\d+)/)?.[1] ?? '',
      '--reason',
      'known',
    )
    expect(await publishIssues(project.app, everything)).toMatchObject({ issues_closed: [{ number: 1 }] })
    const [closed] = await published(project)
    expect(closed).toMatchObject({ state: 'closed' })
    expect(closed?.body).toContain('I will look at it.')
  })

  it('publishes once although the answer to the first try is lost', async () => {
    const project = await fixedProject()
    let lost = 0
    project.forge.intercept = ({ method, path }, phase) =>
      method === 'POST' && path.endsWith('/issues') && phase === 'after' && lost++ === 0 ? 'drop' : 'pass'
    expect(await publishIssues(project.app, everything)).toMatchObject({ issues_created: [{ number: 1 }] })
    expect(lost).toBe(1)
    expect(await published(project)).toHaveLength(1)
  })
})
