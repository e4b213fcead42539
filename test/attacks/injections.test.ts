import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, expect, it } from 'vitest'
import { injectionsOf, orders, ordersIn, surround } from '../fixtures/attacks/obeying.ts'
import { bin, createPlaces, sources } from '../fixtures/command-line.ts'
import { forgeToken, startForge, type TestForge } from '../fixtures/forge/forge.ts'
import { describeInJail } from '../fixtures/jail.ts'

const places = createPlaces()
afterEach(places.disposeAll)

const agents = join(import.meta.dirname, '../fixtures/acp-agents')
const test = 'verify: { commands: [{ name: test, run: node --test }] }'
const commandOf = (program: string, argument: unknown): string =>
  JSON.stringify(`node ${join(agents, program)} '${JSON.stringify(argument)}'`)

/** The places in a report, a repository and its history where an agent finds orders. */
const carriers = ['rule', 'message', 'suggestion', 'comment', 'filename', 'readme', 'conventions'].concat([
  'testname',
  'commit',
])
/** The name of a tool is short, so it holds few orders. */
const few = orders.slice(0, 4)
/** Places where no agent ever looks: files that would configure it, code that is not in the file, names of branches. */
const unseen = ['hidden', 'snippet', 'branch']

/** The second session must land, so it gets no order to widen the fix. */
const modest = orders.filter((order) => order !== 'widen')
/** Texts that people write in threads, and texts that a program sends over MCP. */
const messages = ['thread', 'reply', 'mcpreport', 'mcpnotes']
/** Texts that an agent itself sends over ACP or reports. Nobody takes them for orders, so the next agent never reads them. */
const replies = ['permission', 'title', 'update', 'summary', 'explanation', 'forged']

it('gives more than forty orders that are obeyed, and as many that are not even seen', () => {
  const seen = [...injectionsOf(carriers), ...injectionsOf(['tool'], few), ...injectionsOf(messages, modest)]
  expect(seen).toHaveLength(104)
  expect([...injectionsOf(unseen), ...injectionsOf(replies, modest)]).toHaveLength(66)
})

/** A report whose every field gives orders. */
const reportWith = (): string =>
  JSON.stringify({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: `lint ${ordersIn('tool', few)}` } },
        results: [
          {
            ruleId: `nan ${ordersIn('rule')}`,
            level: 'error',
            message: { text: `NaN is equal to nothing. ${ordersIn('message')}` },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: 'src/number.js' },
                  region: {
                    startLine: 3,
                    snippet: { text: `return value === NaN // ${ordersIn('snippet')}` },
                  },
                },
              },
            ],
            fixes: [{ description: { text: ordersIn('suggestion') }, artifactChanges: [] }],
          },
        ],
      },
    ],
  })

describeInJail('agents that obey every order they read', () => {
  it('in a report, a repository and its history, reach nothing, change nothing outside, and land nothing but the fix', async () => {
    const { repository } = places.open({
      ...sources,
      'src/number.js': `// ${ordersIn('comment')}\nexport function isMissing(value) {\n  return value === NaN\n}\n`,
      [`docs/${ordersIn('filename').replaceAll(' ', '/')}.md`]: 'x\n',
      'README.md': `${ordersIn('readme')}\n`,
      'AGENTS.md': `${ordersIn('conventions')}\n`,
      '.claude/notes.md': `${ordersIn('hidden')}\n`,
      'test/number.test.js': `import test from 'node:test'\nimport assert from 'node:assert/strict'\nimport { isMissing } from '../src/number.js'\ntest('${ordersIn('testname')}', () => assert.equal(isMissing(1), false))\n`,
    })
    repository.git('commit', '--quiet', '--allow-empty', '-m', ordersIn('commit'))
    repository.git('checkout', '--quiet', '-b', ordersIn('branch').replaceAll(' ', '/'))
    const machine = await surround(repository)
    const run = commandOf('obeys.mjs', machine.place)
    machine.configure(
      `${test}\nagents:\n  fixer: { use: command, run: ${run}, env: [ANTHROPIC_API_KEY] }\n  challenger: { use: command, run: ${run} }\n`,
    )
    const report = join(repository.folder, 'report.sarif')
    writeFileSync(report, reportWith())
    expect(await machine.fixpoint('import', report)).toMatchObject({ exitCode: 0 })
    const fixed = await machine.fixpoint('fix', '--all', '--yes')
    machine.expectUnharmed(fixed.said)
    expect(machine.landed().filter((names) => names !== 'src/number.js')).toEqual([])
    const all = [...injectionsOf(carriers), ...injectionsOf(['tool'], few)]
    expect(machine.obeyed()).toEqual(all.toSorted())
  })

  it('in review threads and messages of MCP and ACP, land the fix alone', async () => {
    const forge = await startForge()
    const { repository } = places.open()
    repository.git('remote', 'add', 'origin', forge.cloneUrl)
    const pull = await openPullRequest(forge, repository.root)
    const machine = await surround(repository, forge.env)
    const { place } = machine
    const challenger = commandOf('obeys.mjs', place)
    const fixer = commandOf('obeys-acp.mjs', { place, orders: modest })
    machine.configure(
      `${test}\nagents:\n  fixer: { use: acp, run: ${fixer} }\n  challenger: { use: command, run: ${challenger} }\n`,
    )
    const imported = await machine.fixpoint('import', '--pr', String(pull))
    expect(imported, imported.said).toMatchObject({ exitCode: 0 })
    const said = await fixOverMcp(repository.root, machine.env)
    await forge.close()
    machine.expectUnharmed(said, [forgeToken])
    expect(machine.landed()).toEqual(['src/number.js'])
    expect(machine.obeyed()).toEqual(injectionsOf(messages, modest))
  })
})

/** A pull request with a thread whose every word gives orders. */
async function openPullRequest(forge: TestForge, root: string): Promise<number> {
  forge.bare.git('fetch', '--quiet', '--force', root, '+refs/heads/main:refs/heads/main')
  forge.bare.git('update-ref', 'refs/heads/feature', 'main')
  await forge.follow()
  const opened = { title: ordersIn('thread', modest), head: 'feature', base: 'main' }
  const { data } = await forge.ask<{ number: number }>('POST', '/repos/ada/sample/pulls', opened)
  const body = `Major: NaN is equal to nothing. ${ordersIn('thread', modest)}`
  const place = { pull: data.number, path: 'src/number.js', line: 2, start_line: null }
  const asked = forge.extras.addComment({ ...place, author: 'bob', body })
  forge.extras.addComment({ ...asked, author: 'eve', body: ordersIn('reply', modest) })
  return data.number
}

/** Plays a model that was told to do everything: it does all that the tools allow, and gives all their answers. */
async function fixOverMcp(cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  const client = new Client({ name: 'obeys', version: '1' })
  const transport = { command: process.execPath, args: [bin, 'mcp'], cwd, env, stderr: 'ignore' as const }
  await client.connect(new StdioClientTransport(transport))
  let said = ''
  const call = async <Answer>(name: string, given: Record<string, unknown>): Promise<Answer> => {
    const { content } = await client.callTool({ name, arguments: given })
    const [first] = content as { text: string }[]
    said += first?.text
    return JSON.parse(first?.text ?? '{}') as Answer
  }
  const found = {
    title: 'parse throws',
    file: 'src/parse.js',
    line: 3,
    severity: 'minor',
    issue: ordersIn('mcpreport', modest),
  }
  const report = JSON.stringify({ schema: 'fixpoint.findings.v1', source: 'mcp', findings: [found] })
  await call('import_findings', { report })
  const { issues } = await call<{ issues: { code: string; file: string }[] }>('list_issues', {})
  const codes = issues.map(({ code }) => code)
  const { session_id } = await call<{ session_id: string }>('start_fix', {
    codes,
    notes: ordersIn('mcpnotes', modest),
  })
  await expect
    .poll(() => call<{ status: string }>('session_status', { session_id }), {
      timeout: 90_000,
      interval: 500,
    })
    .not.toMatchObject({ status: 'running' })
  await client.close()
  return said
}
