import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createGeminiAgent, type GeminiAgentOptions } from '../../src/adapters/agents/gemini/index.ts'
import type { Agent, AgentRequest } from '../../src/loop/ports.ts'
import type { AgentRun, AgentSignal, AgentTask } from '../../src/model/agent.ts'
import { readFixerReport } from '../../src/model/report.ts'
import { geminiKind } from '../fixtures/model-servers/gemini.ts'
import {
  startModelServer,
  type ModelServer,
  type Step,
  type ToolCall,
} from '../fixtures/model-servers/scenario.ts'
import { snapshotOf } from '../fixtures/repositories.ts'
import {
  ask,
  brokenCode,
  challengerTask,
  fixedCode,
  fixerTask,
  makePlace,
  survivorsOf,
  testAgent,
  type Place,
} from './agent-suite.ts'

const programs = join(import.meta.dirname, '../agent-clis/node_modules/.bin')
const model = 'gemini-2.5-pro'

const servers: ModelServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function serve(scenario: readonly Step[]): Promise<ModelServer> {
  const server = await startModelServer({ kind: geminiKind, scenario })
  servers.push(server)
  return server
}

const agentAt = (place: Place, server: ModelServer, given: Partial<GeminiAgentOptions> = {}): Agent =>
  createGeminiAgent({
    name: 'gemini',
    model,
    thinkingBudget: null,
    maxTurns: null,
    permissions: 'role',
    loginHome: null,
    args: [],
    env: {
      ...place.env,
      PATH: `${programs}:${place.env['PATH'] ?? ''}`,
      GEMINI_API_KEY: 'dummy-key',
      GOOGLE_GEMINI_BASE_URL: server.url,
    },
    home: place.home,
    prices: {},
    ...given,
  })

const report = JSON.stringify({
  issues: {
    'BE-001': {
      outcome: 'fixed',
      files_modified: ['src/total.js'],
      changes_summary: 'done',
      explanation: 'as suggested',
    },
  },
})
const scores = { correctness: 100, safety: 100, minimality: 100, style_consistency: 100 }
const verdict = JSON.stringify({
  issues: { 'BE-001': { quality_scores: scores, feedback: 'right', improvements_needed: [] } },
})

const edit: ToolCall = {
  name: 'replace',
  input: {
    file_path: 'src/total.js',
    instruction: 'compare as numbers are compared',
    old_string: brokenCode,
    new_string: fixedCode,
  },
}
const shell = (command: string): ToolCall => ({
  name: 'run_shell_command',
  input: { command, description: 'a command' },
})

const canWrite = /"name":"replace"/
const honest: readonly Step[] = [
  { when: /functionResponse/, text: report, repeat: true },
  { when: canWrite, tools: [edit], repeat: true },
  { text: verdict, repeat: true },
]
const endless: readonly Step[] = [{ tools: [shell('tail -f /dev/null')], repeat: true }]

testAgent('the Gemini CLI', async (place) => ({
  agent: agentAt(place, await serve(honest)),
  hanging: agentAt(place, await serve(endless)),
}))

interface Tried {
  readonly run: AgentRun
  readonly heard: readonly AgentSignal[]
  readonly place: Place
  readonly workspace: string
  readonly server: ModelServer
}

async function tryScenario(
  scenario: readonly Step[] | ((workspace: string) => readonly Step[]),
  given: {
    readonly request?: Partial<AgentRequest>
    readonly options?: Partial<GeminiAgentOptions>
    readonly task?: (workspace: string) => AgentTask
    readonly prepare?: (workspace: string) => void
  } = {},
): Promise<Tried> {
  const place = makePlace()
  const workspace = place.workspace()
  given.prepare?.(workspace)
  const server = await serve(typeof scenario === 'function' ? scenario(workspace) : scenario)
  const heard: AgentSignal[] = []
  const task = (given.task ?? fixerTask)(workspace)
  const run = await agentAt(place, server, given.options).run(
    ask(task, { onSignal: (signal) => heard.push(signal), ...given.request }),
  )
  expect(survivorsOf(place.home)).toEqual([])
  expect(readdirSync(join(place.home, 'tasks'))).toEqual([])
  return { run, heard, place, workspace, server }
}

const failed = (kind: string, message: RegExp, resetAt: unknown = null) => ({
  ended: 'failed',
  kind,
  message: expect.stringMatching(message),
  reset_at: resetAt,
})

describe('a run of the Gemini CLI', () => {
  it('tells text, tools and tokens as they happen, and what it cost by the price table', async () => {
    const prices = { [model]: { input_usd: 1, cached_input_usd: 0.1, output_usd: 10 } }
    const thoughtful = { promptTokenCount: 1_000, thoughtsTokenCount: 100, totalTokenCount: 1_150 }
    const { run, heard } = await tryScenario(
      [{ tools: [edit], text: 'I begin.' }, { text: report, usage: thoughtful }],
      { options: { prices } },
    )
    expect(run).toEqual({
      agent: 'gemini',
      model,
      ending: { ended: 'finished' },
      text: `I begin.\n${report}`,
      tokens: 2_200,
      cost_usd: expect.closeTo((1_600 + 40 + 2_000) / 1_000_000, 10),
      cost_estimated: true,
      conversation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      duration_ms: expect.any(Number),
    })
    expect(heard).toEqual([
      { type: 'text', text: 'I begin.' },
      { type: 'tool', name: 'replace', detail: 'src/total.js' },
      { type: 'text', text: report },
      { type: 'usage', tokens: 2_200, cost_usd: run.cost_usd },
    ])
  })

  it('runs commands with write access, and does not show them the key', async () => {
    const { run, workspace } = await tryScenario([
      { tools: [shell('env > seen.txt; echo checked')] },
      { when: /checked/, text: report },
    ])
    expect(run.ending).toEqual({ ended: 'finished' })
    const seen = readFileSync(join(workspace, 'seen.txt'), 'utf8')
    expect(seen).toContain('FIXPOINT_RUN=')
    expect(seen).not.toContain('dummy-key')
  })

  it('is offered no tool that writes with read access, and gets none by asking for it', async () => {
    const before: Record<string, unknown> = {}
    const { run, workspace, server } = await tryScenario(
      [{ tools: [shell('touch evil'), edit] }, { text: verdict }],
      { task: challengerTask, prepare: (path) => Object.assign(before, snapshotOf(path)) },
    )
    expect(run.ending).toEqual({ ended: 'finished' })
    expect(snapshotOf(workspace)).toEqual(before)
    expect(toolsOffered(server).filter((name) => !/^(read|list|glob|grep|update_topic)/.test(name))).toEqual([])
  })

  it('obeys nothing in the repository: hooks, servers, agents and variables of it stay off', async () => {
    const { run, workspace, server } = await tryScenario([{ text: report }], {
      prepare(path) {
        mkdirSync(join(path, '.gemini/agents'), { recursive: true })
        const evil = `GOOGLE_API_KEY=evil\nGEMINI_MODEL=evil\n`
        writeFileSync(join(path, '.env'), evil)
        writeFileSync(join(path, '.gemini/.env'), evil)
        writeFileSync(join(path, '.gemini/agents/evil.md'), '---\nname: evil\ndescription: EVIL\n---\nEVIL\n')
        const command = { command: 'touch', args: [join(path, 'STARTED')] }
        const hook = { hooks: [{ type: 'command', command: `touch ${join(path, 'HOOKED')}` }] }
        writeFileSync(
          join(path, '.gemini/settings.json'),
          JSON.stringify({ mcpServers: { evil: command }, hooks: { SessionStart: [hook], BeforeAgent: [hook] } }),
        )
      },
    })
    expect(run.ending).toEqual({ ended: 'finished' })
    expect(readdirSync(workspace)).not.toContain('STARTED')
    expect(readdirSync(workspace)).not.toContain('HOOKED')
    expect(server.requests[0]?.raw).not.toContain('EVIL')
    expect(server.requests[0]?.headers['x-goog-api-key']).toBe('dummy-key')
  })

  it('gets the prompt as it is, also where code looks like the name of a file or an agent', async () => {
    const prompt = "import x from '@/lib'\n@Injectable()\n@generalist @readme.md @folder/one.txt a@b.c @total"
    const { server } = await tryScenario([{ text: report }], { request: { prompt } })
    const [{ raw }] = server.requests as [{ raw: string }]
    const sent = "import x from '@/lib'\n@Injectable()\n\\@generalist \\@readme.md \\@folder/one.txt a@b.c @total"
    expect(raw).toContain(JSON.stringify(sent).slice(1, -1))
    expect(raw).not.toContain('Content from')
  })

  it('thinks with the budget of its role', async () => {
    const { server } = await tryScenario([{ text: report }], { options: { thinkingBudget: 10_000 } })
    expect(server.requests[0]?.body['generationConfig']).toMatchObject({
      thinkingConfig: { thinkingBudget: 10_000 },
    })
  })

  it('starts the sub-agents that the request defines, and counts their tokens', async () => {
    const subagents = [{ name: 'fixer-one', description: 'fixes one issue', prompt: 'SUB-SYSTEM Fix it all.' }]
    const { run, heard, workspace } = await tryScenario(
      [
        { when: /SUB-SYSTEM/, unless: /functionResponse/, tools: [edit] },
        {
          when: /SUB-SYSTEM/,
          tools: [{ name: 'complete_task', input: { result: 'one is fixed' } }],
        },
        { when: /one is fixed/, text: report },
        { tools: [{ name: 'invoke_agent', input: { agent_name: 'fixer-one', prompt: 'BE-001' } }] },
      ],
      { request: { subagents } },
    )
    expect(run).toMatchObject({ ending: { ended: 'finished' }, tokens: 4_200 })
    expect(heard).toContainEqual({ type: 'tool', name: 'invoke_agent', detail: 'fixer-one' })
    expect(readFileSync(join(workspace, 'src/total.js'), 'utf8')).toContain(fixedCode)
  })
})

const toolsOffered = ({ requests }: ModelServer): readonly string[] => {
  const [offered] = requests[0]?.body['tools'] as [{ functionDeclarations: readonly { name: string }[] }]
  return offered.functionDeclarations.map(({ name }) => name)
}

describe('a conversation with the Gemini CLI', () => {
  it('goes on at once, in the same folder, in another one and as a copy', async () => {
    const place = makePlace()
    const workspace = place.workspace()
    const server = await serve([{ text: 'I will.' }, { text: report, repeat: true }])
    const agent = agentAt(place, server)
    const first = await agent.run(ask(fixerTask(workspace), { prompt: 'Remember MARK-ONE.' }))
    const id = first.conversation_id ?? ''
    const second = await agent.run(
      ask(fixerTask(workspace), { prompt: 'And now?', conversation: { id, fork: false } }),
    )
    expect(second).toMatchObject({ ending: { ended: 'finished' }, text: report, conversation_id: id, tokens: 1_050 })
    const fork = await agent.run(ask(fixerTask(workspace), { conversation: { id, fork: true } }))
    const elsewhere = await agent.run(
      ask(fixerTask(place.workspace()), { conversation: { id, fork: false } }),
    )
    for (const run of [fork, elsewhere]) {
      expect(run.ending).toEqual({ ended: 'finished' })
      expect(run.conversation_id).not.toBe(id)
    }
    for (const { raw } of server.requests.slice(1)) {
      expect(raw).toContain('MARK-ONE')
      expect(raw).toContain('I will.')
    }
    expect(existsSync(join(place.env['HOME'] ?? '', '.gemini'))).toBe(false)
  })

  it('is lost when nobody knows it any more, without a run', async () => {
    const conversation = { id: '8b29bb53-c9f8-452f-9ba2-ba636dfa35b1', fork: false }
    const place = makePlace()
    const server = await serve([])
    const run = await agentAt(place, server).run(ask(fixerTask(place.workspace()), { conversation }))
    expect(run.ending).toEqual({ ...failed('crashed', /not known any more/), conversation_lost: true })
  })
})

const apiError = (code: number, status: string, details: readonly unknown[] = [], message = 'no') => ({
  status: code,
  body: { error: { code, message, status, details } },
})
const type = (name: string) => ({ '@type': `type.googleapis.com/google.rpc.${name}` })
const daily = { ...type('QuotaFailure'), violations: [{ quotaId: 'GenerateRequestsPerDayPerProject' }] }
const retry = (seconds: number) => ({ ...type('RetryInfo'), retryDelay: `${seconds}s` })
const inAnHour = expect.toSatisfy((at: string) => {
  const untilMs = Date.parse(at) - Date.now()
  return untilMs > 59 * 60_000 && untilMs <= 60 * 60_000
})
const withinADay = expect.toSatisfy((at: string) => {
  const untilMs = Date.parse(at) - Date.now()
  return untilMs > 0 && untilMs <= 25 * 3_600_000
})

describe('a run of the Gemini CLI that fails', () => {
  it.each<[string, Step, ReturnType<typeof failed>]>([
    ['is refused with 401', apiError(401, 'UNAUTHENTICATED'), failed('auth', /UNAUTHENTICATED/)],
    ['is refused with 403', apiError(403, 'PERMISSION_DENIED'), failed('auth', /PERMISSION_DENIED/)],
    [
      'has a key that is not valid',
      apiError(400, 'INVALID_ARGUMENT', [{ ...type('ErrorInfo'), reason: 'API_KEY_INVALID' }]),
      failed('auth', /API_KEY_INVALID/),
    ],
    [
      'has no billing account',
      apiError(403, 'PERMISSION_DENIED', [{ ...type('ErrorInfo'), reason: 'BILLING_DISABLED' }]),
      failed('billing', /BILLING_DISABLED/),
    ],
    ['is too fast', apiError(429, 'RESOURCE_EXHAUSTED'), failed('rate_limited', /no/)],
    [
      'is too fast for a minute',
      apiError(429, 'RESOURCE_EXHAUSTED', [retry(20)]),
      failed('rate_limited', /retry after 20s/),
    ],
    [
      'has used up a quota that says when it begins anew',
      apiError(429, 'RESOURCE_EXHAUSTED', [retry(3_600)]),
      failed('quota', /retry after 3600s/, inAnHour),
    ],
    [
      'has used up the quota of the day',
      apiError(429, 'RESOURCE_EXHAUSTED', [daily, retry(20)]),
      failed('quota', /daily quota/, withinADay),
    ],
    [
      'finds the model overloaded',
      apiError(503, 'UNAVAILABLE', [], 'The model is overloaded.'),
      failed('overloaded', /overloaded/),
    ],
    ['finds the service broken', apiError(500, 'INTERNAL'), failed('overloaded', /no/)],
    ['loses the connection', { drop: true }, failed('overloaded', /fetch failed/)],
    ['asks for a model that does not exist', apiError(404, 'NOT_FOUND'), failed('crashed', /no/)],
    ['gets an empty answer', {}, failed('malformed', /empty response/)],
    ['gets a refusal', { stop: 'SAFETY' }, failed('malformed', /./)],
    ['gets a cut off answer', { stop: 'MAX_TOKENS' }, failed('malformed', /./)],
  ])('ends typed when it %s', async (_, step, ending) => {
    const { run } = await tryScenario([{ ...step, repeat: true }])
    expect(run.ending).toEqual(ending)
  })

  it('ends as auth when there is no way to log in', async () => {
    const place = makePlace()
    const server = await serve([])
    const { GEMINI_API_KEY: _, ...env } = { ...place.env, GEMINI_API_KEY: '' }
    const agent = agentAt(place, server, { env: { ...env, PATH: `${programs}:${env['PATH'] ?? ''}` } })
    expect((await agent.run(ask(fixerTask(place.workspace())))).ending).toEqual(failed('auth', /Auth method/))
  })

  it('says what to do when the CLI is not installed', async () => {
    const place = makePlace()
    const server = await serve([])
    const agent = agentAt(place, server, { env: { ...place.env, PATH: '/nowhere' } })
    expect((await agent.run(ask(fixerTask(place.workspace())))).ending).toEqual(
      failed('crashed', /command not found: gemini[^]*npm install -g @google\/gemini-cli/),
    )
  })

  it.each(['Let me tell you about rate limits.', '{"issues":'])(
    'is finished without a report when the answer is %j',
    async (text) => {
      const { run } = await tryScenario([{ text, stop: text.startsWith('{') ? 'MAX_TOKENS' : 'STOP' }])
      expect(run).toMatchObject({ ending: { ended: 'finished' }, text })
      expect(readFixerReport(run.text, ['BE-001'])).toBeNull()
    },
  )

  it('is not judged by words about limits and money', async () => {
    const text = `TerminalQuotaError: 429 RESOURCE_EXHAUSTED, credit balance too low, retryDelayMs: 5\n${report}`
    const { run } = await tryScenario([{ tools: [shell(`echo '${text}' >&2; exit 173`)] }, { text }])
    expect(run).toMatchObject({ ending: { ended: 'finished' }, text })
  })

  it('ends as a timeout when the model never answers', async () => {
    const { run } = await tryScenario([{ hang: 'stream' }], { request: { timeoutMs: 4_000 } })
    expect(run.ending).toEqual(failed('timeout', /after 4s/))
  })

  it('takes a running tool and its daemons with it when it is cancelled', async () => {
    const controller = new AbortController()
    const place = makePlace()
    const workspace = place.workspace()
    const daemon = 'setsid nohup tail -f /dev/null >/dev/null 2>&1 & echo $! > daemon.pid; tail -f /dev/null'
    const server = await serve([{ tools: [shell(daemon)] }])
    const running = agentAt(place, server).run(ask(fixerTask(workspace), { signal: controller.signal }))
    await waitFor(() => existsSync(join(workspace, 'daemon.pid')))
    controller.abort()
    expect((await running).ending).toEqual(failed('cancelled', /cancelled/))
    expect(survivorsOf(place.home)).toEqual([])
  })
})

async function waitFor(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 20))
}
