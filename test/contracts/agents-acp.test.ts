import { noJail } from '../../src/loop/ports.ts'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createAcpAgent, type AcpAgentOptions } from '../../src/adapters/agents/acp/index.ts'
import type { Agent, AgentRequest } from '../../src/loop/ports.ts'
import type { AgentUpdate } from '../../src/model/agent/agent.ts'
import { readFixerReport } from '../../src/model/agent/report.ts'
import { agentPrograms, compiledAgents } from '../agent-clis/install.ts'
import { geminiError, geminiKind } from '../fixtures/model-servers/gemini.ts'
import { startModelServer, type Step } from '../fixtures/model-servers/scenario.ts'
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

const programs = join(import.meta.dirname, '../fixtures/acp-agents')

const tiny = (
  place: Place,
  program: string,
  argument: unknown = '',
  given: Partial<AcpAgentOptions> = {},
): Agent =>
  createAcpAgent({
    name: 'tiny',
    run: `exec "${process.execPath}" "${join(programs, program)}" ${quoted(argument)}`,
    model: null,
    env: place.env,
    home: place.home,
    root: place.folder,
    jail: noJail,
    allowedHosts: [],
    clis: [],
    prices: {},
    greetingMs: 60_000,
    ...given,
  })

const quoted = (argument: unknown): string =>
  `'${(typeof argument === 'string' ? argument : JSON.stringify(argument)).replaceAll("'", `'\\''`)}'`

testAgent('a tiny agent that speaks ACP', (place) => ({
  agent: tiny(place, 'honest.mjs'),
  hanging: tiny(place, 'hangs.mjs'),
}))

async function runTiny(
  program: string,
  argument?: unknown,
  given: {
    request?: Partial<AgentRequest>
    access?: 'read' | 'write'
    options?: Partial<AcpAgentOptions>
  } = {},
) {
  const place = makePlace()
  const workspace = place.workspace()
  const heard: AgentUpdate[] = []
  const task = given.access === 'read' ? challengerTask(workspace) : fixerTask(workspace)
  const run = await tiny(place, program, argument, given.options).run(
    ask(task, { onUpdate: (update) => heard.push(update), ...given.request }),
  )
  expect(survivorsOf(place.home)).toEqual([])
  const explanation = readFixerReport(run.text, ['BE-001'])?.issues.get('BE-001')?.explanation
  return { run, heard, place, workspace, explanation }
}

const failed = (kind: string, message: RegExp) => ({
  ended: 'failed',
  kind,
  message: expect.stringMatching(message),
  reset_at: null,
})

describe('an agent that speaks ACP', () => {
  it('is told with its text, its tools, its tokens and its cost', async () => {
    const { run, heard } = await runTiny('honest.mjs')
    expect(run).toEqual({
      agent: 'tiny',
      model: null,
      ending: { ended: 'finished' },
      text: expect.stringContaining('"outcome":"fixed"'),
      tokens: 1_500,
      cost_usd: 0.25,
      conversation_id: 'session-1',
      duration_ms: expect.any(Number),
    })
    expect(heard.slice(0, 2)).toEqual([
      { type: 'tool', name: 'edit', detail: 'src/total.js' },
      { type: 'usage', tokens: 1_200, cost_usd: 0.25 },
    ])
    expect(heard.slice(2)).toEqual([{ type: 'text', text: run.text }])
  })

  it.each(['', 'deaf'])('leaves nothing of a hanging tool when its time is over (%s)', async (how) => {
    const { run } = await runTiny('hangs.mjs', how, { request: { timeoutMs: 1_500 } })
    expect(run.ending).toEqual(failed('timeout', /after 1s500ms/))
  })

  it('has crashed when it dies in the middle of a message', async () => {
    const { run } = await runTiny('dies-mid-message.mjs')
    expect(run.ending).toEqual(failed('crashed', /^exit code 7\nout of memory$/))
  })

  it('has crashed when it cannot be started', async () => {
    const { run } = await runTiny('there-is-none.mjs')
    expect(run.ending).toEqual(failed('crashed', /^exit code 1\n/))
  })

  it.each(['', 'line'])('is stopped when it talks without end, with bounded text (%s)', async (how) => {
    const { run } = await runTiny('floods.mjs', how)
    expect(run.ending).toEqual(failed(how === '' ? 'crashed' : 'malformed', /without end|exceeds/))
    expect(run.text.length).toBeLessThan(9 * 2 ** 20)
  })

  it.each(['', 'answers'])(
    'is malformed when it does not speak the protocol (%s), and prints nothing',
    async (how) => {
      const printed = vi.spyOn(console, 'error')
      const { run } = await runTiny('speaks-garbage.mjs', how, { options: { greetingMs: 1_500 } })
      expect(run.ending).toEqual(failed('malformed', /does not speak the Agent Client Protocol/))
      expect(printed.mock.calls).toEqual([])
      printed.mockRestore()
    },
  )

  it('cannot be given a model when it lets nobody choose', async () => {
    const { run } = await runTiny('honest.mjs', '', { options: { model: 'other' } })
    expect(run.ending).toEqual(failed('crashed', /offers no choice of models/))
  })
})

describe('what an agent that speaks ACP may do', () => {
  const inside = { kind: 'edit', locations: [{ path: 'src/total.js' }] }
  const outside = { kind: 'edit', locations: [{ path: 'src/total.js' }, { path: '../beside.txt' }] }
  const diff = { kind: 'edit', content: [{ type: 'diff', path: '/etc/hosts', newText: '' }] }
  const git = { kind: 'edit', locations: [{ path: '.git/config' }] }
  const nowhere = { kind: 'edit' }
  const command = { kind: 'execute', title: 'npm test' }
  const fetch = { kind: 'fetch' }
  const read = { kind: 'read', locations: [{ path: 'readme.md' }] }
  const readOutside = { kind: 'read', title: 'Allow access to /etc/passwd', locations: [] }
  const calls = [inside, outside, diff, git, nowhere, command, fetch, {}, read, readOutside]

  it.each([
    ['write', 'b c c c c b c c b c'],
    ['read', 'c c c c c c c c b c'],
  ] as const)(
    'is answered by kind and place with %s access, never for longer than once',
    async (access, answers) => {
      const { explanation } = await runTiny('asks.mjs', calls, { access })
      expect(explanation).toBe(answers)
    },
  )

  it('reads and writes through us in its workspace only, wherever links lead', async () => {
    const steps = [
      { read: 'readme.md' },
      { read: 'link' },
      { read: '../beside.txt' },
      { read: '/etc/hostname' },
      { read: '.git/config' },
      { read: 'none.txt' },
      { write: 'new/folder/a.txt' },
      { write: '../beside.txt' },
      { write: '.git/hooks/pre-commit' },
      { link: { at: 'folder/out', to: '../../beside.txt' } },
      { write: 'folder/out' },
      { read: 'folder/out' },
      { link: { at: 'folder/none', to: '../../made.txt' } },
      { write: 'folder/none' },
      { link: { at: 'folder', to: '..' } },
      { write: 'folder/x.txt' },
      { read: 'folder' },
    ]
    const place = makePlace()
    const workspace = place.workspace()
    const beside = join(workspace, '../beside.txt')
    writeFileSync(beside, 'mine\n')
    const run = await tiny(place, 'uses-files.mjs', steps).run(ask(fixerTask(workspace)))
    const refused = -32_602
    expect(readFixerReport(run.text, ['BE-001'])?.issues.get('BE-001')?.explanation).toBe(
      `hello hello ${refused} ${refused} ${refused} -32002 written ${refused} ${refused} ${refused} ${refused} ${refused} ${refused} ${refused}`,
    )
    expect(readFileSync(join(workspace, 'new/folder/a.txt'), 'utf8')).toBe('WRITTEN')
    expect(readFileSync(beside, 'utf8')).toBe('mine\n')
    expect(existsSync(join(workspace, '../made.txt'))).toBe(false)
    expect(existsSync(join(workspace, '../x.txt'))).toBe(false)
  })

  it('writes nothing through us with read access, though it tries', async () => {
    const place = makePlace()
    const workspace = place.workspace()
    const before = snapshotOf(workspace)
    const run = await tiny(place, 'uses-files.mjs', [{ write: 'readme.md' }]).run(
      ask(challengerTask(workspace)),
    )
    expect(run.text).toContain('-32602')
    expect(snapshotOf(workspace)).toEqual(before)
  })

  it('may not read a pipe, a device or a folder', async () => {
    const place = makePlace()
    const workspace = place.workspace()
    mkdirSync(join(workspace, 'deep'))
    const fifo = join(workspace, 'pipe')
    const { execFileSync } = await import('node:child_process')
    execFileSync('mkfifo', [fifo])
    const run = await tiny(place, 'uses-files.mjs', [{ read: 'pipe' }, { read: 'deep' }]).run(
      ask(fixerTask(workspace)),
    )
    expect(run.text).toContain('-32002 -32002')
  })
})

describe('an agent that speaks ACP and fails', () => {
  const say = (answer: object) => ({ text: 'rate limit, credit balance, 429', ...answer })
  it.each<[string, object, ReturnType<typeof failed> | { ended: string }]>([
    ['401', { code: 401 }, failed('auth', /no/)],
    ['a status in its data', { code: -32_603, data: { statusCode: 429 } }, failed('rate_limited', /no/)],
    ['a refusal', say({ stopReason: 'refusal' }), failed('malformed', /refused/)],
    ['nothing', {}, failed('malformed', /without an answer/)],
    ['prose about limits', say({}), { ended: 'finished' }],
  ])('ends by codes and stop reasons when it says %s', async (_, argument, ending) => {
    const { run } = await runTiny('fails.mjs', argument)
    expect(run.ending).toEqual(ending)
  })
})

describe('a conversation over ACP', () => {
  it('goes on where the agent can load it, and what is told again does not count as said', async () => {
    const place = makePlace()
    const workspace = place.workspace()
    const agent = tiny(place, 'remembers.mjs', join(place.folder, 'memory.txt'))
    const first = await agent.run(ask(fixerTask(workspace), { prompt: 'MARK-ONE' }))
    const conversation = { id: first.conversation_id ?? '', fork: false }
    const second = await agent.run(ask(fixerTask(workspace), { prompt: 'and now?', conversation }))
    expect(second).toMatchObject({ ending: { ended: 'finished' }, conversation_id: 'session-1' })
    expect(second.text).toContain('before: MARK-ONE')
    expect(second.text).not.toContain('STALE')
  })

  it.each([
    ['does not know it', 'remembers.mjs', '/nowhere/at-all'],
    ['cannot load any', 'honest.mjs', ''],
  ])('is lost when the agent %s', async (_, program, argument) => {
    const conversation = { id: 'session-9', fork: false }
    const { run } = await runTiny(program, argument, { request: { conversation } })
    expect(run.ending).toEqual({ ...failed('crashed', /./), conversation_lost: true })
  })
})

describe('gemini --acp as any other agent that speaks ACP', () => {
  async function openGemini(scenario: readonly Step[]) {
    const place = makePlace()
    const server = await startModelServer({ kind: geminiKind, scenario })
    const gemini = join(place.folder, 'gemini-home')
    mkdirSync(join(gemini, '.gemini'), { recursive: true })
    const settings = { security: { auth: { selectedType: 'gemini-api-key' } } }
    writeFileSync(join(gemini, '.gemini/settings.json'), JSON.stringify(settings))
    const agent = tiny(place, '', '', {
      run: 'gemini --acp --skip-trust -m gemini-2.5-pro',
      env: {
        ...place.env,
        PATH: `${agentPrograms}:${place.env['PATH'] ?? ''}`,
        GEMINI_CLI_HOME: gemini,
        GEMINI_CLI_NO_RELAUNCH: 'true',
        GEMINI_API_KEY: 'dummy',
        GOOGLE_GEMINI_BASE_URL: server.url,
        NODE_COMPILE_CACHE: compiledAgents,
      },
      greetingMs: 100_000,
    })
    const workspace = place.workspace()
    const run = await agent.run(ask(fixerTask(workspace), { timeoutMs: 200_000 }))
    await server.close()
    expect(survivorsOf(place.home)).toEqual([])
    return { run, workspace }
  }

  it('fixes with its own tools, asked for permission, and ends with nothing left', async () => {
    const input = {
      file_path: 'src/total.js',
      instruction: 'fix',
      old_string: brokenCode,
      new_string: fixedCode,
    }
    const { run, workspace } = await openGemini([{ tools: [{ name: 'replace', input }] }, { text: 'done' }])
    expect(run).toMatchObject({
      ending: { ended: 'finished' },
      text: 'done',
      model: 'gemini-2.5-pro',
      tokens: 2_100,
    })
    expect(readFileSync(join(workspace, 'src/total.js'), 'utf8')).toContain(fixedCode)
  })

  it('ends in its own kind after a wrong key, and not as a timeout', async () => {
    const { run } = await openGemini([{ ...geminiError(401, 'UNAUTHENTICATED'), repeat: true }])
    expect(run.ending).toMatchObject({ ended: 'failed', kind: 'auth' })
  })
})
