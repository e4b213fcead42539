import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startHookServer, until, type HookServer } from '../fixtures/forge/hook-server.ts'
import {
  makePublishedProject,
  threeFindings,
  threeMistakes,
  type PublishedProject,
} from '../fixtures/forge/published-project.ts'

/** A fixer of which two patches weaken a test and are held; it makes the third patch only once a file is gone. */
const fixer = `
  const weaken = () => edit('test/add.test.js', 'assert.equal(add(0, 0), 0)', '{}')
  if (issue.file === 'src/half.js') { edit('src/half.js', '/ 3', '/ 2'); weaken(); return {} }
  if (issue.file === 'src/load.js' && task.round === 1) { edit('src/load.js', 'text)', 'text || null)'); weaken(); return {} }
  if (issue.file === 'src/load.js') return { outcome: 'blocked', files_modified: [], explanation: 'it needs a test' }
  const wait = new URL('wait', import.meta.url)
  while (fs.existsSync(wait)) await new Promise((resolve) => setTimeout(resolve, 50))
  edit('src/add.js', 'a - b', 'a + b')
  return {}`

let project: PublishedProject
let server: HookServer
let pull: number
beforeAll(async () => {
  project = await makePublishedProject({ ...threeMistakes, fixer })
  await project.import(threeFindings)
  project.git('checkout', '--quiet', '-b', 'work')
  project.write({ 'src/one.js': 'export const one = 1\n' })
  project.commitAll('one')
  project.git('checkout', '--quiet', 'main')
  project.forge.bare.git('fetch', '--quiet', project.root, '+refs/heads/work:refs/heads/work')
  await project.forge.follow()
  const opening = { title: 'One', head: 'work', base: 'main' }
  pull = (await project.forge.ask<{ number: number }>('POST', '/repos/ada/sample/pulls', opening)).data.number
  server = await startHookServer(project)
})
afterAll(async () => {
  await server.end()
  await project.closeAll()
})

interface Comment {
  readonly id: number
  readonly body: string
}
const path = () => `/repos/ada/sample/issues/${pull}/comments`
const answers = async () =>
  (await project.forge.ask<Comment[]>('GET', `${path()}?per_page=100`)).data.filter(({ body }) =>
    body.includes('fixpoint:answer'),
  )
const codeOf = async (title: string) =>
  (await project.app.store.issues.list({ repositoryId: project.app.repository.id, limit: 50 })).issues.find(
    (one) => one.title === title,
  )?.code ?? ''

/** Writes a command, and gives the one comment that answers it once it is there. */
async function command(body: string): Promise<{ becomes(expected: RegExp): Promise<string> }> {
  const before = new Set((await answers()).map(({ id }) => id))
  const { data: comment } = await project.forge.ask<Comment>('POST', path(), { body })
  await server.deliver({
    event: 'issue_comment',
    payload: {
      action: 'created',
      repository: { full_name: 'ada/sample' },
      sender: { login: 'ada', type: 'User' },
      issue: { number: pull, pull_request: {} },
      comment,
    },
  })
  const { id } = await until(`an answer to ${body}`, async () =>
    (await answers()).find((one) => !before.has(one.id)),
  )
  return {
    becomes: (expected) =>
      until(
        `the answer to ${body} is like ${expected}`,
        async () => (await answers()).find((one) => one.id === id && expected.test(one.body))?.body,
      ),
  }
}

it('a held patch waits through the death of the server, and goes on when somebody approves it', async () => {
  const code = await codeOf('half takes a third')
  const fix = await command(`/fixpoint fix ${code}`)
  expect(await fix.becomes(/A person is asked/)).toContain(`/fixpoint approve ${code}`)
  await server.end('SIGKILL')
  server = await startHookServer(project)
  await (await command(`/fixpoint approve ${code}`)).becomes(/is approved by ada: `test\/add\.test\.js`/)
  const number = Number(
    /\/pull\/(\d+)/.exec(await fix.becomes(/\*\*Done\*\*: 1 of 1 fixed[^]*What landed is in/))?.[1],
  )
  const { data } = await project.forge.ask('GET', `/repos/ada/sample/pulls/${number}`)
  expect(data).toMatchObject({ state: 'open', base: { ref: 'work' } })
  expect(await answers()).toHaveLength(2)
})

it('a held patch that somebody rejects goes back with the reason, and a retry begins again with what was left', async () => {
  const code = await codeOf('load throws on bad text')
  const fix = await command(`/fixpoint fix ${code}`)
  await fix.becomes(/A person is asked/)
  await (await command(`/fixpoint reject ${code} keep the test`)).becomes(/is rejected by ada/)
  await fix.becomes(/\*\*Done\*\*: 0 of 1 fixed/)
  const again = project
    .seen()
    .filter(({ role, round, file }) => role === 'fixer' && round === 2 && file === 'src/load.js')
  expect(again[0]?.prompt).toContain('keep the test')
  const first = /ses_\w+/.exec(await fix.becomes(/Session/))?.[0]
  const retried = await (await command('/fixpoint retry')).becomes(/A person is asked/)
  expect(retried).toContain(code)
  expect(/ses_\w+/.exec(retried)?.[0]).not.toBe(first)
})

it('a running session is stopped, and a retry afterwards is answered', async () => {
  const wait = join(project.folder, 'wait')
  writeFileSync(wait, '')
  const code = await codeOf('add subtracts')
  const fix = await command(`/fixpoint fix ${code}`)
  await fix.becomes(/At work/)
  await until('the fixer is at work', async () => project.seen().some(({ file }) => file === 'src/add.js'))
  const stop = await command('/fixpoint stop')
  expect(await stop.becomes(/Stopped/)).toMatch(/Stopped: `ses_/)
  rmSync(wait)
  await until('nothing runs any more', async () => {
    const [newest] = await project.app.store.sessions.list(project.app.repository.id, 1)
    return newest?.owner === null || newest?.status !== 'running'
  })
  await (await command('/fixpoint retry')).becomes(/\*\*Done\*\*: 1 of 1 fixed|nothing to fix/)
})
