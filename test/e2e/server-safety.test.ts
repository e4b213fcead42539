import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeProject, type Project } from '../fixtures/project.ts'
import { serverToken, startTestServer, type TestServer } from '../fixtures/server.ts'

const secret = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')
let project: Project
let server: TestServer
let repositoryId: string

beforeAll(async () => {
  project = await makeProject({
    files: { 'src/a.mjs': 'export const one = () => 2\n' },
    verify: `TOKEN=${secret} node --version`,
  })
  await project.import([{ file: 'src/a.mjs', line: 1, title: 'a is wrong', severity: 'major', rule: 'a' }])
  server = await startTestServer(project)
  repositoryId = project.app.repository.id
})
afterAll(async () => {
  await server.end()
  await project.close()
})

const json = (value: unknown) => ({ method: 'POST', body: JSON.stringify(value) })

describe('who may ask', () => {
  it.each(['/api/repositories', '/api/sessions', '/api/approvals', '/metrics', '/api/openapi.json'])(
    'refuses %s without the token, or with a wrong one',
    async (path) => {
      const without = await server.ask(path, { headers: { authorization: undefined } })
      expect(without.status).toBe(401)
      expect(without.headers['content-type']).toBe('application/problem+json')
      expect(without.json()).toMatchObject({ code: 'unauthorized', status: 401, instance: path })
      const wrong = await server.ask(path, { headers: { authorization: 'Bearer nonsense' } })
      expect(wrong.status).toBe(401)
      expect((await server.ask(path)).status).toBe(200)
    },
  )

  it('says that it lives to everybody', async () => {
    const anonymous = { headers: { authorization: undefined } }
    expect((await server.ask('/healthz', anonymous)).json()).toMatchObject({ status: 'ok' })
    expect((await server.ask('/readyz', anonymous)).status).toBe(200)
  })

  it('sees through other ways to write an address', async () => {
    const anonymous = { headers: { authorization: undefined } }
    for (const path of [
      '/x/../api/repositories',
      '/%61pi/repositories',
      '/./api/repositories',
      '/api/../api/sessions',
    ])
      expect((await server.ask(path, anonymous)).status).toBe(401)
    for (const path of ['//api/repositories', '/API/repositories', '/api%2frepositories'])
      expect((await server.ask(path, anonymous)).text).not.toContain(repositoryId)
  })

  it('refuses a token in the address, even beside a right one', async () => {
    for (const name of ['token', 'access_token']) {
      const answer = await server.ask(`/api/repositories?${name}=${serverToken}`)
      expect([answer.status, answer.json()['code']]).toEqual([401, 'unauthorized'])
    }
  })

  it('exchanges the token for a cookie that no script and no other site can use', async () => {
    const anonymous = { authorization: undefined }
    expect((await server.ask('/api/login', { ...json({ token: 'wrong' }), headers: anonymous })).status).toBe(
      401,
    )
    const login = await server.ask('/api/login', { ...json({ token: serverToken }), headers: anonymous })
    expect(login.status).toBe(204)
    const [cookie = ''] = login.headers['set-cookie'] ?? []
    expect(cookie).toMatch(/^fixpoint_\w+=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict/)
    expect(cookie).not.toContain(serverToken)
    const pair = cookie.split(';')[0] ?? ''
    const withCookie = { headers: { ...anonymous, cookie: `other=1; ${pair}` } }
    expect((await server.ask('/api/repositories', withCookie)).status).toBe(200)
    const forged = { headers: { ...anonymous, cookie: `${pair.slice(0, -1)}x` } }
    expect((await server.ask('/api/repositories', forged)).status).toBe(401)
  })

  it('refuses every name that is not its own (DNS rebinding)', async () => {
    for (const host of [
      'evil.example',
      'evil.example:80',
      '127.0.0.1.evil.example',
      'localhost.evil',
      '[::2]',
    ])
      for (const path of ['/', '/healthz', '/api/repositories'])
        expect((await server.ask(path, { headers: { host } })).status).toBe(403)
    expect((await server.ask('/', { headers: { host: '' } })).status).toBe(400)
    for (const host of ['localhost:1', '127.0.0.1', '[::1]:99'])
      expect((await server.ask('/api/repositories', { headers: { host } })).status).toBe(200)
  })

  it.each(['/api/repositories', '/api/fix/start', '/api/login', '/api/sessions/ses_1/events'])(
    'refuses what another site sends to %s',
    async (path) => {
      const post = path.endsWith('events') ? {} : json({})
      for (const headers of [
        { origin: 'http://evil.example' },
        { origin: 'null' },
        { origin: `https://127.0.0.1:${server.port + 1}` },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ])
        expect((await server.ask(path, { ...post, headers })).status).toBe(403)
      const own = { origin: server.url, 'sec-fetch-site': 'same-origin' }
      expect((await server.ask(path, { ...post, headers: own })).status).not.toBe(403)
    },
  )

  it('listens on the loopback address only', () => {
    const port = server.port.toString(16).toUpperCase().padStart(4, '0')
    const listening = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(([, local = '', , state]) => local.endsWith(`:${port}`) && state === '0A')
        .map(([, local]) => local),
    )
    expect(listening).toEqual([`0100007F:${port}`])
  })

  it('keeps a token that it made where only its user can read it', async () => {
    const { readToken } = await import('../../src/server/http/auth.ts')
    const made = await readToken(project.home, {})
    expect(made).toMatch(/^[\w-]{43}$/)
    expect(await readToken(project.home, {})).toBe(made)
    expect(statSync(join(project.home, 'server-token')).mode & 0o777).toBe(0o600)
    await expect(readToken(project.home, { FIXPOINT_TOKEN: 'short' })).rejects.toThrow('too weak')
  })
})

describe('what may be sent', () => {
  it('takes JSON only', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      '',
    ]) {
      const answer = await server.ask('/api/fix/plan', { ...json({}), headers: { 'content-type': type } })
      expect([type, answer.status]).toEqual([type, 415])
    }
    const packed = await server.ask('/api/fix/plan', { ...json({}), headers: { 'content-encoding': 'gzip' } })
    expect(packed.status).toBe(415)
  })

  it.each([
    ['broken JSON', '{"repository_id": '],
    ['no JSON at all', 'hello'],
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['very deep JSON', '['.repeat(200_000)],
    ['a list', '[]'],
    ['nothing', ''],
    ['a wrong shape', '{"repository_id": 7, "issue_ids": "all"}'],
    ['an unknown field', JSON.stringify({ repository_id: 'rep_1', issue_ids: ['iss_1'], shell: 'rm' })],
  ])('refuses %s with 400', async (_name, body) => {
    const answer = await server.ask('/api/fix/start', { method: 'POST', body })
    expect([answer.status, answer.json()['code']]).toEqual([400, 'usage'])
  })

  it('refuses bodies that are too large, with and without their length', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(1_100_000) })
    expect((await server.ask('/api/fix/plan', { method: 'POST', body })).status).toBe(413)
    expect((await server.ask('/api/fix/plan', { method: 'POST', body, isChunked: true })).status).toBe(413)
    const declared = { 'content-length': '200000001', 'content-type': 'application/octet-stream' }
    const report = await server.ask(`/api/findings/import?repository_id=${repositoryId}`, {
      method: 'POST',
      headers: declared,
      body: '{',
    })
    expect(report.status).toBe(413)
    expect((await server.ask('/healthz')).status).toBe(200)
  })

  it.each([
    ['GET', '/api/nothing'],
    ['POST', '/api/repositories/rep_0/nothing'],
    ['GET', '/api/fix/issues/rep_0'],
    ['GET', '/api/fix/issues/iss_0'],
    ['GET', '/api/fix/issues/7'],
    ['GET', '/api/fix/issues/iss_0/ledger'],
    ['GET', '/api/fix/issues/rep_0/facets'],
    ['GET', '/api/sessions/ses_0'],
    ['GET', '/api/sessions/ses_0/events'],
    ['GET', '/api/sessions/..%2f..%2fetc/report'],
    ['POST', '/api/sessions/ses_0/cancel'],
    ['POST', '/api/sessions/ses_0/resume'],
    ['GET', '/api/repositories/rep_0'],
    ['GET', '/api/agents?repository_id=rep_0'],
  ])('%s %s names nothing', async (method, path) => {
    const answer = await server.ask(path, { method })
    expect([answer.status, answer.json()['code']]).toEqual([404, 'not_found'])
  })

  it('takes no name that a program could read as an option', async () => {
    const [issue] = (await server.client.issues(repositoryId)).issues
    for (const branch of ['--upload-pack=touch x', '-c', 'a\nb', '../../x', 'a..b', '-', 'refs/heads/..']) {
      const start = { repository_id: repositoryId, issue_ids: [issue?.id], branch }
      const answer = await server.ask('/api/fix/start', json(start))
      expect([branch, answer.status]).toEqual([branch, 422])
    }
    for (const path of ['relative', '--git-dir=x', '/', '/nowhere', '/proc/self/fd'])
      expect([400, 422]).toContain((await server.ask('/api/repositories', json({ path }))).status)
    const outside = { repository_id: repositoryId, issue_ids: [issue?.id], workspace_path: '../..' }
    expect((await server.ask('/api/fix/start', json(outside))).status).toBe(422)
  })
})

describe('what comes back', () => {
  it('carries headers that keep other origins out', async () => {
    for (const path of ['/', '/api/repositories', '/api/nothing']) {
      const { headers } = await server.ask(path)
      expect(headers['content-security-policy']).toContain("default-src 'self'")
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  it('holds no secret of the configuration and nothing of the environment', async () => {
    for (const path of ['/api/config', '/api/doctor', '/api/agents']) {
      const answer = await server.ask(`${path}?repository_id=${repositoryId}`)
      expect(answer.status).toBe(200)
      expect(answer.text).not.toContain(secret)
      expect(answer.text).not.toContain(serverToken)
    }
    expect(server.log()).not.toContain(serverToken)
  })

  it('serves the page and no file beside it', async () => {
    const page = await server.ask('/sessions/ses_1', { headers: { authorization: undefined } })
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    for (const path of [
      '/../package.json',
      '/..%2fpackage.json',
      '/%2e%2e/package.json',
      '/a%00.js',
      '/%ff.js',
      '/x.js',
    ])
      expect((await server.ask(path)).status).toBe(404)
    expect((await server.ask('/', { method: 'POST' })).status).toBe(404)
  })
})
