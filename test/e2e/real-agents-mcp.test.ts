import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it } from 'vitest'
import { agentPrograms } from '../agent-clis/install.ts'
import { bin, envOf } from '../fixtures/command-line.ts'
import { threeFindings, threeMistakes } from '../fixtures/forge/published-project.ts'
import { anthropic } from '../fixtures/model-servers/anthropic.ts'
import {
  startModelServer,
  type ModelRequest,
  type ModelServer,
  type Step,
} from '../fixtures/model-servers/scenario.ts'
import { makeProject, type Project } from '../fixtures/project.ts'

let project: Project
let server: ModelServer
afterEach(async () => {
  await server.close()
  await project.close()
})

/** The settings of a client, as the guide shows them. */
const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/github.md'), 'utf8')
const settings = /```json\n(\{ "mcpServers"[^]*?)```/.exec(guide)?.[1] ?? ''

/** Claude Code with Fixpoint as its only server, in front of a model that says this. */
async function runClaude(scenario: readonly Step[]): Promise<string> {
  project = await makeProject(threeMistakes)
  await project.import(threeFindings)
  server = await startModelServer({ kind: anthropic, scenario })
  const programs = join(project.folder, 'programs')
  mkdirSync(programs)
  writeFileSync(join(programs, 'fixpoint'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`, {
    mode: 0o755,
  })
  writeFileSync(join(project.folder, 'mcp.json'), settings)
  const args = `--print --setting-sources= --strict-mcp-config --allowedTools=mcp__fixpoint --no-session-persistence --model claude-sonnet-4-5`
  const child = spawn(
    join(agentPrograms, 'claude'),
    [...args.split(' '), '--mcp-config', join(project.folder, 'mcp.json')],
    {
      cwd: project.root,
      env: {
        ...envOf(project),
        PATH: `${programs}:${project.env['PATH']}`,
        CLAUDE_CONFIG_DIR: join(project.folder, 'claude'),
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'sk-ant-not-a-key',
        CLAUDE_CODE_MAX_RETRIES: '0',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        // This puts the tools into each request, instead of behind a search for them.
        ENABLE_TOOL_SEARCH: 'false',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  child.stdin.end('Which issues are there?')
  return (await text(child.stdout)).trim()
}

const call = (name: string, input: object): Step => ({ tools: [{ name: `mcp__fixpoint__${name}`, input }] })

type Block = { readonly type: string; readonly content?: string | readonly { readonly text: string }[] }

/** The answer of the last tool call, as the model got it; an error comes as a text. */
function answerIn(request: ModelRequest | undefined): string {
  const messages = (request?.body['messages'] ?? []) as { content: string | Block[] }[]
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))
  const told = blocks.findLast(({ type }) => type === 'tool_result')?.content ?? ''
  const text = typeof told === 'string' ? told : (told[0]?.text ?? '')
  // Claude Code adds words of its own.
  return text.split('<system-reminder>')[0] ?? ''
}
const cursorIn = (request: ModelRequest): string =>
  (JSON.parse(answerIn(request)) as { next_cursor: string }).next_cursor

it('Claude Code lists the tools, calls them page by page, and tells its model what they answered, refusals too', async () => {
  const said = await runClaude([
    call('list_issues', { limit: 2 }),
    {
      tools: (request) => [
        { name: 'mcp__fixpoint__list_issues', input: { limit: 2, cursor: cursorIn(request) } },
      ],
    },
    call('show_issue', { code: 'BE-001' }),
    call('start_fix', { codes: ['BE-001'] }),
    { text: 'There are three issues, and a person has to trust the commands first.' },
  ])
  const [first, ...rest] = server.requests
  const offered = ((first?.body['tools'] ?? []) as { name: string; input_schema: object }[]).filter(
    ({ name }) => name.startsWith('mcp__'),
  )
  expect(offered.map(({ name }) => name.replace('mcp__fixpoint__', '')).toSorted()).toEqual(
    'answer_question cancel_session import_findings list_issues plan_fix review session_status show_issue start_fix verify_commit'.split(
      ' ',
    ),
  )
  expect(offered.find(({ name }) => name.endsWith('show_issue'))?.input_schema).toMatchObject({
    required: ['code'],
  })
  const answers = rest.map(answerIn)
  expect(answers.map((answer) => JSON.parse(answer) as object)).toMatchObject([
    {
      issues: [{ code: 'BE-003' }, { code: 'BE-001', place: 'src/add.js:1' }],
      next_cursor: expect.any(String),
    },
    { issues: [{ code: 'BE-002' }], next_cursor: null },
    { code: 'BE-001', description: expect.stringContaining('add(1, 2) is -1.'), attempts: [] },
    { code: 'not_trusted', hint: expect.stringContaining('fixpoint trust') },
  ])
  expect(Math.max(...answers.map(({ length }) => length))).toBeLessThan(2_000)
  expect(said).toBe('There are three issues, and a person has to trust the commands first.')
})
