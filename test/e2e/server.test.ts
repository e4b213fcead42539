import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IssueId } from '../../src/model/id.ts'
import type { Issue } from '../../src/model/issue/issue.ts'
import { ApiError } from '../../src/client/index.ts'
import { makeProject, type Project } from '../fixtures/project.ts'
import { serverToken, startTestServer, type TestServer } from '../fixtures/server.ts'

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const files = {
  ...Object.fromEntries(names.map((name) => [`src/${name}.mjs`, `export const ${name} = () => 2\n`])),
  'test/a.test.mjs': `import test from 'node:test'
import assert from 'node:assert/strict'
import { a } from '../src/a.mjs'
test('a is a number', () => {
  assert.equal(typeof a(), 'number')
  assert.ok(a)
})
`,
}
const fixer = `
  edit(issue.file, '=> 2', '=> 1')
  if (issue.title.includes('tampers')) edit('test/a.test.mjs', '  assert.ok(a)\\n', '')
  return {}
`
const sarif = (titles: Readonly<Record<string, string>>) =>
  JSON.stringify({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'scan' } },
        results: Object.entries(titles).map(([name, text]) => ({
          ruleId: `rule-${name}`,
          level: 'error',
          message: { text },
          locations: [
            { physicalLocation: { artifactLocation: { uri: `src/${name}.mjs` }, region: { startLine: 1 } } },
          ],
        })),
      },
    ],
  })

let project: Project
let server: TestServer
let repository_id: Issue['repository_id']
const issueOf = new Map<string, Issue>()
const idOf = (name: string): IssueId => issueOf.get(name)!.id

beforeAll(async () => {
  project = await makeProject({ files, fixer, config: 'fix: { max_rounds: 1 }' })
  server = await startTestServer(project)
  repository_id = project.app.repository.id
})
afterAll(async () => {
  await server.end()
  await project.close()
})

const refusal = async (work: Promise<unknown>): Promise<ApiError['problem']> => {
  try {
    await work
  } catch (error) {
    if (error instanceof ApiError) return error.problem
    throw error
  }
  throw new Error('it was not refused')
}
async function ended(sessionId: string): Promise<readonly string[]> {
  const types: string[] = []
  const signal = AbortSignal.timeout(200_000)
  await server.client.follow({ sessionId, signal, onEvent: (event) => types.push(event.type) })
  return types
}

it('the link that `serve` prints leads to the repository in which it was started', () => {
  expect(server.page).toBe(`${server.url}/r/${repository_id}/issues#token=${serverToken}`)
})

describe('findings come in', () => {
  it('as a report in the body, and become issues', async () => {
    const titles = Object.fromEntries(names.map((name) => [name, `${name} is wrong`]))
    const outcome = await server.client.importFindings(
      repository_id,
      sarif({ ...titles, h: 'h tampers' }),
      'scan.sarif',
    )
    expect(outcome).toMatchObject({ format: 'sarif', findings: 8, issues_created: 8, state: 'complete' })
    const { issues, next_cursor } = await server.client.issues(repository_id)
    expect([issues.length, next_cursor]).toEqual([8, null])
    for (const issue of issues) issueOf.set(issue.file!.slice(4, 5), issue)
  })

  it('as a form with the report as a file; the same findings again change nothing', async () => {
    const boundary = 'xX'
    const report = sarif({ a: 'a is wrong' })
    const body = `--${boundary}\r\ncontent-disposition: form-data; name="note"\r\n\r\nhi\r\n--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="r.sarif"\r\ncontent-type: application/json\r\n\r\n${report}\r\n--${boundary}--\r\n`
    const answer = await server.ask('/api/findings/import', {
      method: 'POST',
      body,
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    })
    expect(answer.json()).toMatchObject({ findings: 1, issues_created: 0 })
    expect(answer.status).toBe(201)
  })

  it('not at all when the report is broken', async () => {
    const problem = await refusal(
      server.client.importFindings(repository_id, '{"version": "2.1.0", "runs": ['),
    )
    expect(problem).toMatchObject({ status: 400, code: 'input_invalid' })
  })
})

describe('issues', () => {
  it('are found by status, severity, text and page', async () => {
    const of = (query: string) => server.ask(`/api/fix/issues/${repository_id}${query}`)
    expect(
      (await of('?status=OPEN&severity=Major,critical')).json<{ issues: unknown[] }>().issues,
    ).toHaveLength(8)
    expect((await of('?status=resolved')).json<{ issues: unknown[] }>().issues).toHaveLength(0)
    expect((await of('?q=SRC/C')).json<{ issues: unknown[] }>().issues).toHaveLength(1)
    expect((await of('?class=be,FE')).json<{ issues: unknown[] }>().issues).toHaveLength(8)
    expect((await of('?class=FE')).json<{ issues: unknown[] }>().issues).toHaveLength(0)
    expect((await of('?status=nonsense')).status).toBe(400)
    expect((await of('?cursor=nonsense')).status).toBe(400)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await server.client.issues(repository_id, { limit: 3, ...(cursor && { cursor }) })
      seen.push(...page.issues.map(({ id }) => id))
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    expect(new Set(seen).size).toBe(8)
    const first = await of('')
    const etag = first.headers.etag
    expect(
      (await server.ask(`/api/fix/issues/${repository_id}`, { headers: { 'if-none-match': etag } })).status,
    ).toBe(304)
  })

  it('show their code, their ledger and how many there are', async () => {
    expect(await server.client.code(idOf('a'))).toMatchObject({
      lines: ['export const a = () => 2', ''],
      flagged: { line: 1, end_line: 1 },
    })
    expect((await server.client.ledger(idOf('a'))).findings).not.toHaveLength(0)
    expect(await server.client.facets(repository_id)).toMatchObject({ total: 8, status: { open: 8 } })
  })

  it('move only where they may, and say where that is', async () => {
    const { changeIssue } = server.client
    for (const status of ['merged', 'in_progress', 'failed', 'open'] as const)
      expect(await refusal(changeIssue(idOf('f'), { status }))).toMatchObject({
        status: 409,
        code: 'transition_refused',
        allowed: ['resolved', 'ignored', 'duplicate'],
      })
    expect(await refusal(changeIssue(idOf('f'), { status: 'resolved' }))).toMatchObject({ status: 400 })
    expect(
      await refusal(changeIssue(idOf('f'), { status: 'ignored', reason: 'no', until: '2020-01-01' })),
    ).toMatchObject({ status: 400 })
    const ignored = await changeIssue(idOf('f'), {
      status: 'ignored',
      reason: 'on purpose',
      until: '2099-12-31',
    })
    expect(ignored).toMatchObject({
      ignored: { reason: 'on purpose', until: '2099-12-31' },
      allowed_transitions: ['open'],
    })
    expect(await changeIssue(idOf('f'), { status: 'open' })).toMatchObject({ status: 'open', ignored: null })
    const same = await changeIssue(idOf('g'), { status: 'duplicate', duplicate_of: issueOf.get('f')!.code })
    expect(same.duplicate_of).toBe(idOf('f'))
    expect(await changeIssue(idOf('f'), { status: 'resolved', resolution_note: 'in PR 12' })).toMatchObject({
      evidence: 'manual',
    })
  })

  it('move several at once, each for itself', async () => {
    const change = { status: 'open' as const }
    const outcome = await server.client.changeIssues({ issue_ids: [idOf('f'), idOf('g'), idOf('a')], change })
    expect(outcome.changed.map(({ id }) => id)).toEqual([idOf('f'), idOf('g')])
    expect(outcome.refused).toMatchObject([{ issue_id: idOf('a'), code: 'transition_refused' }])
  })
})

describe('a session', () => {
  it('is planned, started, followed and reported', async () => {
    const plan = await server.client.plan({
      repository_id,
      issue_ids: [idOf('a')],
      prompts: true,
      user_notes: 'be brief',
    })
    expect(plan.execution_steps[0]?.issues[0]?.code).toBe(issueOf.get('a')!.code)
    expect(plan.prompts[0]?.prompt).toContain('be brief')
    const [one, two] = [idOf('a'), idOf('b')]
    const asked = { repository_id, issue_ids: [one, two], prompts: true, strategy: 'single-call' } as const
    const { prompts } = await server.client.plan(asked)
    expect(prompts).toMatchObject([{ code: expect.stringMatching(/^\w+-\d+, \w+-\d+$/) }])
    const { session_id } = await server.client.start({ repository_id, issue_ids: [idOf('a')] })
    const types = await ended(session_id)
    expect([types[0], types.at(-1)]).toEqual(['fix_session_started', 'fix_session_completed'])
    const report = await server.client.report(session_id)
    expect(report).toMatchObject({ status: 'completed', issues_fixed: 1, schema: 'fixpoint.session.v1' })
    expect(project.git('rev-parse', report.branch_name!)).toBe(report.results[0]?.commit_sha)
    expect(await server.client.reportText(session_id)).toContain(issueOf.get('a')!.code)
    expect(await server.client.diff(session_id)).toContain('+export const a = () => 1')
    expect(await server.client.diff(session_id, issueOf.get('a')!.code)).toContain('=> 1')
    const { names: kept } = await server.client.artifacts(session_id)
    const prompt = kept.find((name) => name.endsWith('prompt.md'))!
    expect(await server.client.artifact(session_id, prompt)).toContain('a is wrong')
    expect(await refusal(server.client.artifact(session_id, '../../../server-token'))).toMatchObject({
      status: 404,
    })
    expect((await server.client.issue(idOf('a'))).status).toBe('resolved')
    expect((await server.client.insights(repository_id)).fixed).toBe(1)
    expect((await server.client.sessions({ repository_id })).sessions[0]).toMatchObject({
      session_id,
      issues_fixed: 1,
    })
  })

  it('is not started twice by the same request; reopening an issue makes it another one', async () => {
    const body = { repository_id, issue_ids: [idOf('a')] }
    const [first] = (await server.client.sessions()).sessions
    const again = await server.ask('/api/fix/start', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { accept: 'application/json' },
    })
    expect([again.status, again.json()]).toEqual([
      200,
      expect.objectContaining({ session_id: first?.session_id, earlier: true }),
    ])
    expect(await refusal(server.client.start({ ...body, force: true }))).toMatchObject({
      code: 'transition_refused',
    })
    await server.client.changeIssue(idOf('a'), { status: 'open' })
    const anew = await server.client.start(body)
    expect(anew).toMatchObject({ earlier: false })
    await ended(anew.session_id)
  })

  it('of fifty requests at once is made once; the others are told its id', async () => {
    const body = { repository_id, issue_ids: [idOf('b'), idOf('c')] }
    const asked = await Promise.allSettled(Array.from({ length: 50 }, () => server.client.start(body)))
    const started = asked.filter((one) => one.status === 'fulfilled').map(({ value }) => value)
    const refused = asked
      .filter((one) => one.status === 'rejected')
      .map(({ reason }) => (reason as ApiError).problem)
    const ids = new Set([...started, ...refused].map(({ session_id }) => session_id))
    expect(ids.size).toBe(1)
    expect(started.filter(({ earlier }) => !earlier)).toHaveLength(1)
    expect(new Set(refused.map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(['409 already_running']),
    )
    await ended([...ids][0]!)
    const { sessions } = await server.client.sessions()
    expect(sessions.filter(({ issues_requested }) => issues_requested === 2)).toHaveLength(1)
  }, 120_000)

  it('is the same request for the client that says so', async () => {
    const { session_id } = await server.client.start({ repository_id, issue_ids: [idOf('d')] }, 'mine')
    expect(
      await refusal(server.client.start({ repository_id, issue_ids: [idOf('e')] }, 'mine')),
    ).toMatchObject({ session_id })
    await ended(session_id)
  })

  it('of issues that are not there is refused', async () => {
    const unknown = 'iss_0' as IssueId
    expect(await refusal(server.client.start({ repository_id, issue_ids: [unknown] }))).toMatchObject({
      status: 404,
    })
  })

  it('waits for a person who approves exactly the files that were asked about', async () => {
    const { session_id } = await server.client.start({ repository_id, issue_ids: [idOf('h'), idOf('e')] })
    await expect
      .poll(async () => (await server.client.approvals()).approvals.length, { timeout: 200_000 })
      .toBe(1)
    const [approval] = (await server.client.approvals(repository_id)).approvals
    expect(approval).toMatchObject({
      gate: 'tamper',
      question: expect.stringContaining('May this patch change what judges it'),
      files: ['test/a.test.mjs'],
      issue_id: idOf('h'),
      session_id,
    })
    expect(approval?.diff).toContain('assert.ok')
    const answer = (id: string, files: readonly string[]) =>
      server.client.answerApproval(session_id, id, { decision: 'approve', files })
    expect(await refusal(answer('att_0-1', ['test/a.test.mjs']))).toMatchObject({ status: 404 })
    expect(await refusal(answer(approval!.approval_id, ['src/a.mjs']))).toMatchObject({ status: 409 })
    expect(await refusal(server.client.answerScope(session_id, { approved: true }))).toMatchObject({
      status: 404,
    })
    await answer(approval!.approval_id, ['test/a.test.mjs'])
    expect((await ended(session_id)).at(-1)).toBe('fix_session_completed')
    expect(await server.client.report(session_id)).toMatchObject({ issues_fixed: 2, status: 'completed' })
    expect(await refusal(answer(approval!.approval_id, ['test/a.test.mjs']))).toMatchObject({ status: 404 })
  })

  it('that is over is neither resumed nor changed by cancelling', async () => {
    const [last] = (await server.client.sessions()).sessions
    expect(await refusal(server.client.resume(last!.session_id))).toMatchObject({ status: 409 })
    expect((await server.client.cancel(last!.session_id)).status).toBe(last!.status)
  })
})

describe('the document', () => {
  interface Operation {
    readonly responses: object
    readonly summary: string
    readonly description: string
    readonly tags: readonly string[]
    readonly operationId: string
  }

  it('is OpenAPI 3.1 and lists every endpoint', async () => {
    const document = (await server.ask('/api/openapi.json')).json<{
      openapi: string
      paths: Record<string, Record<string, Operation>>
      tags: readonly { name: string }[]
    }>()
    expect(document.openapi).toBe('3.1.0')
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(listed.toSorted()).toEqual(endpoints.toSorted())
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
    const known = document.tags.map(({ name }) => name)
    for (const { responses, summary, description, tags } of operations) {
      expect([summary, description]).not.toContain('')
      expect(known).toContain(tags[0])
      // Every refusal is typed: each status comes with its codes.
      expect(Object.keys(responses)).toContain('500')
      expect(Object.keys(responses)).not.toContain('default')
    }
    expect(JSON.stringify(document)).not.toContain('"$ref":"#/components/schemas/undefined')
  })

  it('tells every answer that is no refusal: streams with their events, earlier sessions, previews, reports', async () => {
    type Answers = Record<string, { content?: Record<string, { schema: { properties?: object } }> }>
    const { paths } = (await server.ask('/api/openapi.json')).json<{
      paths: Record<string, Record<string, { responses: Answers }>>
    }>()
    const streaming = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) => {
        const stream = responses['200']?.content?.['text/event-stream']
        return stream ? [`${method} ${path}: ${Object.keys(stream.schema.properties ?? {})[0]}`] : []
      }),
    )
    expect(streaming.toSorted()).toEqual([
      'get /api/overview/events: repositories',
      'get /api/reviews/{id}/events: type',
      'get /api/sessions/{id}/events: type',
      'post /api/fix/start: type',
    ])
    const typesOf = (method: string, path: string, status: string) =>
      Object.keys(paths[path]?.[method]?.responses[status]?.content ?? {})
    expect(typesOf('post', '/api/fix/start', '202')).toEqual(['application/json'])
    expect(typesOf('post', '/api/fix/start', '200')).toEqual(['application/json', 'text/event-stream'])
    expect(typesOf('post', '/api/reviews', '202')).toEqual(['application/json'])
    expect(typesOf('post', '/api/findings/import', '200')).toEqual(['application/json'])
    expect(typesOf('get', '/readyz', '503')).toEqual(['application/json'])
    expect(typesOf('get', '/api/sessions/{id}/report', '200')).toEqual([
      'application/json',
      'text/markdown',
      'text/html',
    ])
    expect(Object.keys(paths['/api/sessions/{id}/events']?.['get']?.responses ?? {})).toContain('204')
  })

  it('has figures for Prometheus', async () => {
    const { text } = await server.ask('/metrics')
    expect(text).toMatch(/^fixpoint_sessions\{status="completed"\} \d+$/m)
    expect(text).toMatch(/^fixpoint_attempts_total\{outcome="fixed"\} \d+$/m)
    expect(text).toMatch(/^fixpoint_http_requests_total\{method="GET",status="200"\} \d+$/m)
  })
})

const endpoints = [
  'get /healthz',
  'get /readyz',
  'get /api/workers',
  'get /metrics',
  'get /api/openapi.json',
  'get /api/login',
  'post /api/login',
  'get /api/tokens',
  'post /api/tokens',
  'delete /api/tokens',
  'delete /api/tokens/{id}',
  'get /api/audit',
  'post /api/logout',
  'get /api/repositories',
  'post /api/repositories',
  'get /api/repositories/{id}',
  'post /api/repositories/{id}/trust',
  'get /api/reviews',
  'post /api/reviews',
  'get /api/reviews/{id}',
  'get /api/reviews/{id}/events',
  'post /api/reviews/{id}/cancel',
  'post /api/findings/import',
  'get /api/fix/issues/{id}',
  'patch /api/fix/issues/{id}',
  'post /api/fix/issues/bulk',
  'get /api/fix/issues/{id}/facets',
  'get /api/fix/issues/{id}/ledger',
  'get /api/fix/issues/{id}/code',
  'post /api/fix/clarify',
  'post /api/fix/plan',
  'post /api/fix/start',
  'get /api/sessions',
  'get /api/sessions/{id}',
  'get /api/sessions/{id}/events',
  'get /api/sessions/{id}/report',
  'get /api/sessions/{id}/diff',
  'get /api/sessions/{id}/attempts',
  'get /api/sessions/{id}/timing',
  'get /api/sessions/{id}/artifacts',
  'get /api/sessions/{id}/artifact',
  'post /api/sessions/{id}/cancel',
  'post /api/sessions/{id}/resume',
  'post /api/sessions/{id}/stop',
  'post /api/webhooks/github',
  'get /api/prs',
  'post /api/prs',
  'post /api/prs/review',
  'post /api/sessions/{id}/pull-request',
  'post /api/sessions/{id}/retry',
  'post /api/fix/preflight',
  'get /api/overview',
  'get /api/overview/events',
  'post /api/sessions/{id}/scope-response',
  'post /api/sessions/{id}/answers',
  'post /api/sessions/{id}/approvals/{approval_id}',
  'get /api/approvals',
  'get /api/agents',
  'get /api/config',
  'get /api/doctor',
  'get /api/insights',
]
