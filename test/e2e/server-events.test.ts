import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createStreamParser } from '../../src/client/sse.ts'
import type { FixEvent } from '../../src/model/session/event.ts'
import type { Issue } from '../../src/model/issue/issue.ts'
import { bin, envOf } from '../fixtures/command-line.ts'
import { makeProject, type Project } from '../fixtures/project.ts'
import { clientOf, serverToken, startTestServer, type TestServer } from '../fixtures/server.ts'
import { slowness } from '../fixtures/slowness.ts'

const names = ['a', 'b', 'c']
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
/** A fixer that waits for the file `go`, or weakens a test, if the title of the issue says so. */
const fixer = `
  console.log('looking at ' + issue.file + ' with ' + ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_'))
  const go = import.meta.dirname + '/go'
  while (issue.title.includes('slow') && !fs.existsSync(go)) await new Promise((done) => setTimeout(done, 20))
  edit(issue.file, '=> 2', '=> 1')
  if (issue.title.includes('tampers')) edit('test/a.test.mjs', '  assert.ok(a)\\n', '')
  return {}
`

let project: Project
const servers: TestServer[] = []
let issues: readonly Issue[] = []

async function open(titles: Readonly<Record<string, string>>): Promise<TestServer> {
  project = await makeProject({ files, fixer, config: 'fix: { max_rounds: 2 }' })
  await project.import(
    Object.entries(titles).map(([name, title]) => ({
      file: `src/${name}.mjs`,
      line: 1,
      title,
      severity: 'major',
      rule: name,
    })),
  )
  const server = await serve()
  issues = (await server.client.issues(project.app.repository.id)).issues
  return server
}
async function serve(port = 0): Promise<TestServer> {
  const server = await startTestServer({ ...project, port, args: ['--grace', '300ms'] })
  servers.push(server)
  return server
}
const start = async (server: TestServer): Promise<string> =>
  (
    await server.client.start({
      repository_id: project.app.repository.id,
      issue_ids: issues.map(({ id }) => id),
    })
  ).session_id
const go = (): void => writeFileSync(join(project.folder, 'go'), '')

afterEach(async () => {
  for (const server of servers.splice(0))
    if (server.process.exitCode === null && server.process.signalCode === null) await server.end('SIGKILL')
  await project.close()
})

/** Reads a stream and leaves after the given number of events; gives the events, and whether the server ended the stream. */
function readSome(
  url: string,
  lastEventId: number,
  most: number,
): Promise<{ events: FixEvent[]; status: number }> {
  return new Promise((resolve, reject) => {
    const events: FixEvent[] = []
    const parser = createStreamParser()
    const headers = { authorization: `Bearer ${serverToken}`, 'last-event-id': String(lastEventId) }
    const sent = get(url, { headers, agent: false }, (response) => {
      const finish = (): void => resolve({ events, status: response.statusCode ?? 0 })
      response.setEncoding('utf8').on('data', (chunk: string) => {
        for (const { data } of parser.push(chunk)) {
          const event = JSON.parse(data) as FixEvent
          if (event.seq !== null && events.length < most) events.push(event)
        }
        if (events.length < most) return
        sent.destroy()
        finish()
      })
      response.once('end', finish)
    })
    sent.once('error', reject)
  })
}

const seqs = (events: readonly FixEvent[]): readonly number[] => events.flatMap(({ seq }) => seq ?? [])
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)

/** Follows a session to its end, even over restarts of the server. */
function follow(url: string, sessionId: string) {
  const events: FixEvent[] = []
  const done = clientOf(url).follow({
    sessionId,
    signal: AbortSignal.timeout(200_000),
    onEvent: (event) => events.push(event),
  })
  const durable = () => events.filter(({ seq }) => seq !== null)
  return { events, durable, done }
}
const types = (events: readonly FixEvent[]): readonly string[] => events.map(({ type }) => type)

describe('the stream of a session', () => {
  it('goes on after the last event that a client has, however often it leaves', async () => {
    const server = await open({ a: 'a is wrong', b: 'b is wrong', c: 'c is wrong' })
    const id = await start(server)
    const url = `${server.url}/api/sessions/${id}/events`
    const seen: FixEvent[] = []
    for (;;) {
      const { events, status } = await readSome(url, seen.at(-1)?.seq ?? 0, 1 + (seen.length % 4))
      if (status === 204) break
      seen.push(...events)
    }
    expect(seqs(seen)).toEqual(upTo(seen.length))
    expect(types(seen).at(-1)).toBe('fix_session_completed')
    const late = await readSome(url, 0, 1_000)
    expect(late.events).toEqual(seen)
    const lost = await readSome(url, 999_999, 1_000)
    expect(seqs(lost.events)).toEqual(seqs(seen))
    expect(
      (await server.ask(`/api/sessions/${id}/events`, { headers: { 'last-event-id': 'x' } })).status,
    ).toBe(400)
    expect((await server.client.events(id, 3)).events).toEqual(seen.slice(3))
  })

  it('carries live text apart, without a number', async () => {
    const server = await open({ a: 'a is slow' })
    const { durable, events, done } = follow(server.url, await start(server))
    await expect.poll(() => types(events), { timeout: 200_000 }).toContain('fix_issue_streaming')
    go()
    await done
    const live = events.find(({ type }) => type === 'fix_issue_streaming')
    expect(live).toMatchObject({
      seq: null,
      message: expect.stringContaining('looking at src/a.mjs') as string,
    })
    expect(JSON.stringify(events)).not.toContain('A1b2C3d4E5f6')
    expect(seqs(durable())).toEqual(upTo(durable().length))
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'survives a server that is ended by %s and started again',
    async (signal) => {
      const server = await open({ a: 'a is slow', b: 'b is slow' })
      const id = await start(server)
      const { durable, done } = follow(server.url, id)
      await expect.poll(() => types(durable()), { timeout: 200_000 }).toContain('fix_agent_invoked')
      expect(await server.end(signal)).toBe(signal === 'SIGTERM' ? 0 : null)
      const again = await serve(server.port)
      go()
      await done
      expect(seqs(durable())).toEqual(upTo(durable().length))
      expect(types(durable()).at(-1)).toBe('fix_session_completed')
      const report = await again.client.report(id)
      expect(report).toMatchObject({ status: 'completed', issues_fixed: 2 })
      expect(project.git('rev-list', '--count', `main..${report.branch_name ?? ''}`)).toBe('2')
    },
  )

  it('shows a session that the command line drives', async () => {
    const server = await open({ a: 'a is slow' })
    const env = envOf(project)
    const child = spawn(process.execPath, [bin, 'fix', '--all', '--json'], {
      cwd: project.root,
      env,
      stdio: 'ignore',
    })
    const exited = once(child, 'exit')
    await expect
      .poll(async () => (await server.client.sessions()).sessions.length, { timeout: 200_000 })
      .toBe(1)
    const [row] = (await server.client.sessions()).sessions
    const { durable, done } = follow(server.url, row?.session_id ?? '')
    await expect.poll(() => types(durable()), { timeout: 200_000 }).toContain('fix_agent_invoked')
    const busy = await server.ask(`/api/sessions/${row?.session_id ?? ''}/resume`, { method: 'POST' })
    expect([busy.status, busy.json()['code']]).toEqual([409, 'busy'])
    go()
    await done
    expect(seqs(durable())).toEqual(upTo(durable().length))
    await exited
  })
})

describe('a person', () => {
  it('cancels a session while its agents work', async () => {
    const server = await open({ a: 'a is slow', b: 'b is slow' })
    const id = await start(server)
    const { durable, done } = follow(server.url, id)
    await expect.poll(() => types(durable()), { timeout: 200_000 }).toContain('fix_agent_invoked')
    const startedAt = performance.now()
    expect(await server.client.cancel(id)).toMatchObject({
      status: 'cancelled',
      resumable: false,
      driven: false,
    })
    expect(performance.now() - startedAt).toBeLessThan(5_000 * slowness())
    await done
    const { issues: open_ } = await server.client.issues(project.app.repository.id, { status: ['open'] })
    expect(open_).toHaveLength(2)
    expect(project.git('branch', '--list', 'fix/*')).toBe('')
  })

  it('answers one question while the rest goes on', async () => {
    const server = await open({ a: 'a tampers', b: 'b is slow' })
    const id = await start(server)
    const { events, done } = follow(server.url, id)
    await expect.poll(() => types(events), { timeout: 200_000 }).toContain('fix_approval_needed')
    const [approval] = (await server.client.approvals()).approvals
    await server.client.answerApproval(id, approval?.approval_id ?? '', {
      decision: 'reject',
      reason: 'keep the assertion',
    })
    const again = (): number =>
      events.filter(
        ({ type, issue_id, round }) =>
          type === 'fix_cycle_started' && issue_id === approval?.issue_id && round === 2,
      ).length
    await expect.poll(again, { timeout: 200_000 }).toBe(1)
    const prompts = () => project.seen().filter(({ file, round }) => file === 'src/a.mjs' && round === 2)
    await expect.poll(() => prompts()[0]?.prompt, { timeout: 200_000 }).toContain('keep the assertion')
    expect((await server.client.session(id)).driven).toBe(true)
    go()
    await expect
      .poll(
        () => types(events).includes('fix_session_parked') || types(events).includes('fix_session_completed'),
        { timeout: 200_000 },
      )
      .toBe(true)
    await server.client.cancel(id)
    await done
  })
})
