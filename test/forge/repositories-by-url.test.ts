import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StartOutcome } from '../../src/model/api/fix.ts'
import type { IssueList } from '../../src/model/api/issues.ts'
import { until } from '../fixtures/forge/hook-server.ts'
import {
  makePublishedProject,
  threeFindings,
  type PublishedProject,
} from '../fixtures/forge/published-project.ts'
import { makeFolder } from '../fixtures/repositories.ts'
import { startTestServer, type TestServer } from '../fixtures/server.ts'

let project: PublishedProject
let place: ReturnType<typeof makeFolder>
let home: string
let env: Readonly<Record<string, string>>
let server: TestServer
beforeAll(async () => {
  project = await makePublishedProject()
  place = makeFolder()
  home = join(place.folder, 'home')
  const key = join(place.folder, 'app.pem')
  writeFileSync(key, project.forge.appKey ?? '')
  env = {
    ...place.env,
    FIXPOINT_HOME: home,
    FIXPOINT_SANDBOX: 'off',
    GITHUB_API_URL: project.forge.url,
    FIXPOINT_GITHUB_APP_ID: '12345',
    FIXPOINT_GITHUB_APP_PRIVATE_KEY_FILE: key,
  }
  server = await startTestServer({ root: place.folder, home, env })
})
afterAll(async () => {
  await server?.end()
  await project?.closeAll()
  place?.dispose()
})

const add = (body: object) => server.ask('/api/repositories', { method: 'POST', body: JSON.stringify(body) })

describe('a repository by URL', () => {
  it.each([
    'file:///etc',
    'ext::id',
    '-uid',
    'http://127.0.0.1:1/ada/sample',
    'https://ada:secret@github.com/a/b',
  ])('is refused: %s', async (url) => {
    const answer = await add({ url })
    expect([400, 422]).toContain(answer.status)
    expect(answer.text).not.toContain('secret')
  })

  it('is fetched as the App, trusted once, fixed in a mirror, and delivered by a pull request', async () => {
    const first = await add({ url: project.forge.cloneUrl })
    expect([first.status, first.json()]).toEqual([
      201,
      expect.objectContaining({ url: project.forge.cloneUrl, name: 'sample', available: true }),
    ])
    const { id } = first.json<{ id: string }>()
    const trusted = async () =>
      (await server.ask(`/api/repositories/${id}`)).json<{ trusted: boolean }>().trusted
    expect(await trusted()).toBe(false)
    expect((await add({ url: project.forge.cloneUrl, trust: true })).json()).toMatchObject({ id })
    expect(await trusted()).toBe(true)
    const report = JSON.stringify({
      schema: 'fixpoint.findings.v1',
      source: 'scan',
      findings: threeFindings.slice(0, 1),
    })
    await server.ask(`/api/findings/import?repository_id=${id}`, { method: 'POST', body: report })
    const { issues } = (await server.ask(`/api/fix/issues/${id}`)).json<IssueList>()
    const started = await server.ask('/api/fix/start', {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: JSON.stringify({ repository_id: id, issue_ids: issues.map((issue) => issue.id) }),
    })
    const session = started.json<StartOutcome>().session_id
    const ended = await until('the session ends', async () => {
      const seen = (await server.ask(`/api/sessions/${session}`)).json<{
        status: string
        reason: string | null
        branch_name: string
      }>()
      return ['completed', 'partial', 'failed', 'parked'].includes(seen.status) ? seen : null
    })
    expect([ended.status, ended.reason]).toEqual(['completed', null])
    expect(project.forge.bare.tip(`refs/heads/${ended.branch_name}`)).toBeNull()
    const pull = await server.ask(`/api/sessions/${session}/pull-request`, { method: 'POST', body: '{}' })
    expect([pull.status, pull.json()]).toEqual([
      expect.any(Number),
      expect.objectContaining({ branch: ended.branch_name, pushed: true }),
    ])
    expect(project.forge.bare.git('show', `${ended.branch_name}:src/add.js`)).toContain('a + b')
    expect(() => execFileSync('grep', ['-rl', 'ghs_', home])).toThrow()
  })

  it('is listed and removed on the command line, and comes back with what is known of it', async () => {
    const run = (...args: string[]) => project.start(args, { ...env, FIXPOINT_HOME: home }, place.folder).done
    const listed = (await run('repos', 'list', '--json')).json<{
      repositories: { id: string; url: string }[]
    }>().repositories
    expect(listed).toEqual([expect.objectContaining({ url: project.forge.cloneUrl })])
    expect((await run('repos', 'remove', 'sample')).exitCode).toBe(0)
    expect((await run('repos', 'list', '--json')).json()).toMatchObject({ repositories: [] })
    expect(await run('repos', 'add', 'ext::id')).toMatchObject({ exitCode: 2 })
    const added = await run('repos', 'add', project.forge.cloneUrl, '--json')
    expect(added.json()).toMatchObject({ repository: { id: listed[0]?.id }, trusted: false })
    expect(added.stderr).toContain('--trust')
    expect(readFileSync(join(home, 'fixpoint.db')).includes('ghs_')).toBe(false)
  })
})
