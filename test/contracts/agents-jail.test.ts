import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createAcpAgent } from '../../src/adapters/agents/acp/index.ts'
import { createClaudeAgent } from '../../src/adapters/agents/claude/index.ts'
import { createCodexAgent } from '../../src/adapters/agents/codex/index.ts'
import { createCommandAgent } from '../../src/adapters/agents/command/index.ts'
import { createGeminiAgent } from '../../src/adapters/agents/gemini/index.ts'
import { agentsFolder } from '../../src/adapters/agents/definition/room.ts'
import { isRenewal } from '../../src/adapters/agents/definition/lent-login.ts'
import { builtInAgents } from '../../src/adapters/agents/index.ts'
import type { Agent } from '../../src/loop/ports.ts'
import type { AgentUpdate } from '../../src/model/agent/agent.ts'
import { agentPrograms } from '../agent-clis/install.ts'
import { describeInJail, jailOf } from '../fixtures/jail.ts'
import { anthropic } from '../fixtures/model-servers/anthropic.ts'
import { geminiError, geminiKind as gemini } from '../fixtures/model-servers/gemini.ts'
import { openai } from '../fixtures/model-servers/openai.ts'
import type { ModelKind, ModelServer, Step } from '../fixtures/model-servers/scenario.ts'
import { ask, brokenCode, fixedCode, fixerTask, makePlace, survivorsOf, type Place } from './agent-suite.ts'
import { openScene, report, serve } from './cli-scene.ts'

const key = 'CANARY_KEY_81d2e7c4'
const secret = 'CANARY_FILE_3b90'

/** The parts that every agent here is made with; the walls are real. */
const common = (place: Place) => ({
  model: null,
  thinkingBudget: null,
  maxTurns: null,
  permissions: 'role' as const,
  args: [],
  configFolder: null,
  home: place.home,
  root: place.folder,
  prices: {},
  jail: jailOf({ ...place, root: place.folder }),
  allowedHosts: [],
  clis: builtInAgents.flatMap(({ cli }) => cli ?? []),
})

/** Prints all that an agent's shell can find. */
const spy =
  'env; cat /proc/*/environ /proc/*/cmdline | tr "\\0" "\\n"; cat ~/.ssh/id_x ~/.netrc; find / -xdev -name "*.sock" 2>/dev/null | head; ls -a . ~ ; cat CLAUDE.md GEMINI.md AGENTS.md .claude/settings.json src/CLAUDE.md src/GEMINI.md src/AGENTS.md src/.mcp.json; echo SPIED'

const patch = `*** Begin Patch\n*** Update File: src/total.js\n@@\n-  if (${brokenCode}) return 0\n+  if (${fixedCode}) return 0\n*** End Patch\n`

interface Vendor {
  readonly kind: ModelKind
  readonly header: string
  readonly value: string
  readonly scenario: (workspace: string) => readonly Step[]
  readonly build: (place: Place, server: ModelServer) => Agent
}

/** Claude with the variable that holds its key or token. */
const claudeWith =
  (variable: string): Vendor['build'] =>
  (place, server) =>
    createClaudeAgent({
      ...common(place),
      name: 'claude',
      program: join(agentPrograms, 'claude'),
      model: 'claude-sonnet-4-5',
      env: { ...place.env, [variable]: key, ANTHROPIC_BASE_URL: server.url, CLAUDE_CODE_MAX_RETRIES: '0' },
    })

const vendors: Readonly<Record<string, Vendor>> = {
  claude: {
    kind: anthropic,
    header: 'x-api-key',
    value: key,
    scenario: (workspace) => [
      { tools: [{ name: 'Bash', input: { command: spy, description: 'x' } }] },
      { tools: [{ name: 'Read', input: { file_path: join(workspace, 'src/total.js') } }] },
      {
        tools: [
          {
            name: 'Edit',
            input: {
              file_path: join(workspace, 'src/total.js'),
              old_string: brokenCode,
              new_string: fixedCode,
            },
          },
        ],
      },
      { text: report },
    ],
    build: claudeWith('ANTHROPIC_API_KEY'),
  },
  gemini: {
    kind: gemini,
    header: 'x-goog-api-key',
    value: key,
    scenario: () => [
      { tools: [{ name: 'run_shell_command', input: { command: spy, description: 'x' } }] },
      {
        tools: [
          {
            name: 'replace',
            input: {
              file_path: 'src/total.js',
              instruction: 'x',
              old_string: brokenCode,
              new_string: fixedCode,
            },
          },
        ],
      },
      { text: report },
    ],
    build: (place, server) =>
      createGeminiAgent({
        ...common(place),
        name: 'gemini',
        program: join(agentPrograms, 'gemini'),
        model: 'gemini-2.5-pro',
        env: { ...place.env, GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: server.url },
      }),
  },
  codex: {
    kind: openai,
    header: 'authorization',
    value: `Bearer ${key}`,
    scenario: () => [
      { tools: [{ name: 'exec_command', input: { cmd: spy } }] },
      { tools: [{ name: 'apply_patch', custom: patch }] },
      { text: report },
    ],
    build: (place, server) =>
      createCodexAgent({
        ...common(place),
        name: 'codex',
        program: join(agentPrograms, 'codex'),
        model: 'gpt-5.5',
        env: { ...place.env, OPENAI_API_KEY: key },
        args: [
          '--config',
          `model_providers.scripted={name="scripted",base_url="${server.url}/v1",env_key="OPENAI_API_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`,
          '--config',
          'model_provider="scripted"',
        ],
      }),
  },
}

/** Plants secrets of a person and of a repository that an agent must not find. */
function plant(place: Place, workspace: string): void {
  const home = place.env['HOME'] ?? ''
  mkdirSync(join(home, '.ssh'))
  writeFileSync(join(home, '.ssh/id_x'), secret)
  writeFileSync(join(home, '.netrc'), secret)
  mkdirSync(join(workspace, '.claude'))
  const hook = { hooks: [{ type: 'command', command: `touch ${workspace}/HOOKED` }] }
  writeFileSync(join(workspace, '.claude/settings.json'), JSON.stringify({ hooks: { SessionStart: [hook] } }))
  for (const name of ['CLAUDE.md', 'GEMINI.md', 'AGENTS.md', '.mcp.json'])
    for (const folder of ['', 'src']) writeFileSync(join(workspace, folder, name), 'ORDERS_OF_THE_REPOSITORY')
}

describeInJail('an agent in the jail', () => {
  it.each(Object.keys(vendors))(
    '%s fixes, with the key outside and nothing of the person or the orders of the repository in sight',
    async (name) => {
      const { kind, header, value, scenario, build } = vendors[name] as Vendor
      const scene = await openScene({ kind, scenario, build })
      plant(scene.place, scene.workspace)
      const commands = [{ name: 'spy', run: spy, timeout_ms: 1000, paths: [] }]
      const run = await scene.run({}, { verification: { commands } } as object)
      expect(run).toMatchObject({ ending: { ended: 'finished' }, text: report })
      expect(readFileSync(join(scene.workspace, 'src/total.js'), 'utf8')).toContain(fixedCode)
      const told = scene.server.requests.map(({ raw }) => raw).join('\n')
      expect(told).toContain('SPIED')
      expect(told).not.toContain(key)
      expect(told).not.toContain(secret)
      expect(told).not.toMatch(/ORDERS_OF_THE_REPOSITORY/)
      expect(JSON.stringify([run, scene.heard])).not.toContain('CANARY')
      expect(scene.server.requests.map(({ headers }) => headers[header])).toEqual(
        scene.server.requests.map(() => value),
      )
      expect(survivorsOf(scene.place.home)).toEqual([])
    },
  )

  it('Claude with the token of a subscription finds a stand-in for it, and the service gets the real one', async () => {
    const { kind, scenario } = vendors['claude'] as Vendor
    const scene = await openScene({ kind, scenario, build: claudeWith('CLAUDE_CODE_OAUTH_TOKEN') })
    const commands = [{ name: 'spy', run: spy, timeout_ms: 1000, paths: [] }]
    const run = await scene.run({}, { verification: { commands } } as object)
    expect(run).toMatchObject({ ending: { ended: 'finished' }, text: report })
    const told = scene.server.requests.map(({ raw }) => raw).join('\n')
    expect(told).toContain('SPIED')
    expect(told).not.toContain(key)
    expect(new Set(scene.server.requests.map(({ headers }) => headers['authorization']))).toEqual(
      new Set([`Bearer ${key}`]),
    )
  })

  it.each(Object.keys(vendors))('%s goes on with a conversation of an earlier run', async (name) => {
    const { kind, build } = vendors[name] as Vendor
    const place = makePlace()
    const workspace = place.workspace()
    const agent = build(place, await serve(kind, [{ text: 'FIRST-ANSWER' }, { text: report }]))
    const first = await agent.run(ask(fixerTask(workspace), { prompt: 'One.' }))
    expect(first.ending).toEqual({ ended: 'finished' })
    const conversation = { id: first.conversation_id ?? '', fork: false }
    const second = await agent.run(ask(fixerTask(workspace), { prompt: 'Two.', conversation }))
    expect(second).toMatchObject({ ending: { ended: 'finished' }, text: report })
  })

  it('a program of the person works in it, and what it tries to reach is refused and told', async () => {
    const place = makePlace()
    const workspace = place.workspace()
    const sink = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1')
    await new Promise((resolve) => sink.once('listening', resolve))
    const { port } = sink.address() as { port: number }
    let reached = 0
    sink.on('connection', () => (reached += 1))
    const script = join(place.folder, 'tools/agent.mjs')
    mkdirSync(join(place.folder, 'tools'))
    writeFileSync(
      script,
      `import http from 'node:http'
       import net from 'node:net'
       import fs from 'node:fs'
       const task = JSON.parse(fs.readFileSync(process.env.FIXPOINT_TASK, 'utf8'))
       const via = (host) => new Promise((resolve) => http.request({ host: '127.0.0.1', port: 3128, method: 'CONNECT', path: host })
         .on('connect', (answer) => resolve(answer.statusCode)).on('error', (error) => resolve(error.code)).end())
       const direct = (port) => new Promise((resolve) => net.connect(port, '127.0.0.1').on('connect', () => resolve('in')).on('error', (error) => resolve(error.code)))
       const said = [await via('evil.example:443'), await via('127.0.0.1:${port}'), await via('api.anthropic.com:22'), await via('169.254.169.254:80'), await direct(${port})]
       console.log(JSON.stringify({ said, role: task.role }))`,
    )
    const agent = createCommandAgent({
      ...common(place),
      name: 'mine',
      run: `node ${script}`,
      env: { ...place.env, ANTHROPIC_API_KEY: key },
    })
    const updates: unknown[] = []
    const run = await agent.run(ask(fixerTask(workspace), { onUpdate: (update) => updates.push(update) }))
    sink.close()
    expect(JSON.parse(run.text)).toEqual({ said: [403, 403, 403, 403, 'ECONNREFUSED'], role: 'fixer' })
    expect(reached).toBe(0)
    expect(updates.filter((update) => (update as { type: string }).type === 'refused_host')).toEqual(
      ['evil.example:443', `127.0.0.1:${port}`, 'api.anthropic.com:22', '169.254.169.254:80'].map((host) => ({
        type: 'refused_host',
        host,
      })),
    )
  })

  it('sees what a finding cites, but nothing that its program would run as configuration', async () => {
    const place = makePlace()
    const workspace = place.workspace()
    plant(place, workspace)
    const run = 'cat CLAUDE.md GEMINI.md .claude/settings.json .mcp.json'
    const agent = createCommandAgent({ ...common(place), name: 'mine', run, env: place.env })
    const task = fixerTask(workspace)
    const [first] = task.issues
    const issues = ['CLAUDE.md', '.claude/settings.json', '.mcp.json'].map((file) => ({ ...first, file }))
    const { text } = await agent.run(ask({ ...task, issues } as typeof task))
    expect(text).toBe('ORDERS_OF_THE_REPOSITORY')
  })

  it('finds no conversation of another checkout', async () => {
    const place = makePlace()
    const { build } = vendors['claude'] as Vendor
    const kept = (root: string): string => agentsFolder({ home: place.home, root })
    const other = join(kept('/another/checkout'), 'claude/projects/x')
    mkdirSync(other, { recursive: true })
    writeFileSync(join(other, 'conversation.jsonl'), secret)
    const look = 'grep -r CANARY ~; echo SPIED'
    const steps = [
      { tools: [{ name: 'Bash', input: { command: look, description: 'x' } }] },
      { text: report },
    ]
    const server = await serve(anthropic, steps)
    const commands = [{ name: 'look', run: look, timeout_ms: 1000, paths: [] }]
    const task = { ...fixerTask(place.workspace()), verification: { commands } } as object
    await build(place, server).run(ask(task as ReturnType<typeof fixerTask>))
    const told = server.requests.map(({ raw }) => raw).join('\n')
    expect(told).toContain('SPIED')
    expect(told).not.toContain(secret)
    expect(readdirSync(join(kept(place.folder), 'claude/projects'))).not.toEqual([])
  })

  it('a host that the person allows is reached', async () => {
    const place = makePlace()
    const sink = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1')
    await new Promise((resolve) => sink.once('listening', resolve))
    const { port } = sink.address() as { port: number }
    const run = `node -e 'require("http").request({host:"127.0.0.1",port:3128,method:"CONNECT",path:"127.0.0.1:${port}"}).on("connect",(a,s,head)=>{process.stdout.write(String(head));s.on("data",(d)=>process.stdout.write(String(d)))}).end()'`
    const agent = createCommandAgent({
      ...common(place),
      allowedHosts: [`127.0.0.1:${port}`],
      name: 'mine',
      run,
      env: place.env,
    })
    expect((await agent.run(ask(fixerTask(place.workspace())))).text).toBe('reached')
    sink.close()
  })

  it('an agent that speaks ACP works in it', async () => {
    const place = makePlace()
    const workspace = place.workspace()
    const program = join(import.meta.dirname, '../fixtures/acp-agents/honest.mjs')
    const agent = createAcpAgent({
      ...common(place),
      name: 'tiny',
      run: `exec node "${program}" ''`,
      env: place.env,
    })
    const run = await agent.run(ask(fixerTask(workspace)))
    expect(run.ending).toEqual({ ended: 'finished' })
    expect(readFileSync(join(workspace, 'src/total.js'), 'utf8')).toContain(fixedCode)
    expect(survivorsOf(place.home)).toEqual([])
  })

  it('gemini --acp, which says nothing while it asks an overloaded service again, is heard to wait', async () => {
    const place = makePlace()
    const server = await serve(gemini, [{ ...geminiError(503, 'UNAVAILABLE'), repeat: true }])
    const settings = { security: { auth: { selectedType: 'gemini-api-key' } } }
    const agent = createAcpAgent({
      ...common(place),
      name: 'gemini',
      run: `mkdir -p ~/.gemini && echo '${JSON.stringify(settings)}' > ~/.gemini/settings.json && ${join(agentPrograms, 'gemini')} --acp --skip-trust -m gemini-2.5-pro`,
      env: {
        ...place.env,
        GEMINI_CLI_NO_RELAUNCH: 'true',
        GEMINI_API_KEY: key,
        GOOGLE_GEMINI_BASE_URL: server.url,
      },
    })
    const patience = new AbortController()
    const heard: unknown[] = []
    const onUpdate = (update: AgentUpdate): void => {
      if (update.type !== 'waiting') return
      heard.push(update)
      patience.abort()
    }
    const request = { timeoutMs: 100_000, signal: patience.signal, onUpdate }
    const run = await agent.run(ask(fixerTask(place.workspace()), request))
    expect(run.ending).toMatchObject({ ended: 'failed', kind: 'cancelled' })
    expect(heard[0]).toEqual({
      type: 'waiting',
      kind: 'overloaded',
      reason: 'its service answered 503',
      ms: 0,
    })
  })
})

describeInJail('a login in the jail', () => {
  const inHome = (place: Place, path: string): string => join(place.env['HOME'] ?? '', path)
  const made = (place: Place, run: string): Agent =>
    createCommandAgent({ ...common(place), name: 'mine', run, env: place.env })
  const login = (expiresAt: number, accessToken: string): string =>
    JSON.stringify({ claudeAiOauth: { accessToken, refreshToken: 'r', expiresAt } })
  const soon = Date.now() + 60_000

  it('is there for the CLI alone: the credential file, without settings or history', async () => {
    const place = makePlace()
    mkdirSync(inHome(place, '.claude'), { recursive: true })
    writeFileSync(inHome(place, '.claude/.credentials.json'), '{"login":true}')
    writeFileSync(inHome(place, '.claude/settings.json'), secret)
    writeFileSync(inHome(place, '.claude.json'), `{"oauthAccount":"${secret}"}`)
    const run =
      'ls -A ~/.claude; cat ~/.claude/.credentials.json ~/.claude/settings.json ~/.claude.json 2>/dev/null'
    const asClaude = await made(place, `: claude; ${run}`).run(ask(fixerTask(place.workspace())))
    expect(asClaude.text).toBe('.credentials.json\n{"login":true}')
    const asOther = await made(place, run.replaceAll('.claude', '.cl""aude')).run(
      ask(fixerTask(place.workspace())),
    )
    expect(asOther.text).toBe('')
  })

  it.each([
    ['in its place', (text: string) => `echo '${text}' > ~/.claude/.credentials.json`],
    [
      'by a new file',
      (text: string) => `echo '${text}' > ~/.claude/new && mv ~/.claude/new ~/.claude/.credentials.json`,
    ],
  ])('that is renewed %s is taken back', async (_, write) => {
    const place = makePlace()
    const file = inHome(place, '.claude/.credentials.json')
    mkdirSync(inHome(place, '.claude'), { recursive: true })
    writeFileSync(file, login(soon, 'old'), { mode: 0o600 })
    await made(place, `: claude; ${write(login(soon + 60_000, 'new'))}`).run(
      ask(fixerTask(place.workspace())),
    )
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(login(soon + 60_000, 'new')))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(inHome(place, '.claude'))).toEqual(['.credentials.json'])
  })

  it.each([
    ['broken', 'echo broken > F'],
    ['older', `echo '${login(soon - 1, 'older')}' > F`],
    ['for ever', `echo '${login(soon * 9, 'ever')}' > F`],
    ['a link', 'rm F; ln -s /etc/passwd F'],
    ['gone', 'rm -rf ~/.claude/* ~/.claude/.cred*'],
  ])('that comes back %s changes nothing', async (_, command) => {
    const place = makePlace()
    const file = inHome(place, '.claude/.credentials.json')
    mkdirSync(inHome(place, '.claude'), { recursive: true })
    writeFileSync(file, login(soon, 'old'))
    const line = `: claude; ${command.replaceAll('F', '~/.claude/.credentials.json')}`
    await made(place, line).run(ask(fixerTask(place.workspace())))
    expect(readFileSync(file, 'utf8')).toBe(login(soon, 'old'))
  })

  it('that two runs renew is the one that holds longest', async () => {
    const place = makePlace()
    const file = inHome(place, '.claude/.credentials.json')
    mkdirSync(inHome(place, '.claude'), { recursive: true })
    writeFileSync(file, login(soon, 'old'))
    await Promise.all(
      [3, 9, 6].map((minutes) =>
        made(
          place,
          `: claude; echo '${login(soon + minutes * 60_000, `new-${minutes}`)}' > ~/.claude/.credentials.json`,
        ).run(ask(fixerTask(place.workspace()))),
      ),
    )
    expect(readFileSync(file, 'utf8')).toContain('new-9')
  })

  it('of another account is not taken', () => {
    const token = (sub: string, exp: number): string =>
      `ey.${Buffer.from(JSON.stringify({ sub, exp })).toString('base64url')}.s`
    const auth = (sub: string, exp: number): object => ({ tokens: { id_token: token(sub, exp) } })
    expect(isRenewal(auth('me', soon / 1000), auth('me', soon / 1000 + 60))).toBe(true)
    expect(isRenewal(auth('me', soon / 1000), auth('evil', soon / 1000 + 60))).toBe(false)
  })

  it('by a key in the file of the Gemini CLI: the key stays outside', async () => {
    const { kind, scenario, header } = vendors['gemini'] as Vendor
    const scene = await openScene({
      kind,
      scenario,
      build: (place, server) => {
        mkdirSync(inHome(place, '.gemini'), { recursive: true })
        writeFileSync(inHome(place, '.gemini/.env'), `export GEMINI_API_KEY="${key}"\n`)
        const env = { ...place.env, GOOGLE_GEMINI_BASE_URL: server.url }
        const program = join(agentPrograms, 'gemini')
        return createGeminiAgent({ ...common(place), name: 'gemini', program, model: 'gemini-2.5-pro', env })
      },
    })
    const run = await scene.run()
    expect(run.ending).toEqual({ ended: 'finished' })
    expect(scene.server.requests.map(({ raw }) => raw).join('\n')).not.toContain(key)
    expect(scene.server.requests.every(({ headers }) => headers[header] === key)).toBe(true)
  })
})

describeInJail('what an agent used', () => {
  it.each([
    ['is stopped', 'cancelled', 100_000],
    ['takes too long', 'timeout', 15_000],
  ])('is counted on its way to the model, also when it never tells and %s', async (_, kind, timeoutMs) => {
    const place = makePlace()
    const server = await serve(anthropic, [{ text: 'one', usage: { input_tokens: 700 } }, { text: 'two' }])
    const body = JSON.stringify({ model: 'claude-sonnet-4-5', messages: [], stream: false, max_tokens: 9 })
    const agent = createCommandAgent({
      ...common(place),
      name: 'mine',
      run: `node -e 'fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", headers: { "content-type": "application/json" }, body: process.argv[1] }).then((r) => r.text()).then(() => setInterval(() => {}, 1000))' '${body}'`,
      prices: { 'claude-sonnet-4-5': { input_usd: 1000, cached_input_usd: 0, output_usd: 0 } },
      env: { ...place.env, ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: server.url },
    })
    const stop = new AbortController()
    const run = await agent.run(
      ask(fixerTask(place.workspace()), {
        timeoutMs,
        signal: stop.signal,
        onUpdate: ({ type }) => type === 'usage' && kind === 'cancelled' && stop.abort(),
      }),
    )
    expect(run.ending).toMatchObject({ ended: 'failed', kind })
    expect(run.tokens).toBeGreaterThanOrEqual(700)
    expect(run).toMatchObject({ cost_estimated: true })
    expect(run.cost_usd).toBeGreaterThan(0)
  })
})
