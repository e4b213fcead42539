import { builtInAgents } from '../../adapters/agents/index.ts'
import { expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import { unusedAgents } from './agents.ts'
import { defaultConfig, WrittenConfig } from './settings.ts'
import { mergeWritten, resolveConfig, type Config } from './config.ts'

const written = (value: unknown): WrittenConfig => WrittenConfig.parse(value)
const rules = {
  name: 'rules',
  use: 'rules',
  run: null,
  model: null,
  thinking_budget: null,
  fallback: [],
} as const

test('without any layer every value is there', () => {
  expect(resolveConfig(builtInAgents)).toEqual({
    verify: { strategy: 'affected', concurrency: 8, commands: [] },
    workspace: { setup: null, share: [], path: null, allowed_extra_paths: [] },
    classes: { BE: [], FE: [], GEN: [] },
    agents: {
      fixer: { ...rules, timeout_ms: 900_000 },
      challenger: { ...rules, timeout_ms: 120_000 },
      reviewers: [{ ...rules, timeout_ms: 900_000 }],
      clarifier: { ...rules, timeout_ms: 900_000 },
      planner: { ...rules, timeout_ms: 900_000 },
      reproducer: { ...rules, timeout_ms: 900_000 },
      pr_reviewers: [{ ...rules, timeout_ms: 900_000 }],
    },
    fix: {
      strategy: 'isolated',
      max_rounds: 3,
      concurrency: 4,
      budget_usd: null,
      issue_budget_usd: null,
      budget_tokens: null,
      issue_budget_tokens: null,
      patience_ms: 120_000,
      max_batch_points: 15,
      max_batch_issues: 5,
      max_session_tokens: 150_000,
      clarify: 'off',
      scope: 'related',
      unattended: 'hold',
      assisted_by: true,
    },
    tamper: { protected: [] },
    conventions: [],
    evidence: { reproduce: 'auto' },
    review: { scanners: [], rules: {}, rule_files: [], exclude: [] },
    github: {
      repository: null,
      api_url: null,
      app: { id: null, private_key_file: null, webhook_secret: null },
      remote: 'origin',
      review: { threshold: 80 },
      pull_request: { draft: true, labels: ['fixpoint'] },
      leftovers: { publish: 'manual', severity: ['critical', 'major'], labels: ['tech-debt'] },
    },
    artifacts: { url: 'folder', retention_ms: 864_000_000 },
    prices: {},
    challenge: { enabled: true, threshold: 90 },
    land: { min_evidence: 'E1' },
    sandbox: { mode: 'auto', allow_hosts: [] },
    server: { allow_hosts: [], mirrors_gb: 20, trusted_proxy: { header: 'X-Forwarded-Email', from: [] } },
    limits: { per_repository: 4, per_provider: {}, per_worker: 4 },
  } satisfies Config)
})

test('the defaults are themselves a valid file', () => {
  expect(WrittenConfig.parse(defaultConfig)).toEqual(defaultConfig)
})

test('commands get five minutes, paths one spelling, prices a cached price', () => {
  const config = resolveConfig(
    builtInAgents,
    written({
      verify: {
        commands: [
          { name: 'test', run: 'npm test' },
          { name: 'lint', run: 'x', timeout: '1m30s', paths: ['./web/'] },
        ],
      },
      workspace: { share: ['./node_modules/'], path: './packages/a//' },
      review: { scanners: [{ name: 'eslint', run: 'npx eslint -f json .' }] },
      prices: { m: { input_usd: 1, output_usd: 2 } },
    }),
  )
  expect(config.verify.commands).toEqual([
    { name: 'test', run: 'npm test', timeout_ms: 300_000, paths: [] },
    { name: 'lint', run: 'x', timeout_ms: 90_000, paths: ['web'] },
  ])
  expect(config.workspace).toEqual({
    setup: null,
    share: ['node_modules'],
    path: 'packages/a',
    allowed_extra_paths: [],
  })
  expect(config.review.scanners).toEqual([
    {
      name: 'eslint',
      run: 'npx eslint -f json .',
      format: null,
      map: null,
      timeout_ms: 300_000,
      network: false,
    },
  ])
  expect(config.prices).toEqual({ m: { input_usd: 1, cached_input_usd: 1, output_usd: 2 } })
})

test('a role follows names, keeps what is nearest, and hands its timeout to its fallbacks', () => {
  const { fixer, challenger } = resolveConfig(
    builtInAgents,
    written({
      agents: {
        fixer: { use: 'mine', timeout: '1m', fallback: ['codex', { use: 'mine', timeout: '5s' }] },
        challenger: 'mine',
        mine: { use: 'base', model: 'small' },
        base: { use: 'command', run: 'node agent.mjs', model: 'large', timeout: '3m' },
      },
    }),
  ).agents
  const mine = { name: 'mine', use: 'command', run: 'node agent.mjs', model: 'small', thinking_budget: null }
  const codex = {
    name: 'codex',
    use: 'codex',
    run: null,
    model: null,
    thinking_budget: null,
    timeout_ms: 60_000,
  }
  expect(fixer).toEqual({ ...mine, timeout_ms: 60_000, fallback: [codex, { ...mine, timeout_ms: 5_000 }] })
  expect(challenger).toEqual({ ...mine, timeout_ms: 180_000, fallback: [] })
})

test('reviewers think by default, as much as their vendor is good for; a written budget wins', () => {
  const { reviewers } = resolveConfig(
    builtInAgents,
    written({ agents: { reviewers: ['claude', 'gemini', 'codex', { use: 'claude', thinking_budget: 0 }] } }),
  ).agents
  expect(reviewers.map((reviewer) => reviewer.thinking_budget)).toEqual([20_000, 10_000, null, 0])
})

test('later layers win key by key, lists as a whole, and nothing of another agent sticks', () => {
  const merged = mergeWritten(
    written({
      fix: { max_rounds: 1, concurrency: 2 },
      conventions: ['a', 'b'],
      agents: { fixer: { use: 'claude', model: 'opus' } },
    }),
    written({ fix: { max_rounds: 5 }, conventions: ['c'], agents: { fixer: 'codex' } }),
  )
  expect(merged).toEqual({
    fix: { max_rounds: 5, concurrency: 2 },
    conventions: ['c'],
    agents: { fixer: 'codex' },
  })
})

test('a key of a role without "use" keeps the agent below it', () => {
  const upper = { agents: { fixer: { timeout: '1m' } } } as unknown as WrittenConfig
  expect(mergeWritten(written({ agents: { fixer: 'claude' } }), upper).agents).toEqual({
    fixer: { use: 'claude', timeout: '1m' },
  })
})

test.each<[string, unknown, string]>([
  [
    'an unknown agent',
    { fixer: 'claud' },
    'agents.fixer: "claud" is neither a built-in agent nor one that is named under agents',
  ],
  ['a circle', { fixer: 'a', a: { use: 'a' } }, 'agents.a.use: "a" leads back to a itself'],
  [
    'a command without a program',
    { fixer: 'command' },
    'agents.fixer: command needs "run": a program to start',
  ],
  [
    'a replay without a recording',
    { fixer: { use: 'replay' } },
    'agents.fixer.use: replay needs "run": the folder of a recorded run',
  ],
  [
    'a program for a built-in agent',
    { fixer: { use: 'rules', run: 'x' } },
    'agents.fixer.run: rules takes no "run"; acp, command and replay do',
  ],
  [
    'a model for rules',
    { challenger: { use: 'r', model: 'x' }, r: { use: 'rules' } },
    'agents.challenger.model: rules uses no model',
  ],
  [
    'a built-in name',
    { fixer: 'claude', claude: { use: 'gemini' } },
    'agents.claude: this is the name of a built-in agent; choose another one',
  ],
  [
    'an unknown fallback',
    { fixer: { use: 'claude', fallback: ['x'] } },
    'agents.fixer.fallback.0: "x" is neither a built-in agent nor one that is named under agents',
  ],
])('%s is refused', (_, agents, message) => {
  expect(() => resolveConfig(builtInAgents, written({ agents }))).toThrow(
    expect.objectContaining({ code: 'config_invalid', message }),
  )
})

test('an issue may not cost more than its session', () => {
  expect(() =>
    resolveConfig(builtInAgents, written({ fix: { budget_usd: 5, issue_budget_usd: 6 } })),
  ).toThrow(Fault)
})

test('an agent is used when any layer refers to it, and not by referring to itself', () => {
  const lower = written({ agents: { fixer: 'a', a: { use: 'b' }, b: { use: 'rules' } } }).agents ?? {}
  const upper = written({ agents: { fixer: 'rules', c: { use: 'c' } } }).agents ?? {}
  expect(unusedAgents(lower, [lower, upper])).toEqual([])
  expect(unusedAgents(upper, [lower, upper])).toEqual(['c'])
})
