import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../src/model/people/audit-entry.ts'
import { commandLineOf, fixpointIn, type RunFixpoint } from '../fixtures/command-line.ts'
import { makeProject, type Project } from '../fixtures/project.ts'
import { startTestServer, type RawAnswer, type RawRequest, type TestServer } from '../fixtures/server.ts'

const roles = ['viewer', 'operator', 'admin'] as const
type Role = (typeof roles)[number]

let project: Project
let other: Project
let server: TestServer
const tokens = new Map<string, string>()

const cli: RunFixpoint = (...args) => commandLineOf(project)(...args)

function letIn(name: string, ...args: string[]): void {
  const ran = cli('tokens', 'create', name, ...args, '--json')
  expect([ran.exitCode, ran.stderr]).toEqual([0, expect.stringContaining('shown this once')])
  tokens.set(name, ran.json<{ token: string }>().token)
}

const askAs = (name: string, path: string, given: RawRequest = {}): Promise<RawAnswer> =>
  server.ask(path, { ...given, headers: { ...given.headers, authorization: `Bearer ${tokens.get(name)}` } })

const post = (value: unknown, method = 'POST') => ({ method, body: JSON.stringify(value) })

beforeAll(async () => {
  project = await makeProject({ files: { 'a.mjs': 'export const a = 1\n' } })
  await project.import([{ file: 'a.mjs', line: 1, title: 'a is wrong', severity: 'major', rule: 'a' }])
  other = await makeProject({ files: { 'b.mjs': 'export const b = 1\n' } })
  fixpointIn(other.root, { ...other.env, FIXPOINT_HOME: project.home }, ['issues', 'list'])
  server = await startTestServer(project)
  for (const role of roles) letIn(role, '--role', role)
  letIn('narrow', '--role', 'admin', '--repository', project.app.repository.id)
})
afterAll(async () => {
  await server.end()
  await other.close()
  await project.close()
})

/** The least role for every endpoint. A new endpoint must be added here, with its role. */
const needed: Readonly<Record<Role | 'anyone', readonly string[]>> = {
  anyone: ['get /healthz', 'get /readyz', 'post /api/login', 'post /api/logout', 'post /api/webhooks/github'],
  viewer: [
    'get /metrics',
    'get /api/openapi.json',
    'get /api/login',
    'get /api/workers',
    'get /api/repositories',
    'get /api/repositories/{id}',
    'get /api/reviews',
    'get /api/reviews/{id}',
    'get /api/reviews/{id}/events',
    'get /api/fix/issues/{id}',
    'get /api/fix/issues/{id}/facets',
    'get /api/fix/issues/{id}/ledger',
    'get /api/fix/issues/{id}/code',
    'get /api/sessions',
    'get /api/sessions/{id}',
    'get /api/sessions/{id}/events',
    'get /api/sessions/{id}/report',
    'get /api/sessions/{id}/timing',
    'get /api/sessions/{id}/diff',
    'get /api/sessions/{id}/attempts',
    'get /api/sessions/{id}/artifacts',
    'get /api/sessions/{id}/artifact',
    'get /api/prs',
    'get /api/overview',
    'get /api/overview/events',
    'get /api/approvals',
    'get /api/agents',
    'get /api/config',
    'get /api/doctor',
    'get /api/insights',
  ],
  operator: [
    'post /api/reviews',
    'post /api/reviews/{id}/cancel',
    'post /api/findings/import',
    'patch /api/fix/issues/{id}',
    'post /api/fix/issues/bulk',
    'post /api/fix/clarify',
    'post /api/fix/plan',
    'post /api/fix/start',
    'post /api/fix/preflight',
    'post /api/prs',
    'post /api/prs/review',
    'post /api/sessions/{id}/cancel',
    'post /api/sessions/{id}/resume',
    'post /api/sessions/{id}/stop',
    'post /api/sessions/{id}/retry',
    'post /api/sessions/{id}/pull-request',
    'post /api/sessions/{id}/scope-response',
    'post /api/sessions/{id}/answers',
    'post /api/sessions/{id}/approvals/{approval_id}',
  ],
  admin: [
    'post /api/repositories',
    'post /api/repositories/{id}/trust',
    'get /api/tokens',
    'post /api/tokens',
    'delete /api/tokens',
    'delete /api/tokens/{id}',
    'get /api/audit',
  ],
}

interface Operation {
  readonly 'x-fixpoint-role': Role | 'anyone'
}

const readOperations = async (): Promise<readonly { name: string; role: Role | 'anyone' }[]> => {
  const { paths } = (await server.ask('/api/openapi.json')).json<{
    paths: Record<string, Record<string, Operation>>
  }>()
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method} ${path}`,
      role: operation['x-fixpoint-role'],
    })),
  )
}

/** Fills a path with ids that do not exist: a person with the right role is told so, and nothing is changed. */
const addressOf = (path: string): string =>
  path
    .replace(/\/fix\/issues\/\{id\}(?=\/(ledger|code)|$)/, '/fix/issues/iss_0')
    .replace(/\/(repositories|issues)\/\{id\}/, '/$1/rep_0')
    .replace(/\/reviews\/\{id\}/, '/reviews/rev_0')
    .replace(/\/sessions\/\{id\}/, '/sessions/ses_0')
    .replaceAll(/\{\w+\}/g, 'nothing')

describe('roles', () => {
  it('are known of every endpoint that the document lists', async () => {
    const listed = await readOperations()
    for (const role of ['anyone', ...roles] as const)
      expect(
        listed
          .filter((one) => one.role === role)
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(needed[role].toSorted())
  })

  it.each(roles)('let a %s do what the role may, and nothing above it', async (role) => {
    for (const { name, role: least } of await readOperations()) {
      const [method = '', path = ''] = name.split(' ')
      const isStream = path.endsWith('/events')
      const answer = await askAs(role, addressOf(path), {
        method: method.toUpperCase(),
        ...(method !== 'get' && { body: '{}' }),
        ...(isStream && { headers: { accept: 'application/json' } }),
      })
      const code = answer.status >= 400 ? answer.json()['code'] : 'done'
      const isAllowed = least === 'anyone' || roles.indexOf(role) >= roles.indexOf(least)
      // This body lacks the token of a log-in, and only GitHub can sign its requests.
      if (least === 'anyone') continue
      if (isAllowed)
        expect([name, code]).not.toEqual([name, expect.stringMatching(/^(forbidden|unauthorized)$/)])
      else expect([name, answer.status, code]).toEqual([name, 403, 'forbidden'])
    }
  })

  it('let nobody in without a token, at any endpoint but those for anyone', async () => {
    const guarded = (await readOperations()).filter(({ role }) => role !== 'anyone')
    expect(guarded.length).toBeGreaterThan(40)
    for (const { name } of guarded) {
      const [method = '', path = ''] = name.split(' ')
      const given = { method: method.toUpperCase(), headers: { authorization: undefined } }
      const body = method === 'get' ? {} : { body: '{}' }
      const { status } = await server.ask(addressOf(path), { ...given, ...body })
      expect([name, [401, 429]]).toEqual([name, expect.arrayContaining([status])])
    }
  })
})

describe('a token of one repository', () => {
  it('shows that repository, as if there were no other', async () => {
    const own = project.app.repository.id
    const all = (await server.ask('/api/repositories')).json<{ repositories: { id: string }[] }>()
    const hidden = all.repositories.map(({ id }) => id).find((id) => id !== own)
    expect(hidden).toMatch(/^rep_/)
    for (const path of ['/api/repositories', '/api/overview'])
      expect(
        (await askAs('narrow', path))
          .json<{ repositories: { id: string }[] }>()
          .repositories.map(({ id }) => id),
      ).toEqual([own])
    for (const path of [
      '/api/repositories/ID',
      '/api/fix/issues/ID',
      '/api/sessions?repository_id=ID',
      '/api/approvals?repository_id=ID',
    ])
      expect([path, (await askAs('narrow', path.replace('ID', hidden!))).status]).toEqual([path, 404])
    expect((await askAs('narrow', `/api/fix/issues/${own}`)).json()).toMatchObject({
      issues: [{ title: 'a is wrong' }],
    })
    const start = post({ repository_id: hidden, issue_ids: ['iss_0'] })
    expect((await askAs('narrow', '/api/fix/start', start)).status).toBe(404)
    for (const path of ['/api/tokens', '/api/audit', '/api/workers', '/metrics'])
      expect([path, (await askAs('narrow', path)).status]).toEqual([path, 403])
    expect((await askAs('narrow', '/api/sessions')).json()).toMatchObject({ sessions: [] })
  })
})

describe('the record of changes', () => {
  it('says who, what, when, from where and what came of it; refused ones too, and no secret', async () => {
    const { issues } = (await server.ask(`/api/fix/issues/${project.app.repository.id}`)).json<{
      issues: { id: string }[]
    }>()
    const path = `/api/fix/issues/${issues[0]!.id}`
    const secret = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')
    const change = post({ status: 'ignored', reason: `not ours, ${secret}` }, 'PATCH')
    expect((await askAs('viewer', path, change)).status).toBe(403)
    expect((await askAs('operator', path, change)).status).toBe(200)
    const { entries } = (await askAs('admin', '/api/audit')).json<{ entries: AuditEntry[] }>()
    const common = { address: '127.0.0.1', action: `PATCH ${path}`, at: expect.stringMatching(/^20/) }
    expect(entries[1]).toMatchObject({ ...common, person: 'viewer', role: 'viewer', outcome: 403 })
    expect(entries[0]).toMatchObject({
      ...common,
      person: 'operator',
      role: 'operator',
      repository_ids: [project.app.repository.id],
      outcome: 200,
    })
    expect(entries[0]!.request).toContain('not ours')
    expect(JSON.stringify(entries)).not.toContain(secret)
    expect(entries.map(({ action }) => action)).toContain('fixpoint tokens create')
    for (const token of tokens.values()) expect(JSON.stringify(entries)).not.toContain(token)
    const bobs = (await askAs('admin', '/api/audit?person=operator&limit=1')).json<{
      entries: AuditEntry[]
    }>()
    expect(bobs.entries.map(({ person }) => person)).toEqual(['operator'])
  })
})

describe('tokens', () => {
  it('are made and taken back over HTTP and by the command; a log-in ends with its token', async () => {
    const made = await askAs('admin', '/api/tokens', post({ name: 'eve', role: 'viewer', expires: '1h' }))
    expect(made.status).toBe(201)
    const { token, details } = made.json<{ token: string; details: { id: string } }>()
    expect(token).toMatch(/^fxp_[\w-]{43}$/)
    const again = await askAs('admin', '/api/tokens', post({ name: 'eve', role: 'viewer' }))
    expect([again.status, again.json()['code']]).toEqual([409, 'busy'])
    const anonymous = { authorization: undefined }
    const login = await server.ask('/api/login', { ...post({ token }), headers: anonymous })
    const cookie = String(login.headers['set-cookie']).split(';')[0]
    expect(cookie).not.toContain(token)
    const whoAmI = () => server.ask('/api/login', { headers: { ...anonymous, cookie } })
    expect((await whoAmI()).json()).toEqual({
      schema: 'fixpoint.login.v1',
      name: 'eve',
      role: 'viewer',
      repository_ids: null,
    })
    const listed = cli('tokens', 'list')
    expect(listed.stdout).toContain(`${details.id}  valid    eve: viewer of all repositories until`)
    expect(listed.stdout).not.toContain(token)
    expect(cli('tokens', 'revoke', 'eve').exitCode).toBe(0)
    expect((await whoAmI()).status).toBe(401)
    expect((await server.ask('/api/login', { ...post({ token }), headers: anonymous })).status).toBe(401)
    expect(cli('tokens', 'revoke', 'eve').exitCode).toBe(2)
    const last = await askAs('admin', '/api/tokens', post({ name: 'eve', role: 'viewer' }))
    const { details: second } = last.json<{ details: { id: string } }>()
    expect((await askAs('admin', `/api/tokens/${second.id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await askAs('admin', `/api/tokens?id=${second.id}`, { method: 'DELETE' })).status).toBe(409)
  })

  it('are refused with names, roles, times and repositories that cannot be', async () => {
    for (const args of [
      ['x', '--role', 'king'],
      ['x'],
      ['\u001b[31mx', '--role', 'viewer'],
      ['x', '--role', 'viewer', '--expires', 'soon'],
      ['x', '--role', 'viewer', '--repository', 'nowhere'],
    ])
      expect([args, cli('tokens', 'create', ...args).exitCode]).toEqual([args, 2])
  })

  it('of people are slowed down when they ask too often, and so are wrong ones', async () => {
    const slowed: RawAnswer[] = []
    for (let batch = 0; slowed.length === 0 && batch < 50; batch += 1) {
      const answers = await Promise.all(Array.from({ length: 200 }, () => askAs('viewer', '/api/login')))
      slowed.push(...answers.filter(({ status }) => status === 429))
    }
    expect(slowed[0]!.headers['retry-after']).toMatch(/^\d+$/)
    expect((await server.ask('/api/login')).status).toBe(200)
    const wrong = () =>
      server.ask('/api/login', { ...post({ token: 'wrong' }), headers: { authorization: undefined } })
    const tries = await Promise.all(Array.from({ length: 200 }, wrong))
    expect(tries.map(({ status }) => status)).toContain(429)
  })
})
