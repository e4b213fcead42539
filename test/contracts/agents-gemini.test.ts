import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createGeminiAgent, type GeminiAgentOptions } from '../../src/adapters/agents/gemini/index.ts'
import type { Agent } from '../../src/loop/ports.ts'
import { agentPrograms, compiledAgents } from '../agent-clis/install.ts'
import { geminiError, geminiKind, retryInfo } from '../fixtures/model-servers/gemini.ts'
import type { ModelServer, Step, ToolCall } from '../fixtures/model-servers/scenario.ts'
import { snapshotOf } from '../fixtures/repositories.ts'
import { noJail } from '../../src/loop/ports.ts'
import { brokenCode, fixedCode, testAgent, type Place } from './agent-suite.ts'
import { alarmingWords, failed, openScene, report, serve, verdict, whenRunning } from './cli-scene.ts'

const model = 'gemini-2.5-pro'

const build =
  (given: Partial<GeminiAgentOptions> = {}) =>
  (place: Place, server: ModelServer): Agent =>
    createGeminiAgent({
      name: 'gemini',
      program: join(agentPrograms, 'gemini'),
      model,
      thinkingBudget: null,
      maxTurns: null,
      permissions: 'role',
      configFolder: null,
      args: [],
      home: place.home,
      root: place.folder,
      jail: noJail,
      allowedHosts: [],
      prices: {},
      ...given,
      env: {
        ...place.env,
        GEMINI_API_KEY: 'dummy-key',
        GOOGLE_GEMINI_BASE_URL: server.url,
        NODE_COMPILE_CACHE: compiledAgents,
        ...given.env,
      },
    })

const open = (
  scenario: readonly Step[] | ((workspace: string) => readonly Step[]),
  given?: Partial<GeminiAgentOptions>,
) => openScene({ kind: geminiKind, scenario, build: build(given) })

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

const writes = /"name":"replace"/
const fixing: readonly Step[] = [
  { tools: [edit], when: writes },
  { text: report, when: writes },
  { text: verdict, unless: writes },
]
const hanging: readonly Step[] = [{ tools: [shell('tail -f /dev/null')] }]

testAgent(
  'the Gemini CLI',
  async (place) => ({
    agent: build()(place, await serve(geminiKind, fixing)),
    hanging: build()(place, await serve(geminiKind, hanging)),
  }),
  'slowly',
)

interface Offered {
  readonly functionDeclarations: readonly { readonly name: string }[]
}

const toolsOffered = ({ requests }: ModelServer): readonly string[] => {
  const offered = requests[0]?.body['tools'] as readonly Offered[] | undefined
  return (offered ?? []).flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name))
}

describe('what the Gemini CLI is asked and answers', () => {
  it('tells text, tools and tokens as they come, and what it cost by the price table', async () => {
    const prices = { [model]: { input_usd: 1, cached_input_usd: 0.1, output_usd: 10 } }
    const thoughtful = { promptTokenCount: 1_000, thoughtsTokenCount: 100, totalTokenCount: 1_150 }
    const scene = await open(
      [
        { tools: [edit], text: 'I begin.' },
        { text: report, usage: thoughtful },
      ],
      {
        prices,
      },
    )
    const run = await scene.run()
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
    expect(scene.heard.filter(({ type }) => type !== 'usage')).toEqual([
      { type: 'text', text: 'I begin.' },
      { type: 'tool', name: 'replace', detail: 'src/total.js' },
      { type: 'text', text: report },
    ])
    // The number of reports before this one depends on how fast the answers come.
    expect(scene.heard.findLast(({ type }) => type === 'usage')).toEqual({
      type: 'usage',
      tokens: 2_200,
      cost_usd: run.cost_usd,
    })
    expect(readdirSync(join(scene.place.home, 'tasks'))).toEqual([])
  })

  it('runs commands with write access, which do not see the key, and words of limits mean nothing', async () => {
    const told = `${alarmingWords} TerminalQuotaError: retryDelayMs: 5\n${report}`
    const scene = await open([
      { tools: [shell(`env > seen.txt; echo checked; echo '${alarmingWords}' >&2; exit 173`)] },
      { when: /checked/, text: told },
    ])
    expect(await scene.run()).toMatchObject({ ending: { ended: 'finished' }, text: told })
    const seen = readFileSync(join(scene.workspace, 'seen.txt'), 'utf8')
    expect(seen).toContain('PROC_GROUP_ID=')
    expect(seen).not.toContain('dummy-key')
  })

  it('is offered no tool that writes with read access, gets none by asking, and thinks with its budget', async () => {
    const scene = await open([{ tools: [shell('touch evil'), edit] }, { text: verdict }], {
      thinkingBudget: 10_000,
    })
    const before = snapshotOf(scene.workspace)
    const run = await scene.run({}, { role: 'reviewer', access: 'read' })
    expect(run.ending).toEqual({ ended: 'finished' })
    expect(snapshotOf(scene.workspace)).toEqual(before)
    expect(toolsOffered(scene.server)).toContain('read_file')
    const harmless = /^(read_|list_|glob$|grep_|update_topic$|write_todos$)/
    expect(toolsOffered(scene.server).filter((name) => !harmless.test(name))).toEqual([])
    expect(scene.server.requests[0]?.body['generationConfig']).toMatchObject({
      thinkingConfig: { thinkingBudget: 10_000 },
    })
  })

  it('gets the prompt as it is, and obeys nothing in the repository: hooks, servers, agents, variables', async () => {
    const scene = await open([{ text: report }])
    poison(scene.workspace)
    const prompt = "import x from '@/lib'\n@Injectable()\n@generalist @readme.md @folder/one.txt a@b.c @total"
    const run = await scene.run({ prompt })
    expect(run.ending).toEqual({ ended: 'finished' })
    const { raw = '', headers = {} } = scene.server.requests[0] ?? {}
    const sent = prompt.replaceAll(/@(?=generalist|readme|folder)/g, '\\@')
    expect(raw).toContain(JSON.stringify(sent).slice(1, -1))
    expect(raw).not.toContain('Content from')
    expect(raw).not.toContain('EVIL')
    expect(headers['x-goog-api-key']).toBe('dummy-key')
    expect(readdirSync(scene.workspace).filter((name) => /^(STARTED|HOOKED)$/.test(name))).toEqual([])
  })

  it('does not start in a repository that could redirect it, or after an agent has seen to that', async () => {
    const scene = await open([])
    mkdirSync(join(scene.workspace, '.gemini'))
    writeFileSync(join(scene.workspace, '.gemini/.env'), 'GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1\n')
    expect((await scene.run()).ending).toEqual(failed('crashed', /holds .gemini\/.env/))
  })

  it('starts the sub-agents that the request defines, and counts their tokens', async () => {
    const subagents = [{ name: 'fixer-one', description: 'fixes "one"', prompt: 'SUB-SYSTEM Fix it all.' }]
    const done: ToolCall = { name: 'complete_task', input: { result: 'one is fixed' } }
    const scene = await open([
      { when: /SUB-SYSTEM/, unless: /functionResponse/, tools: [edit] },
      { when: /SUB-SYSTEM/, tools: [done] },
      { when: /one is fixed/, text: report },
      { tools: [{ name: 'invoke_agent', input: { agent_name: 'fixer-one', prompt: 'BE-001' } }] },
    ])
    const run = await scene.run({ subagents })
    expect(run).toMatchObject({ ending: { ended: 'finished' }, tokens: 4_200 })
    expect(scene.heard).toContainEqual({ type: 'tool', name: 'invoke_agent', detail: 'fixer-one' })
    expect(readFileSync(join(scene.workspace, 'src/total.js'), 'utf8')).toContain(fixedCode)
  })
})

/** Plants everything by which a repository could make the CLI do something that the repository wants. */
function poison(workspace: string): void {
  const variables = 'GOOGLE_API_KEY=evil\nGEMINI_MODEL=evil\nGEMINI_SYSTEM_MD=evil\n'
  const command = { command: 'touch', args: [join(workspace, 'STARTED')] }
  const hook = { hooks: [{ type: 'command', command: `touch ${join(workspace, 'HOOKED')}` }] }
  mkdirSync(join(workspace, '.gemini/agents'), { recursive: true })
  writeFileSync(join(workspace, '.env'), variables)
  writeFileSync(join(workspace, '.gemini/agents/evil.md'), '---\nname: evil\ndescription: EVIL\n---\nEVIL\n')
  const settings = { mcpServers: { evil: command }, hooks: { SessionStart: [hook], BeforeAgent: [hook] } }
  writeFileSync(join(workspace, '.gemini/settings.json'), JSON.stringify(settings))
}

describe('a conversation with the Gemini CLI', () => {
  it('goes on at once, in the same folder, as a copy and in another folder', async () => {
    const scene = await open([{ text: 'I will.' }, { text: report, repeat: true }])
    const first = await scene.run({ prompt: 'Remember MARK-ONE.' })
    const id = first.conversation_id ?? ''
    const second = await scene.run({ prompt: 'And now?', conversation: { id, fork: false } })
    expect(second).toMatchObject({
      ending: { ended: 'finished' },
      text: report,
      conversation_id: id,
      tokens: 1_050,
    })
    const copy = await scene.run({ conversation: { id, fork: true } })
    const elsewhere = await scene.run(
      { conversation: { id, fork: false } },
      { workspace: scene.place.workspace() },
    )
    for (const run of [copy, elsewhere]) {
      expect(run.ending).toEqual({ ended: 'finished' })
      expect(run.conversation_id).not.toBe(id)
    }
    for (const { raw } of scene.server.requests.slice(1)) {
      expect(raw).toContain('MARK-ONE')
      expect(raw).toContain('I will.')
    }
    expect(existsSync(join(scene.place.env['HOME'] ?? '', '.gemini'))).toBe(false)
  })

  it('is lost when nobody knows it any more, without a run', async () => {
    const scene = await open([])
    const conversation = { id: '8b29bb53-c9f8-452f-9ba2-ba636dfa35b1', fork: false }
    const run = await scene.run({ conversation })
    expect(run.ending).toEqual(failed('crashed', /not known any more/, { conversation_lost: true }))
  })
})

const inAnHour = expect.toSatisfy((at: string) => Math.abs(Date.parse(at) - Date.now() - 3_570_000) < 30_000)
/** One failure for each way in which the CLI reports it. Tests beside the adapter read the other failures from recorded output. */
describe('the Gemini CLI when something fails', () => {
  it.each<[string, Step, ReturnType<typeof failed>]>([
    ['is refused', geminiError(401, 'UNAUTHENTICATED'), failed('auth', /UNAUTHENTICATED/)],
    [
      'has used up a quota that says when it begins anew',
      geminiError(429, 'RESOURCE_EXHAUSTED', [retryInfo(3_600)]),
      failed('quota', /3600s/, { reset_at: inAnHour }),
    ],
    ['loses the connection', { drop: true }, failed('overloaded', /fetch failed/)],
    ['gets an empty answer', {}, failed('malformed', /empty response/)],
  ])('ends typed when it %s', async (_, step, ending) => {
    const run = await (await open([{ ...step, repeat: true }])).run()
    expect(run.ending).toEqual(ending)
  })

  it('ends as auth when there is no way to log in', async () => {
    const scene = await open([], { env: { GEMINI_API_KEY: '', GOOGLE_GEMINI_BASE_URL: '' } })
    expect((await scene.run()).ending).toEqual(failed('auth', /Auth method/))
  })

  it('takes a running tool and its daemon with it when it is cancelled, and has used what its records say', async () => {
    const controller = new AbortController()
    const prices = { [model]: { input_usd: 1, cached_input_usd: 0.5, output_usd: 10 } }
    const daemon = 'setsid nohup tail -f /dev/null >/dev/null 2>&1 & sleep 60'
    const usage = { promptTokenCount: 600_000, totalTokenCount: 600_050 }
    const scene = await open([{ tools: [shell(daemon)], usage }], { prices })
    whenRunning(scene.place.home, 'sleep', () => controller.abort())
    const run = await scene.run({ signal: controller.signal })
    expect(run.ending).toEqual(failed('cancelled', /cancelled/))
    expect(run).toMatchObject({ tokens: 600_050, cost_estimated: true })
    expect(run.cost_usd).toBeCloseTo(0.6, 2)
  })
})
