import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CodexOptions } from '../../src/adapters/agents/codex/command.ts'
import { createCodexAgent } from '../../src/adapters/agents/codex/index.ts'
import type { Agent } from '../../src/loop/ports.ts'
import { fixerSchema } from '../../src/loop/prompts/contracts.ts'
import type { AgentUpdate } from '../../src/model/agent/agent.ts'
import { readFixerReport } from '../../src/model/agent/report.ts'
import { agentPrograms } from '../agent-clis/install.ts'
import { openai, openaiError } from '../fixtures/model-servers/openai.ts'
import type { ModelRequest, ModelServer, Step } from '../fixtures/model-servers/scenario.ts'
import { noJail } from '../../src/loop/ports.ts'
import { brokenCode, fixedCode, testAgent, type Place } from './agent-suite.ts'
import { alarmingWords, failed, openScene, report, serve, verdict, whenRunning } from './cli-scene.ts'

const prices = { 'gpt-5.5': { input_usd: 1, cached_input_usd: 0.5, output_usd: 10 } }

interface Given extends Partial<Omit<CodexOptions, 'env'>> {
  readonly env?: (place: Place) => Readonly<Record<string, string>>
}

/** Makes a folder for the PATH with a bubblewrap like that of Debian 12, which lacks the option to set the name of a program. */
function oldBubblewrap(folder: string): string {
  const [found] = globSync('@openai/codex-*/vendor/*/codex-resources/bwrap', {
    cwd: join(agentPrograms, '..'),
  })
  if (found === undefined) throw new Error('codex came without a bubblewrap')
  const bubblewrap = join(agentPrograms, '..', found)
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  const script = `#!/bin/sh
case " $* " in
  *" --argv0 "*) echo "bwrap: Unknown option --argv0" >&2; exit 1 ;;
  *" --help "*) ${bubblewrap} --help | grep -v argv0 ;;
  *) exec ${bubblewrap} "$@" ;;
esac
`
  writeFileSync(join(programs, 'bwrap'), script, { mode: 0o755 })
  return programs
}

const build =
  ({ env = (place) => place.env, ...given }: Given = {}) =>
  (place: Place, server: ModelServer): Agent => {
    const provider = `{name="scripted",base_url="${server.url}/v1",env_key="OPENAI_API_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`
    return createCodexAgent({
      name: 'codex',
      program: join(agentPrograms, 'codex'),
      model: 'gpt-5.5',
      thinkingBudget: null,
      permissions: 'role',
      configFolder: join(place.folder, 'codex'),
      home: place.home,
      root: place.folder,
      jail: noJail,
      allowedHosts: [],
      prices,
      env: { ...env(place), OPENAI_API_KEY: 'not-a-key' },
      ...given,
      args: [
        '--config',
        `model_providers.scripted=${provider}`,
        '--config',
        'model_provider="scripted"',
        ...(given.args ?? []),
      ],
    })
  }

const open = (scenario: readonly Step[], given?: Given) =>
  openScene({ kind: openai, scenario, build: build(given) })

const shell = (cmd: string): Step => ({ tools: [{ name: 'exec_command', input: { cmd } }] })
const patch = `*** Begin Patch
*** Update File: src/total.js
@@
-  if (${brokenCode}) return 0
+  if (${fixedCode}) return 0
*** End Patch
`
const edit: Step = { tools: [{ name: 'apply_patch', custom: patch }] }
const writes = /<sandbox_mode>workspace-write|sandbox_mode` is `workspace-write/
const hanging: readonly Step[] = [shell('echo looking; tail -f /dev/null'), { hang: 'silent', repeat: true }]

testAgent(
  'codex',
  async (place) => ({
    agent: build()(
      place,
      await serve(openai, [
        { ...edit, when: writes },
        { text: report, when: writes },
        { text: verdict, unless: writes },
      ]),
    ),
    hanging: build()(place, await serve(openai, hanging)),
  }),
  'slowly',
)

describe('what codex is asked and answers', () => {
  it('tells its text, its tools and its tokens, what the run cost by the table of prices, and thinks with its budget', async () => {
    const scene = await open([{ text: 'Editing.', ...edit }, { text: report }], { thinkingBudget: 20_000 })
    const run = await scene.run({ prompt: 'MARKED-PROMPT' })
    const cost_usd = (1600 * 1 + 400 * 0.5 + 100 * 10) / 1e6
    expect(run).toEqual({
      agent: 'codex',
      model: 'gpt-5.5',
      ending: { ended: 'finished' },
      text: report,
      tokens: 2100,
      cost_usd,
      cost_estimated: true,
      conversation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      duration_ms: expect.any(Number),
    })
    expect(scene.heard.filter(({ type }) => type !== 'usage')).toEqual([
      { type: 'text', text: 'Editing.' },
      { type: 'tool', name: 'apply_patch', detail: join(scene.workspace, 'src/total.js') },
      { type: 'text', text: report },
    ])
    // The number of reports before this one depends on how fast the answers come.
    expect(scene.heard.findLast(({ type }) => type === 'usage')).toEqual({
      type: 'usage',
      tokens: 2100,
      cost_usd,
    })
    expect(scene.server.requests[0]?.raw).toContain('MARKED-PROMPT')
    expect(scene.server.requests[0]?.body['reasoning']).toMatchObject({ effort: 'high' })
  })

  it('asks for the answer by the schema as the service demands it; prose is no report all the same', async () => {
    const scene = await open([{ text: 'All is well.' }])
    const run = await scene.run({}, { output_schema: fixerSchema('BE-001') })
    expect(run).toMatchObject({ ending: { ended: 'finished' }, text: 'All is well.' })
    expect(readFixerReport(run.text, ['BE-001'])).toBeNull()
    expect(scene.server.requests[0]?.body['text']).toMatchObject({
      format: {
        type: 'json_schema',
        strict: true,
        schema: { properties: { issues: { additionalProperties: false, required: ['BE-001'] } } },
      },
    })
    expect(readdirSync(join(scene.place.home, 'tasks'))).toEqual([])
  })

  it('goes on with a conversation, and with a copy of it, and counts each run alone', async () => {
    const scene = await open([
      { text: 'FIRST-ANSWER' },
      { text: 'second' },
      { text: 'copied' },
      { text: 'again' },
    ])
    const first = await scene.run({ prompt: 'FIRST-PROMPT' })
    const id = first.conversation_id ?? ''
    const second = await scene.run({ prompt: 'SECOND-PROMPT', conversation: { id, fork: false } })
    const copied = await scene.run({ prompt: 'THIRD-PROMPT', conversation: { id, fork: true } })
    const copyId = copied.conversation_id ?? ''
    const again = await scene.run({ prompt: 'FOURTH-PROMPT', conversation: { id: copyId, fork: false } })
    expect([first, second, copied, again].map(({ tokens }) => tokens)).toEqual([1050, 1050, 1050, 1050])
    expect(second.conversation_id).toBe(id)
    expect(copyId).not.toBe(id)
    for (const text of ['FIRST-PROMPT', 'FIRST-ANSWER', 'SECOND-PROMPT'])
      expect(scene.server.requests[1]?.raw).toContain(text)
    expect(scene.server.requests[3]?.raw).toContain('FIRST-ANSWER')
  })

  it.each([false, true])(
    'says that a conversation is lost when it does not know it (copy: %s)',
    async (fork) => {
      const scene = await open([])
      const run = await scene.run({ conversation: { id: 'bf2c0c16-ae3f-4fb7-a1e9-79df8a9bfc97', fork } })
      expect(run.ending).toEqual(failed('crashed', /no rollout found/, { conversation_lost: true }))
    },
  )

  it('starts the sub-agents it was given and waits for them', async () => {
    const subagents = [
      { name: 'fixer-single', description: 'fixes "one" issue', prompt: 'SUB-SYSTEM\nPROMPT' },
    ]
    const agentIdIn = ({ body }: ModelRequest): string =>
      /"agent_id\\*":\\*"([0-9a-f-]{36})/.exec(JSON.stringify(body['input']))?.[1] ?? ''
    const group = { namespace: 'multi_agent_v1' }
    const start = {
      name: 'spawn_agent',
      ...group,
      input: { agent_type: 'fixer-single', message: 'SUB-TASK' },
    }
    const scene = await open([
      { tools: [start], when: /MAIN-TASK/, unless: /SUB-TASK/ },
      { text: 'SUB-ANSWER', when: /SUB-SYSTEM/, unless: /MAIN-TASK/ },
      {
        tools: (request) => [
          { name: 'wait_agent', ...group, input: { targets: [agentIdIn(request)], timeout_ms: 10_000 } },
        ],
        unless: /SUB-ANSWER/,
      },
      { text: report },
    ])
    const run = await scene.run({ prompt: 'MAIN-TASK', subagents })
    expect(run).toMatchObject({ ending: { ended: 'finished' }, text: report, tokens: 3150 })
    expect(scene.heard.filter(({ type }) => type === 'tool')).toEqual([
      { type: 'tool', name: 'spawn_agent', detail: 'SUB-TASK' },
      { type: 'tool', name: 'wait', detail: '' },
    ])
    expect(scene.server.requests.at(-1)?.raw).toContain('SUB-ANSWER')
  })
})

describe('what codex may do', () => {
  it('may change the workspace with write access, and nothing outside', async () => {
    // The sandbox leaves the folder for temporary files open, and this project may lie in there; it does not leave this path open.
    const outside = `/var/tmp/fixpoint-codex-outside-${process.pid}`
    const scene = await open([
      shell(`echo in > inside.txt; echo out > ${outside}; git commit -qam x`),
      { text: report },
    ])
    const head = readFileSync(join(scene.workspace, '.git/logs/HEAD'), 'utf8')
    await scene.run()
    expect(readFileSync(join(scene.workspace, 'inside.txt'), 'utf8')).toBe('in\n')
    expect(existsSync(outside)).toBe(false)
    expect(readFileSync(join(scene.workspace, '.git/logs/HEAD'), 'utf8')).toBe(head)
  })

  it('may read and change nothing with read access', async () => {
    const scene = await open([shell('cat readme.md; touch made.txt'), edit, { text: verdict }])
    await scene.run({}, { role: 'challenger', access: 'read' })
    expect(scene.server.requests[1]?.raw).toContain('hello')
    expect(existsSync(join(scene.workspace, 'made.txt'))).toBe(false)
    expect(readFileSync(join(scene.workspace, 'src/total.js'), 'utf8')).toContain(brokenCode)
  })

  it('runs its tools beside an older bubblewrap of the system, with its folder among the temporary files', async () => {
    const scene = await open([shell('cat readme.md'), { text: verdict }], {
      env: ({ env, folder }) => ({
        ...env,
        PATH: `${oldBubblewrap(folder)}:${env['PATH']}`,
        TMPDIR: folder,
      }),
    })
    await scene.run({}, { role: 'challenger', access: 'read' })
    expect(scene.server.requests[1]?.raw).toContain('hello')
  })

  it('runs no server and reads no memory of the repository, and does not come to trust it', async () => {
    const scene = await open([{ text: report }])
    const marker = join(scene.place.folder, 'poisoned')
    mkdirSync(join(scene.workspace, '.codex'))
    writeFileSync(
      join(scene.workspace, '.codex/config.toml'),
      `model = "poisoned"\n[mcp_servers.evil]\ncommand = "touch"\nargs = ["${marker}"]\n`,
    )
    writeFileSync(join(scene.workspace, 'AGENTS.md'), 'POISONED-MEMORY')
    expect(await scene.run()).toMatchObject({ ending: { ended: 'finished' } })
    expect(existsSync(marker)).toBe(false)
    expect(scene.server.requests[0]?.raw).not.toMatch(/POISONED-MEMORY|"poisoned"/)
    expect(existsSync(join(scene.place.folder, 'codex/config.toml'))).toBe(false)
  })
})

/** One failure for each way in which the CLI reports it. Tests beside the adapter read the other failures from recorded output. */
describe('how codex fails', () => {
  const inAnHour = Math.floor(Date.now() / 1000) + 3600
  const isSoon = (reset: unknown): boolean => Math.abs(Date.parse(String(reset)) / 1000 - inAnHour) < 120

  it.each<[string, Step, ReturnType<typeof failed>]>([
    ['a dropped connection', { drop: true }, failed('overloaded', /^stream disconnected/)],
    ['an empty answer', { text: '' }, failed('malformed', /empty answer/)],
  ])('ends in its own kind after %s', async (_, step, ending) => {
    const scene = await open([{ ...step, repeat: true }])
    expect((await scene.run()).ending).toEqual(ending)
  })

  it.each([
    ['by its own records', {}, 600_050, 0.6],
    ['by an estimate where nothing is kept', { role: 'challenger', access: 'read' } as const, 12_003, 0.012],
  ])('has used what its calls used when it is stopped in the middle, %s', async (_, task, tokens, usd) => {
    const controller = new AbortController()
    const scene = await open([
      { ...shell('echo stopped-here'), usage: { input_tokens: 600_000 } },
      { hang: 'silent', repeat: true },
    ])
    void scene.server.arrived(/stopped-here/).then(() => controller.abort())
    const run = await scene.run({ signal: controller.signal }, task)
    expect(run).toMatchObject({ ending: { kind: 'cancelled' }, tokens, cost_estimated: true })
    expect(run.cost_usd).toBeCloseTo(usd, 2)
  })

  it('tells what it has used while it runs', async () => {
    const controller = new AbortController()
    const scene = await open([
      { ...shell('echo stopped-here'), usage: { input_tokens: 600_000 } },
      { hang: 'silent', repeat: true },
    ])
    const heard: AgentUpdate[] = []
    await scene.run({
      signal: controller.signal,
      onUpdate(update) {
        heard.push(update)
        if (update.type === 'usage') controller.abort()
      },
    })
    expect(heard).toContainEqual({ type: 'usage', tokens: 600_050, cost_usd: expect.closeTo(0.6, 2) })
  })

  it('says when a used-up limit is refilled', async () => {
    const limit = {
      type: 'usage_limit_reached',
      message: 'x',
      plan_type: 'plus',
      resets_at: inAnHour,
      resets_in_seconds: 3600,
    }
    const scene = await open([{ ...openaiError(429, limit), repeat: true }])
    const { ending } = await scene.run()
    expect(ending).toEqual(failed('quota', /usage limit/, { reset_at: expect.toSatisfy(isSoon) }))
  })

  it('is not misled by words in answers and files', async () => {
    const scene = await open([
      { text: alarmingWords, ...shell('cat readme.md') },
      { text: `${alarmingWords}\n${report}` },
    ])
    writeFileSync(join(scene.workspace, 'readme.md'), alarmingWords)
    expect(await scene.run({ prompt: alarmingWords })).toMatchObject({ ending: { ended: 'finished' } })
  })

  it('has crashed when it refuses its arguments, or is not there', async () => {
    const refused = await open([], { args: ['--no-such-argument'] })
    expect((await refused.run()).ending).toEqual(failed('crashed', /^exit code 2\n.*no-such-argument/s))
    const missing = await open([], { program: '/no/such/codex' })
    expect((await missing.run()).ending).toEqual(failed('crashed', /command not found/))
  })
})

describe('what is left of codex', () => {
  it('takes the tool that runs with it when it is cancelled', async () => {
    const scene = await open([shell('tail -f /dev/null')])
    const controller = new AbortController()
    const run = await scene.run({
      signal: controller.signal,
      onUpdate: ({ type }) =>
        void (type === 'tool' && whenRunning(scene.place.home, 'tail', () => controller.abort())),
    })
    expect(run.ending).toEqual(failed('cancelled', /cancelled/))
  })

  it('takes what was started with nohup with it when it is done', async () => {
    const scene = await open([shell('nohup setsid tail -f /dev/null > /dev/null 2>&1 &'), { text: report }])
    expect((await scene.run()).ending).toEqual({ ended: 'finished' })
  })
})
