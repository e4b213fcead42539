import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, expect, it } from 'vitest'
import { bin, envOf } from '../fixtures/command-line.ts'
import { threeFindings, threeMistakes } from '../fixtures/forge/published-project.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

let project: Project
let client: Client
afterEach(async () => {
  await client.close()
  await project.close()
})

async function connect(...args: string[]): Promise<void> {
  project = await makeProject(threeMistakes)
  client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bin, 'mcp', ...args],
      cwd: project.root,
      env: envOf(project),
      stderr: 'ignore',
    }),
  )
}

async function call<Answer = Record<string, unknown>>(
  name: string,
  given: Record<string, unknown> = {},
): Promise<{ answer: Answer; isError: boolean }> {
  const { content, isError } = await client.callTool({ name, arguments: given })
  const [first] = content as { text: string }[]
  return { answer: JSON.parse(first?.text ?? '{}') as Answer, isError: isError === true }
}

it('a model imports findings, has them fixed, and reads what became of them', async () => {
  await connect()
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(
    'list_issues show_issue import_findings review plan_fix start_fix session_status answer_question cancel_session verify_commit'.split(
      ' ',
    ),
  )
  const report = JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'scan', findings: threeFindings })
  expect((await call('import_findings', { report })).answer).toMatchObject({ findings: 3, issues_created: 3 })
  const page = (
    await call<{ issues: { code: string; title: string }[]; next_cursor: string | null }>('list_issues', {
      limit: 2,
    })
  ).answer
  expect(page.issues).toHaveLength(2)
  const rest = (
    await call<{ issues: { code: string }[]; next_cursor: null }>('list_issues', {
      limit: 2,
      cursor: page.next_cursor,
    })
  ).answer
  expect(rest).toMatchObject({ issues: [{}], next_cursor: null })
  const [first] = page.issues
  expect((await call('show_issue', { code: first?.code })).answer).toMatchObject({
    code: first?.code,
    attempts: [],
  })

  const codes = [...page.issues, ...rest.issues].map(({ code }) => code)
  expect((await call('plan_fix', { codes, limit: 2 })).answer).toMatchObject({
    issues_planned: 3,
    issues: [{ step: 1 }, {}],
    next_cursor: '2',
  })

  // A person must first trust the commands in the repository's files.
  const refused = await call('start_fix', { codes })
  expect(refused).toMatchObject({ isError: true, answer: { code: 'not_trusted' } })
  const { trustItems, readTrust } = await import('../../src/app/trust/trust.ts')
  await trustItems(project.app, await readTrust(project.app, { for: 'session' }))

  const { session_id } = (await call<{ session_id: string }>('start_fix', { codes })).answer
  const status = async () =>
    (
      await call<{ status: string; branch: string | null; issues: { outcome: string }[] }>('session_status', {
        session_id,
      })
    ).answer
  await expect
    .poll(async () => (await status()).status, { timeout: 300_000, interval: 500 })
    .toMatch(/partial|completed|failed/)
  expect((await status()).issues.map(({ outcome }) => outcome).toSorted()).toEqual([
    'blocked',
    'fixed',
    'fixed',
  ])
  expect((await call('session_status', { session_id, limit: 1, cursor: '2' })).answer).toMatchObject({
    outcomes: { blocked: 1, fixed: 2 },
    issues: [{ title: expect.any(String) as string }],
    next_cursor: null,
  })
  const { contents } = await client.readResource({ uri: `fixpoint://reports/${session_id}` })
  expect((contents[0] as { text: string }).text).toContain('adds instead of subtracting')
})

it('approving is offered only when a person allowed it, and what is not there is an error with its reason', async () => {
  await connect('--allow-approvals')
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('approve')
  expect(await call('show_issue', { code: 'BE-999' })).toMatchObject({
    isError: true,
    answer: { code: 'not_found' },
  })
  expect(await call('session_status', { session_id: 'ses_none' })).toMatchObject({
    isError: true,
    answer: { code: 'not_found' },
  })
})
