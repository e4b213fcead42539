import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { noJail } from '../../loop/ports.ts'
import { resolveConfig } from '../../model/config/config.ts'
import { WrittenConfig } from '../../model/config/settings.ts'
import { claudeDefinition } from '../../adapters/agents/claude/definition.ts'
import { setUpAgent } from '../../adapters/agents/definition/setup.ts'
import { builtInAgents } from '../../adapters/agents/index.ts'
import { buildAgents, readRuleSetup } from './build-agents.ts'
import { listCommands } from '../config/repository-commands.ts'

const folder = mkdtempSync(join(tmpdir(), 'fixpoint-agents-'))
afterAll(() => rmSync(folder, { recursive: true }))
const program = join(folder, 'claude')
writeFileSync(program, '#!/bin/sh\n')
chmodSync(program, 0o755)

const written = (agents: object): WrittenConfig => WrittenConfig.parse({ agents })
const build = (agents: object) =>
  buildAgents({
    config: resolveConfig(builtInAgents, written(agents)),
    kinds: builtInAgents,
    rules: { files: [], levels: {}, exclude: [] },
    root: folder,
    home: folder,
    env: { PATH: folder },
    record: null,
    jail: noJail,
  })

test('an agent that is not installed gives way to the next of its role', () => {
  const agents = build({ challenger: { use: 'codex', fallback: ['claude', 'rules'] } })
  expect(agents.forRole('challenger').map(({ agent }) => agent.name)).toEqual(['claude', 'rules'])
})

test('a role that nobody can take is a fault that says how to get the first', () => {
  const agents = build({ fixer: 'codex', reviewers: ['claude', 'codex'] })
  expect(() => agents.forRole('fixer')).toThrow(/codex is not installed/)
  expect(() => agents.forRole('reviewer')).toThrow(/codex is not installed/)
})

test('a CLI sees what it needs, what was named for it, and no other secret', () => {
  const [config] = [
    resolveConfig(builtInAgents, written({ fixer: { use: 'claude', env: ['MY_KEY'], home: '~/own' } })).agents
      .fixer,
  ]
  const env = { PATH: folder, HOME: '/home/user', ANTHROPIC_API_KEY: 'a', MY_KEY: 'b', OPENAI_API_KEY: 'c' }
  const shared = { jail: noJail, allowedHosts: ['example.com'], clis: [] }
  const machine = {
    env,
    home: '/fixpoint',
    root: '/root',
    prices: {},
    rules: { files: [], levels: {}, exclude: [] },
    ...shared,
  }
  expect(setUpAgent(claudeDefinition, config, machine)).toEqual({
    name: 'claude',
    program,
    run: '',
    root: '/root',
    prices: {},
    rules: { files: [], levels: {}, exclude: [] },
    ...shared,
    maxTurns: null,
    model: null,
    thinkingBudget: null,
    permissions: 'role',
    args: [],
    env: { PATH: folder, HOME: '/home/user', ANTHROPIC_API_KEY: 'a', MY_KEY: 'b' },
    configFolder: '/home/user/own',
    home: '/fixpoint',
  })
})

test('what a repository would widen for a CLI needs trust', () => {
  const fixer = {
    use: 'claude',
    args: ['--add-dir', '/'],
    home: '/own',
    env: ['TOKEN'],
    permissions: 'bypass',
  }
  expect(listCommands(written({ fixer }), builtInAgents)).toEqual(
    [
      'claude --add-dir /',
      'claude sees TOKEN',
      'claude with the configuration of /own',
      'claude without any limits to what it may do',
    ].map((run) => ({ key: 'agents.fixer', run })),
  )
  expect(listCommands(written({ fixer: { use: 'claude', model: 'opus' } }), builtInAgents)).toEqual([])
})

test.each([
  [{ use: 'rules', args: ['x'] }, /rules takes no "args"/],
  [{ use: 'rules', env: ['X'] }, /starts no program/],
  [{ use: 'command', run: 'x', permissions: 'bypass' }, /command takes no "permissions"/],
  [{ use: 'codex', max_turns: 3 }, /codex cannot be told/],
])('%j is refused', (fixer, message) => {
  expect(() => resolveConfig(builtInAgents, written({ fixer }))).toThrow(message)
})

test('a pipe in the place of a rule file is refused, and keeps nobody waiting', async () => {
  execFileSync('mkfifo', [join(folder, 'rules.yaml')])
  const { review } = resolveConfig(
    builtInAgents,
    WrittenConfig.parse({ review: { rule_files: ['rules.yaml'] } }),
  )
  await expect(readRuleSetup({ review }, folder)).rejects.toThrow('rules.yaml cannot be read: it is no file')
})
