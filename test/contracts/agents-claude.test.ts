import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ClaudeOptions } from '../../src/adapters/agents/claude/command.ts'
import { createClaudeAgent } from '../../src/adapters/agents/claude/index.ts'
import type { Agent } from '../../src/loop/ports.ts'
import { readFixerReport } from '../../src/model/agent/report.ts'
import { agentPrograms } from '../agent-clis/install.ts'
import { anthropic, anthropicError } from '../fixtures/model-servers/anthropic.ts'
import type { ModelRequest, ModelServer, Step } from '../fixtures/model-servers/scenario.ts'
import { noJail } from '../../src/loop/ports.ts'
import { brokenCode, fixedCode, makePlace, testAgent, type Place } from './agent-suite.ts'
import { alarmingWords, failed, openScene, report, serve, verdict, whenRunning } from './cli-scene.ts'

const build =
  (given: Partial<ClaudeOptions> = {}) =>
  (place: Place, server: ModelServer): Agent =>
    createClaudeAgent({
      name: 'claude',
      program: join(agentPrograms, 'claude'),
      model: 'claude-sonnet-4-5',
      thinkingBudget: null,
      maxTurns: null,
      permissions: 'role',
      args: [],
      configFolder: join(place.folder, 'claude'),
      home: place.home,
      root: place.folder,
      jail: noJail,
      allowedHosts: [],
      prices: {},
      ...given,
      env: {
        ...place.env,
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'sk-ant-not-a-key',
        CLAUDE_CODE_MAX_RETRIES: '0',
        ...given.env,
      },
    })

const open = (
  scenario: readonly Step[] | ((workspace: string) => readonly Step[]),
  given?: Partial<ClaudeOptions>,
) => openScene({ kind: anthropic, scenario, build: build(given) })

const workspaceOf = ({ raw }: ModelRequest): string => /working directory: ([^\\"\s]+)/i.exec(raw)?.[1] ?? ''
const bash = (command: string): Step => ({ tools: [{ name: 'Bash', input: { command, description: 'x' } }] })
const fileIn = (request: ModelRequest): string => join(workspaceOf(request), 'src/total.js')
const read: Step = { tools: (request) => [{ name: 'Read', input: { file_path: fileIn(request) } }] }
const edit: Step = {
  tools: (request) => [
    { name: 'Edit', input: { file_path: fileIn(request), old_string: brokenCode, new_string: fixedCode } },
  ],
}
const writes = /"name":"Edit"/
const fixing: readonly Step[] = [
  { ...read, when: writes },
  { ...edit, when: writes },
  { text: report, when: writes },
  { text: verdict, unless: writes },
]
const hanging: readonly Step[] = [
  { text: 'Looking.', ...bash('tail -f /dev/null') },
  { hang: 'silent', repeat: true },
]

testAgent(
  'claude',
  async (place) => ({
    agent: build()(place, await serve(anthropic, fixing)),
    hanging: build()(place, await serve(anthropic, hanging)),
  }),
  'slowly',
)

describe('what claude is asked and answers', () => {
  it('tells its text, its tools and its tokens as they come, and what the run cost, and thinks with its budget', async () => {
    const scene = await open([{ text: 'Reading.', ...read }, edit, { text: report }], {
      thinkingBudget: 20_000,
    })
    const run = await scene.run({ prompt: 'MARKED-PROMPT' })
    expect(run).toEqual({
      agent: 'claude',
      model: 'claude-sonnet-4-5',
      ending: { ended: 'finished' },
      text: report,
      tokens: 3750,
      cost_usd: expect.closeTo(0.01143, 5),
      conversation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      duration_ms: expect.any(Number),
    })
    const file = join(scene.workspace, 'src/total.js')
    expect(scene.heard.filter(({ type }) => type !== 'usage')).toEqual([
      { type: 'text', text: 'Reading.' },
      { type: 'tool', name: 'Read', detail: file },
      { type: 'tool', name: 'Edit', detail: file },
      { type: 'text', text: report },
    ])
    expect(scene.heard.findLast(({ type }) => type === 'usage')).toEqual({
      type: 'usage',
      tokens: 3750,
      cost_usd: expect.closeTo(0.01143, 5),
    })
    expect(scene.server.requests[0]?.raw).toContain('MARKED-PROMPT')
    expect(scene.server.requests[0]?.body['thinking']).toMatchObject({ budget_tokens: 20_000 })
  })

  it('gives the structured answer where a schema was asked for', async () => {
    const schema = { type: 'object', properties: { issues: { type: 'object' } }, required: ['issues'] }
    const scene = await open([{ tools: [{ name: 'StructuredOutput', input: JSON.parse(report) }] }])
    const run = await scene.run({}, { output_schema: schema })
    expect(run.ending).toEqual({ ended: 'finished' })
    expect(readFixerReport(run.text, ['BE-001'])?.issues.get('BE-001')).toMatchObject({ outcome: 'fixed' })
  })

  it('is read all the same when it writes the JSON as plain text', async () => {
    const schema = { type: 'object', properties: { issues: { type: 'object' } }, required: ['issues'] }
    const run = await (await open([{ text: report, repeat: true }])).run({}, { output_schema: schema })
    expect(readFixerReport(run.text, ['BE-001'])?.issues.get('BE-001')).toMatchObject({ outcome: 'fixed' })
  })

  it('goes on with a conversation, and with a copy of it, and counts each run alone', async () => {
    const scene = await open([{ text: 'FIRST-ANSWER' }, { text: 'second' }, { text: 'copied' }])
    const first = await scene.run({ prompt: 'FIRST-PROMPT' })
    const id = first.conversation_id ?? ''
    const second = await scene.run({ prompt: 'SECOND-PROMPT', conversation: { id, fork: false } })
    const copied = await scene.run({ prompt: 'THIRD-PROMPT', conversation: { id, fork: true } })
    expect([first, second, copied].map(({ tokens }) => tokens)).toEqual([1250, 1250, 1250])
    expect([first, second, copied].map((run) => run.cost_usd)).toEqual([0.00381, 0.00381, 0.00381])
    expect(second.conversation_id).toBe(id)
    expect(copied.conversation_id).not.toBe(id)
    for (const text of ['FIRST-PROMPT', 'FIRST-ANSWER', 'SECOND-PROMPT'])
      expect(scene.server.requests[1]?.raw).toContain(text)
    expect(scene.server.requests[2]?.raw).toContain('FIRST-ANSWER')
  })

  it('says that a conversation is lost when it does not know it', async () => {
    const scene = await open([])
    const conversation = { id: '8ead140c-d92f-4c26-bae0-bf6183c1b550', fork: false }
    const run = await scene.run({ conversation })
    expect(run.ending).toEqual(failed('crashed', /^No conversation found/, { conversation_lost: true }))
  })

  it('shortens a conversation, and says when it could not', async () => {
    const overloaded = anthropicError(529, 'overloaded_error', 'Overloaded')
    const scene = await open([
      { text: 'first' },
      { text: '<summary>SHORT-SUMMARY</summary>' },
      { text: 'third' },
      { ...overloaded, repeat: true },
    ])
    const id = (await scene.run({ prompt: `LONG-PROMPT ${'word '.repeat(500)}` })).conversation_id ?? ''
    const conversation = { id, fork: false }
    const shortened = await scene.run({ prompt: '/compact keep the codes', conversation })
    expect(shortened).toMatchObject({ ending: { ended: 'finished' }, conversation_id: id, tokens: 1250 })
    await scene.run({ prompt: 'and now', conversation })
    expect(scene.server.requests[2]?.raw).toContain('SHORT-SUMMARY')
    expect(scene.server.requests[2]?.raw).not.toContain('LONG-PROMPT')
    const refused = await scene.run({ prompt: '/compact', conversation })
    expect(refused.ending).toEqual(failed('crashed', /Overloaded/))
  })

  it('never takes a prompt for a command of its own', async () => {
    const scene = await open([{ text: 'ok' }])
    await scene.run({ prompt: '/compact is what the issue says' })
    expect(scene.server.requests[0]?.raw).toContain('/compact is what the issue says')
  })

  it('starts the sub-agents it was given, waits for them and counts their tokens', async () => {
    const subagents = [{ name: 'fixer-single', description: 'fixes one issue', prompt: 'SUB-SYSTEM-PROMPT' }]
    const task = { description: 'fix', prompt: 'SUB-TASK', subagent_type: 'fixer-single' }
    const scene = await open([
      { tools: [{ name: 'Agent', input: task }], when: /MAIN-TASK/, unless: /SUB-TASK/ },
      { text: 'SUB-ANSWER', when: /SUB-SYSTEM-PROMPT/ },
      { text: report },
    ])
    const run = await scene.run({ prompt: 'MAIN-TASK', subagents })
    expect(run).toMatchObject({ ending: { ended: 'finished' }, text: report, tokens: 3750 })
    expect(scene.server.requests.map(({ step }) => step)).toEqual([0, 1, 2])
    expect(scene.server.requests[2]?.raw).toContain('SUB-ANSWER')
  })
})

describe('what claude may do', () => {
  const resultsOf = ({ requests }: ModelServer): string => requests.at(-1)?.raw ?? ''

  it('may edit and run the verification commands with write access, and nothing else', async () => {
    const command = 'node -e "console.log(6 * 7, \'(a, b)\')"'
    const outside = join(makePlace().folder, 'outside.txt')
    const scene = await open([
      bash(command),
      bash('node -e "1" > made-by-node.txt'),
      { tools: [{ name: 'Write', input: { file_path: outside, content: 'x' } }] },
      { text: report },
    ])
    await scene.run({}, { verification: { commands: [{ name: 'test', run: command }], result: null } })
    expect(resultsOf(scene.server)).toContain('42 (a, b)')
    expect(existsSync(join(scene.workspace, 'made-by-node.txt'))).toBe(false)
    expect(existsSync(outside)).toBe(false)
  })

  it('may read and search with read access, and change nothing', async () => {
    const scene = await open([
      bash('grep -n NaN src/total.js'),
      bash('touch made.txt'),
      bash('sed -i s/NaN/0/ src/total.js'),
      { text: verdict },
    ])
    await scene.run({}, { role: 'challenger', access: 'read' })
    expect(resultsOf(scene.server)).toContain('total === NaN')
    expect(existsSync(join(scene.workspace, 'made.txt'))).toBe(false)
    expect(readFileSync(join(scene.workspace, 'src/total.js'), 'utf8')).toContain(brokenCode)
    expect(JSON.stringify(scene.server.requests[0]?.body['tools'])).not.toContain('"name":"Edit"')
  })

  it('runs no hook, server or memory of the repository', async () => {
    const scene = await open([bash('ls'), { text: report }])
    const marker = join(scene.place.folder, 'poisoned')
    const hook = [{ hooks: [{ type: 'command', command: `touch ${marker}` }] }]
    mkdirSync(join(scene.workspace, '.claude'))
    const settings = { hooks: { SessionStart: hook, PreToolUse: hook, Stop: hook } }
    writeFileSync(join(scene.workspace, '.claude/settings.json'), JSON.stringify(settings))
    const servers = { mcpServers: { evil: { command: 'touch', args: [marker] } } }
    writeFileSync(join(scene.workspace, '.mcp.json'), JSON.stringify(servers))
    writeFileSync(join(scene.workspace, 'CLAUDE.md'), 'POISONED-MEMORY')
    expect(await scene.run()).toMatchObject({ ending: { ended: 'finished' } })
    expect(existsSync(marker)).toBe(false)
    expect(scene.server.requests[0]?.raw).not.toContain('POISONED-MEMORY')
  })
})

/** One failure for each way in which the CLI reports it. Tests beside the adapter read the other failures from recorded output. */
describe('how claude fails', () => {
  const resetsAt = 1_900_000_000
  const limited = {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': String(resetsAt),
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'retry-after': '3600',
  }
  const subscription = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-not-a-token' }

  it.each<[string, Step, ReturnType<typeof failed>, Partial<ClaudeOptions>?]>([
    [
      'a used-up subscription',
      anthropicError(429, 'rate_limit_error', 'limit', { headers: limited }),
      failed('quota', /5-hour limit/, { reset_at: new Date(resetsAt * 1000).toISOString() }),
      { env: subscription },
    ],
    ['a dropped connection', { drop: true }, failed('overloaded', /Connection dropped/)],
    ['an empty answer', { text: '' }, failed('malformed', /empty answer/)],
  ])('ends in its own kind after %s', async (_, step, ending, given) => {
    const scene = await open([{ ...step, repeat: true }], given)
    expect((await scene.run()).ending).toEqual(ending)
  })

  it('is not misled by words in answers and files', async () => {
    const scene = await open([{ text: alarmingWords, ...read }, { text: `${alarmingWords}\n${report}` }])
    writeFileSync(join(scene.workspace, 'src/total.js'), `// ${alarmingWords}\n`)
    expect(await scene.run({ prompt: alarmingWords })).toMatchObject({ ending: { ended: 'finished' } })
  })

  it('stops at its budget', async () => {
    const budget = await open([{ ...read, usage: { input_tokens: 100_000 }, repeat: true }])
    const run = await budget.run({ budgetUsd: 0.2 })
    expect(run.ending).toEqual(failed('budget', /maximum budget/))
    expect(run.cost_usd).toBeGreaterThan(0.2)
  })

  it('has crashed when it refuses its arguments, or is not there', async () => {
    const refused = await open([], { args: ['--no-such-argument'] })
    expect((await refused.run()).ending).toEqual(failed('crashed', /^exit code 1\n.*no-such-argument/))
    const missing = await open([], { program: '/no/such/claude' })
    expect((await missing.run()).ending).toEqual(failed('crashed', /command not found/))
  })
})

describe('what is left of claude', () => {
  const tail = 'sh -c "tail -f /dev/null"'
  const allowed = { verification: { commands: [{ name: 'wait', run: tail }], result: null } }

  it('takes the tool that runs with it when it is cancelled, and tells what its calls cost', async () => {
    const scene = await open([{ ...bash(tail), usage: { input_tokens: 600_000 } }])
    const controller = new AbortController()
    const run = await scene.run(
      {
        signal: controller.signal,
        onUpdate: ({ type }) =>
          void (type === 'tool' && whenRunning(scene.place.home, 'tail', () => controller.abort())),
      },
      allowed,
    )
    expect(run.ending).toEqual(failed('cancelled', /cancelled/))
    // Claude sometimes reports its own usage as well; the written tokens are then counted too.
    expect(run.tokens).toBeGreaterThanOrEqual(600_201)
    expect(run.cost_usd).toBeCloseTo(1.8, 1)
  })

  it('takes what was started with nohup with it when it is done', async () => {
    const command = `nohup ${tail} > /dev/null 2>&1 &`
    const scene = await open([bash(command), { text: report }])
    const run = await scene.run(
      {},
      { verification: { commands: [{ name: 'wait', run: command }], result: null } },
    )
    expect(run.ending).toEqual({ ended: 'finished' })
  })
})
