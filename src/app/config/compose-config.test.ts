import { describe, expect, test } from 'vitest'
import { reportFormatNames } from '../../adapters/findings/formats.ts'
import { Fault } from '../../model/fault.ts'
import { listSettings } from './sources.ts'
import { composeConfig } from './compose-config.ts'
import type { ConfigInputs } from './layers.ts'

const formatNames = `${reportFormatNames.slice(0, -1).join(', ')} or ${reportFormatNames.at(-1)}`

const inputs = (text: string | null, more: Partial<ConfigInputs> = {}): ConfigInputs => ({
  repository: text === null ? null : { name: 'fixpoint.yaml', text },
  user: null,
  env: {},
  flags: [],
  ...more,
})

function linesOf(given: ConfigInputs): readonly string[] {
  try {
    composeConfig(given)
    return []
  } catch (error) {
    if (error instanceof Fault && error.code === 'config_invalid') return error.message.split('\n')
    throw error
  }
}

describe('the problems of a file', () => {
  test.each<[string, readonly string[]]>([
    ['fix:\n  max_round: 2', ['fixpoint.yaml:2:3  fix.max_round: unknown key; did you mean fix.max_rounds?']],
    [
      'concurency: 2',
      ['fixpoint.yaml:1:1  concurency: unknown key; did you mean verify.concurrency or fix.concurrency?'],
    ],
    ['land: { zzz: 1 }', ['fixpoint.yaml:1:9  land.zzz: unknown key; known here: min_evidence']],
    [
      'fix: { max_rounds: three }',
      ['fixpoint.yaml:1:20  fix.max_rounds: expected a whole number, found "three"'],
    ],
    ['fix: { max_rounds: 1.5 }', ['fixpoint.yaml:1:20  fix.max_rounds: expected a whole number, found 1.5']],
    ['fix: { max_rounds: -1 }', ['fixpoint.yaml:1:20  fix.max_rounds: expected 0 or more, found -1']],
    ['fix: { concurrency: 65 }', ['fixpoint.yaml:1:21  fix.concurrency: expected 64 or less, found 65']],
    ['fix: { budget_usd: }', ['fixpoint.yaml:1:20  fix.budget_usd: expected a number, found nothing']],
    [
      'fix: { assisted_by: yes }',
      ['fixpoint.yaml:1:21  fix.assisted_by: expected true or false, found "yes"'],
    ],
    [
      'fix: { strategy: isolate }',
      [
        'fixpoint.yaml:1:18  fix.strategy: expected isolated, sequential or single-call, found "isolate"; did you mean isolated?',
      ],
    ],
    ['fix: [1]', ['fixpoint.yaml:1:6  fix: expected a mapping of keys to values, found a list']],
    [
      'fix: { budget_usd: 5, issue_budget_usd: 6 }',
      [
        'fixpoint.yaml:1:41  fix.issue_budget_usd: one issue may not cost more than the session (fix.budget_usd: 5)',
      ],
    ],
    [
      'challenge: { threshold: 101 }',
      ['fixpoint.yaml:1:25  challenge.threshold: expected 100 or less, found 101'],
    ],
    [
      'challenge: { threshold: .nan }',
      ['fixpoint.yaml:1:25  challenge.threshold: expected a number, found NaN'],
    ],
    ['sandbox: on', ['fixpoint.yaml:1:10  sandbox: expected off, auto or required, found "on"']],
    [
      'conventions: docs/style.md',
      ['fixpoint.yaml:1:14  conventions: expected a list, found "docs/style.md"'],
    ],
    [
      'artifacts: { retention: 10 }',
      ['fixpoint.yaml:1:25  artifacts.retention: expected a duration such as 15m, 90s or 1h30m, found 10'],
    ],
    [
      'artifacts: { url: ftp://x }',
      ['fixpoint.yaml:1:19  artifacts.url: expected "folder" or s3://bucket/prefix, found "ftp://x"'],
    ],
    [
      'workspace: { share: [/abs] }',
      [
        'fixpoint.yaml:1:22  workspace.share[0]: expected a path inside the repository: relative to its root, without "..", found "/abs"',
      ],
    ],
    [
      'workspace: { share: [a/../../b] }',
      [
        'fixpoint.yaml:1:22  workspace.share[0]: expected a path inside the repository: relative to its root, without "..", found "a/../../b"',
      ],
    ],
    [
      'workspace: { share: [.git] }',
      [
        'fixpoint.yaml:1:22  workspace.share[0]: expected a file or folder that git ignores, such as node_modules, found ".git"',
      ],
    ],
    [
      'verify: { commands: [{ name: a, run: "  " }] }',
      ['fixpoint.yaml:1:38  verify.commands[0].run: must not be empty'],
    ],
    [
      'verify: { commands: [{ name: a, run: x, timeout: 25d }] }',
      ['fixpoint.yaml:1:50  verify.commands[0].timeout: expected 24 days at most, found "25d"'],
    ],
    [
      'verify: { commands: [npm test] }',
      ['fixpoint.yaml:1:22  verify.commands[0]: expected a mapping of keys to values, found "npm test"'],
    ],
    ['verify:\n  commands:\n    - run: x', ['fixpoint.yaml:3:7  verify.commands[0].name: is required']],
    [
      'verify: { commands: [{ name: a, run: x }, { name: a, run: y }] }',
      ['fixpoint.yaml:1:51  verify.commands[1].name: the name "a" is taken by an earlier entry'],
    ],
    [
      'review: { scanners: [{ name: a, run: x, format: sarf }] }',
      [
        `fixpoint.yaml:1:49  review.scanners[0].format: expected ${formatNames}, found "sarf"; did you mean sarif?`,
      ],
    ],
    ['prices: { m: { input_usd: 1 } }', ['fixpoint.yaml:1:14  prices.m.output_usd: is required']],
    [
      'agents: { fixer: 7 }',
      ['fixpoint.yaml:1:18  agents.fixer: expected an agent\'s name or a mapping with "use", found 7'],
    ],
    [
      'agents: { fixer: claud }',
      [
        'fixpoint.yaml:1:18  agents.fixer: "claud" is neither a built-in agent nor one that is named under agents; did you mean claude?',
      ],
    ],
    ['agents: { fixer: { model: opus } }', ['fixpoint.yaml:1:18  agents.fixer.use: is required']],
    [
      'agents: { fixer: { use: command } }',
      ['fixpoint.yaml:1:25  agents.fixer.use: command needs "run": a program to start'],
    ],
    [
      'agents: { chalenger: gemini }',
      ['fixpoint.yaml:1:11  agents.chalenger: unknown key; did you mean agents.challenger?'],
    ],
    [
      'agents: { chalenger: { use: gemini } }',
      ['fixpoint.yaml:1:11  agents.chalenger: no role uses this agent; did you mean agents.challenger?'],
    ],
    [
      'agents: { mine: { use: gemini } }',
      ['fixpoint.yaml:1:11  agents.mine: no role uses this agent; refer to it from a role, or remove it'],
    ],
    [
      'agents: { fixer: a, a: { use: b }, b: { use: a } }',
      [
        'fixpoint.yaml:1:31  agents.a.use: "b" leads back to a itself',
        'fixpoint.yaml:1:46  agents.b.use: "a" leads back to b itself',
      ],
    ],
    [
      '__proto__: { a: 1 }',
      [
        'fixpoint.yaml:1:1  __proto__: unknown key; known here: verify, workspace, classes, agents, fix, tamper, conventions, evidence, review, github, artifacts, prices, challenge, land, sandbox, server, limits',
      ],
    ],
    [
      '"\\e[31m\\u202e": 1',
      [
        'fixpoint.yaml:1:1  \\u{1b}[31m\\u{202e}: unknown key; known here: verify, workspace, classes, agents, fix, tamper, conventions, evidence, review, github, artifacts, prices, challenge, land, sandbox, server, limits',
      ],
    ],
  ])('%j', (text, lines) => {
    expect(linesOf(inputs(text))).toEqual(lines)
  })

  test.each<[string, readonly string[]]>([
    ['a: 1\nb: 2\na: 3', ['fixpoint.yaml:3:1  a: is given twice in one mapping']],
    ['fix:\n\tmax_rounds: 1', ['fixpoint.yaml:2:1  is not YAML: Tabs are not allowed as indentation']],
    ['fix: {}\n---\nfix: {}', ['fixpoint.yaml:2:1  expected one YAML document, found a second one']],
    ['- 1', ['fixpoint.yaml:1:1  expected settings such as "verify:", found a list']],
    ['just words', ['fixpoint.yaml:1:1  expected settings such as "verify:", found "just words"']],
    ['[['.repeat(20_000), [expect.stringContaining('is nested too deeply')]],
    ['fix: *nowhere', [expect.stringContaining('fixpoint.yaml:1:1  its aliases cannot be followed')]],
    ['agents: &a\n  fixer: *a', ['fixpoint.yaml:1:1  an alias leads back to itself']],
    [
      bomb(),
      [
        'fixpoint.yaml:1:1  its aliases cannot be followed: Excessive alias count indicates a resource exhaustion attack',
      ],
    ],
  ])('of syntax, %#', (text, lines) => {
    expect(linesOf(inputs(text))).toEqual(lines)
  })

  test('are told all at once, from top to bottom, those of the whole too', () => {
    const text =
      'sandbox: on\nagents:\n  fixer: claud\n  challenger: { use: command }\nfix:\n  max_rounds: x\n  stategy: isolated\n'
    expect(linesOf(inputs(text, { env: { FIXPOINT_LAND_MIN_EVIDENCE: 'E9' } }))).toEqual([
      'fixpoint.yaml:1:10  sandbox: expected off, auto or required, found "on"',
      'fixpoint.yaml:3:10  agents.fixer: "claud" is neither a built-in agent nor one that is named under agents; did you mean claude?',
      'fixpoint.yaml:4:22  agents.challenger.use: command needs "run": a program to start',
      'fixpoint.yaml:6:15  fix.max_rounds: expected a whole number, found "x"',
      'fixpoint.yaml:7:3  fix.stategy: unknown key; did you mean fix.strategy?',
      'FIXPOINT_LAND_MIN_EVIDENCE  land.min_evidence: expected E0, E1, E2, E3 or E4, found "E9"',
    ])
  })

  test('are told once: an agent whose own entry is at fault is not missed by its users', () => {
    const text = 'agents:\n  fixer: mine\n  mine: { use: command, run: "" }\n'
    expect(linesOf(inputs(text))).toEqual(['fixpoint.yaml:3:30  agents.mine.run: must not be empty'])
  })

  test('do not flood', () => {
    const text = Array.from({ length: 3_000 }, (_, index) => `key${index}: 1`).join('\n')
    const lines = linesOf(inputs(text))
    expect(lines.length).toBe(51)
    expect(lines.at(-1)).toBe('… and 2950 more')
  })
})

test.each(['', '# nothing yet\n', '---\n', '\r\n'])('a file without settings is fine: %j', (text) => {
  expect(linesOf(inputs(text))).toEqual([])
})

test('lines end as they like, and a value may come through an alias', () => {
  const text = 'fix:\r\n  budget_usd: &much 5\r\n  issue_budget_usd: *much\r\nland: { min: 1 }\r\n'
  expect(linesOf(inputs(text))).toEqual([
    'fixpoint.yaml:4:9  land.min: unknown key; known here: min_evidence',
  ])
})

test('a file with every key loads, and every key of it counts', () => {
  const text = `
verify:    { strategy: each, concurrency: 2, commands: [{ name: test, run: npm test, timeout: 5m, paths: ["src/**"] }] }
workspace: { setup: npm ci, share: [node_modules], path: packages/frontend, allowed_extra_paths: [packages/shared] }
classes:   { BE: ["server/**"], FE: ["web/**"], GEN: ["docs/**"] }
agents:
  fixer:      { use: claude, model: opus, thinking_budget: 20000, timeout: 15m }
  challenger: { use: gemini, thinking_budget: 10000, timeout: 2m, fallback: [codex] }
  reviewers:  [claude, { use: gemini, thinking_budget: 10000 }, my-agent]
  pr_reviewers: [claude, gemini]
  clarifier:  codex
  planner:    { use: acp, run: my-acp-agent }
  reproducer: codex
  my-agent:   { use: command, run: node my-agent.mjs }
fix:       { strategy: sequential, max_rounds: 3, concurrency: 4, budget_usd: 20, issue_budget_usd: 5, budget_tokens: 900000, issue_budget_tokens: 90000, clarify: assume, max_batch_points: 15, max_batch_issues: 5, max_session_tokens: 150000, patience: 2m, scope: repository, unattended: hold, assisted_by: true }
tamper:    { protected: ["db/schema.sql"] }
conventions: [docs/style.md]
evidence:  { reproduce: false }
github:    { repository: o/r, api_url: "https://github.example.com/api/v3", remote: upstream, review: { threshold: 70 }, pull_request: { draft: false, labels: [bot] }, leftovers: { publish: auto, severity: [minor], labels: [debt] } }
review:    { scanners: [{ name: eslint, run: npx eslint -f json ., format: eslint }], rules: { js/negative-length: off }, rule_files: [rules/own.yml], exclude: ["old/**"] }
artifacts: { retention: 10d }
prices:    { }
challenge: { enabled: true, threshold: 90 }
land:      { min_evidence: E1 }
sandbox:   { mode: required, allow_hosts: [example.com, "localhost:8080"] }
`
  const { sources } = composeConfig(inputs(text))
  const others = [...sources].filter(([, { source }]) => source !== 'repository').map(([key]) => key)
  expect(others).toEqual([
    'github.app.id',
    'github.app.private_key_file',
    'github.app.webhook_secret',
    'artifacts.url',
    'server.allow_hosts',
    'server.mirrors_gb',
    'server.trusted_proxy.header',
    'server.trusted_proxy.from',
    'limits.per_repository',
    'limits.per_provider',
    'limits.per_worker',
  ])
})

test('the App and its secrets are the person’s: a repository that names them is refused, and nobody is shown the secret', () => {
  const app = 'github: { app: { id: 1, private_key_file: /k.pem, webhook_secret: a-secret-of-16-letters } }'
  expect(() => composeConfig(inputs(app))).toThrow(
    /github\.app\.webhook_secret: is not taken from a repository/,
  )
  const own = composeConfig(inputs(null, { user: { name: 'config.yaml', text: app } }))
  expect(own.config.github.app).toEqual({
    id: 1,
    private_key_file: '/k.pem',
    webhook_secret: 'a-secret-of-16-letters',
  })
  expect(JSON.stringify(listSettings(own.config, own.sources))).not.toContain('a-secret')
})

describe('variables and flags', () => {
  test('are read as the type of their setting', () => {
    const { config } = composeConfig(
      inputs(null, {
        env: {
          FIXPOINT_FIX_MAX_ROUNDS: '2',
          FIXPOINT_FIX_BUDGET_USD: '0.5',
          FIXPOINT_CHALLENGE_ENABLED: 'false',
          FIXPOINT_EVIDENCE_REPRODUCE: 'true',
          FIXPOINT_WORKSPACE_SHARE: 'node_modules, .venv',
          FIXPOINT_WORKSPACE_SETUP: '[ -f x ] || npm ci',
          FIXPOINT_VERIFY_COMMANDS: '[{ name: test, run: npm test }]',
          FIXPOINT_PRICES: '{ m: { input_usd: 1, output_usd: 2 } }',
          FIXPOINT_SANDBOX: 'off',
          FIXPOINT_HOME: '/home',
          FIXPOINT_TOKEN: 'x',
          FIXPOINT_TASK: 'x',
          PATH: '/bin',
        },
      }),
    )
    expect(config.fix).toMatchObject({ max_rounds: 2, budget_usd: 0.5 })
    expect(config.challenge.enabled).toBe(false)
    expect(config.workspace).toMatchObject({ share: ['node_modules', '.venv'], setup: '[ -f x ] || npm ci' })
    expect(config.verify.commands.map((command) => command.run)).toEqual(['npm test'])
    expect(config.prices['m']?.output_usd).toBe(2)
    expect(config.sandbox.mode).toBe('off')
    expect(config.evidence.reproduce).toBe(true)
  })

  test('E4 cannot be the bar where nobody may reproduce anything', () => {
    const text = 'land: { min_evidence: E4 }\nevidence: { reproduce: false }'
    expect(linesOf(inputs(text))).toEqual([
      'fixpoint.yaml:2:24  evidence.reproduce: nothing could ever land: land.min_evidence: E4 asks for a test that a reproducer wrote',
    ])
    expect(linesOf(inputs('evidence: { reproduce: perhaps }'))).toEqual([
      'fixpoint.yaml:1:24  evidence.reproduce: expected auto, true or false, found "perhaps"',
    ])
  })

  test('change single keys of a role and keep the rest, or change the agent and keep nothing', () => {
    const text = 'agents: { fixer: { use: claude, model: opus, timeout: 1m } }'
    const byKey = composeConfig(inputs(text, { env: { FIXPOINT_AGENTS_FIXER_TIMEOUT: '2m' } }))
    expect(byKey.config.agents.fixer).toMatchObject({ use: 'claude', model: 'opus', timeout_ms: 120_000 })
    const whole = composeConfig(
      inputs(text, { flags: [{ where: '--fixer', key: 'agents.fixer', value: 'codex' }] }),
    )
    expect(whole.config.agents.fixer).toMatchObject({ use: 'codex', model: null, timeout_ms: 900_000 })
    const both = composeConfig(
      inputs(text, { env: { FIXPOINT_AGENTS_FIXER_MODEL: 'm', FIXPOINT_AGENTS_FIXER: 'codex' } }),
    )
    expect(both.config.agents.fixer).toMatchObject({ use: 'codex', model: 'm', timeout_ms: 900_000 })
  })

  test.each<[Record<string, string>, readonly string[]]>([
    [{ FIXPOINT_SANDBX: 'off' }, ['FIXPOINT_SANDBX  unknown setting; did you mean FIXPOINT_SANDBOX?']],
    [
      { FIXPOINT_MAX_ROUNDS: '1' },
      ['FIXPOINT_MAX_ROUNDS  unknown setting; did you mean FIXPOINT_FIX_MAX_ROUNDS?'],
    ],
    [{ FIXPOINT_QQQQQQ: '1' }, ['FIXPOINT_QQQQQQ  unknown setting']],
    [
      { FIXPOINT_FIX_MAX_ROUNDS: 'many' },
      ['FIXPOINT_FIX_MAX_ROUNDS  fix.max_rounds: expected a whole number, found "many"'],
    ],
    [
      { FIXPOINT_FIX_BUDGET_USD: '' },
      ['FIXPOINT_FIX_BUDGET_USD  fix.budget_usd: expected a number, found nothing'],
    ],
    [
      { FIXPOINT_CHALLENGE_ENABLED: '1' },
      ['FIXPOINT_CHALLENGE_ENABLED  challenge.enabled: expected true or false, found "1"'],
    ],
    [
      { FIXPOINT_VERIFY_COMMANDS: '[{' },
      ['FIXPOINT_VERIFY_COMMANDS  verify.commands[0]: expected a mapping of keys to values, found "[{"'],
    ],
    [
      { FIXPOINT_AGENTS_FIXER: 'command' },
      ['FIXPOINT_AGENTS_FIXER  agents.fixer: command needs "run": a program to start'],
    ],
  ])('%j is refused', (env, lines) => {
    expect(linesOf(inputs(null, { env }))).toEqual(lines)
  })

  test('a flag that is wrong is named as it was typed', () => {
    const flags = [{ where: '--threshold', key: 'challenge.threshold', value: '200' }]
    expect(linesOf(inputs(null, { flags }))).toEqual([
      '--threshold  challenge.threshold: expected 100 or less, found 200',
    ])
  })
})

test('flags beat variables beat the repository beat the user beat the defaults, and each value knows its source', () => {
  const { config, sources } = composeConfig({
    user: {
      name: '/home/me/config.yaml',
      text: 'fix: { max_rounds: 1, concurrency: 1, budget_usd: 1, max_batch_points: 1 }',
    },
    repository: { name: 'fixpoint.yaml', text: 'fix:\n  max_rounds: 2\n  concurrency: 2\n  budget_usd: 2\n' },
    env: { FIXPOINT_FIX_MAX_ROUNDS: '3', FIXPOINT_FIX_CONCURRENCY: '3' },
    flags: [{ where: '--max-fix-cycles', key: 'fix.max_rounds', value: 4 }],
  })
  expect(config.fix).toMatchObject({
    max_rounds: 4,
    concurrency: 3,
    budget_usd: 2,
    max_batch_points: 1,
    max_batch_issues: 5,
  })
  expect(sources.get('fix.max_rounds')).toEqual({ source: 'flag', where: '--max-fix-cycles' })
  expect(sources.get('fix.concurrency')).toEqual({ source: 'env', where: 'FIXPOINT_FIX_CONCURRENCY' })
  expect(sources.get('fix.budget_usd')).toEqual({ source: 'repository', where: 'fixpoint.yaml:4:3' })
  expect(sources.get('fix.max_batch_points')).toEqual({ source: 'user', where: '/home/me/config.yaml:1:54' })
  expect(sources.get('fix.max_batch_issues')).toEqual({ source: 'default', where: null })
})

describe('the sandbox', () => {
  const sandboxOf = (repository: string, user: string | null, env = {}) => {
    const text = user === null ? null : { name: 'u', text: `sandbox: ${user}` }
    const { config, notices } = composeConfig(inputs(`sandbox: ${repository}`, { user: text, env }))
    return { sandbox: config.sandbox.mode, notices }
  }
  const notice = (asked: string, holds: string) =>
    `fixpoint.yaml:1:10  sandbox.mode: ${asked} is not taken from a repository, ${holds} holds; set FIXPOINT_SANDBOX_MODE=${asked} or your own configuration to loosen it`

  test.each<[string, string | null, string, readonly string[]]>([
    ['required', null, 'required', []],
    ['required', 'off', 'required', []],
    ['auto', 'off', 'auto', []],
    ['off', null, 'auto', [notice('off', 'auto')]],
    ['auto', 'required', 'required', [notice('auto', 'required')]],
    ['off', 'off', 'off', []],
  ])('a repository that says %s to a person who says %s gets %s', (repository, user, sandbox, notices) => {
    expect(sandboxOf(repository, user)).toEqual({ sandbox, notices })
  })

  test('is loosened by a variable, whatever the repository says', () => {
    expect(sandboxOf('required', 'required', { FIXPOINT_SANDBOX: 'off' })).toEqual({
      sandbox: 'off',
      notices: [],
    })
  })
})

test('a bare word in the place of the sandbox sets its mode, and leaves the hosts of another layer alone', () => {
  const user = { name: 'u', text: 'sandbox: { allow_hosts: [example.com] }' }
  const { config } = composeConfig(inputs('sandbox: required', { user, env: { FIXPOINT_SANDBOX: 'auto' } }))
  expect(config.sandbox).toEqual({ mode: 'auto', allow_hosts: ['example.com'] })
  expect(() => composeConfig(inputs('sandbox: { allow_hosts: ["http://x"] }'))).toThrow(
    /sandbox\.allow_hosts\[0\]: expected a host such as example\.com/,
  )
  expect(() => composeConfig(inputs('sandbox: 5'))).toThrow(
    /sandbox: expected off, auto or required, found 5/,
  )
})

test("an agent of the user's file may be used by the repository's", () => {
  const user = { name: 'u', text: 'agents: { fixer: mine, mine: { use: command, run: x } }' }
  const { config } = composeConfig(inputs('agents: { fixer: claude, challenger: mine }', { user }))
  expect(config.agents.challenger).toMatchObject({ name: 'mine', use: 'command', run: 'x' })
})

function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 9; level += 1)
    lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ')}]`)
  return lines.join('\n')
}
