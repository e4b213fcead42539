import { noJail } from '../../../loop/ports.ts'
import { describe, expect, test } from 'vitest'
import { sampleTask } from '../../../../test/fixtures/attempt-samples.ts'
import { own } from '../../../loop/own-text.ts'
import type { AgentRequest } from '../../../loop/ports.ts'
import { claudeCommand, type ClaudeOptions } from './command.ts'

const words = (text: string): readonly string[] => text.split(' ')

const options: ClaudeOptions = {
  name: 'claude',
  program: '/bin/claude',
  model: null,
  thinkingBudget: null,
  maxTurns: null,
  permissions: 'role',
  args: [],
  env: { HOME: '/home/user', CLAUDE_CODE_MAX_RETRIES: '7' },
  jail: noJail,
  allowedHosts: [],
  prices: {},
  configFolder: null,
  home: '/fixpoint',
  root: '/checkout',
}
const task = sampleTask()
const fixed = [
  '--print',
  '--output-format=stream-json',
  '--verbose',
  '--setting-sources=',
  '--strict-mcp-config',
]
const writing = ['--permission-mode=acceptEdits', '--tools=Read,Grep,Glob,Bash,Edit,Write']

const command = (given: Partial<ClaudeOptions> = {}, asked: Partial<AgentRequest> = {}) =>
  claudeCommand({ ...options, ...given }, { task, prompt: own`Do it.`, ...asked }, 'new-id')
const argsOf = (...given: Parameters<typeof command>): readonly string[] => command(...given).args ?? []

describe('the arguments', () => {
  test('of a fixer let it edit, in a conversation that can be continued', () => {
    expect(argsOf()).toEqual([...fixed, '--disable-slash-commands', ...writing, '--session-id', 'new-id'])
  })

  test('of a challenger let it read, in a conversation that is not kept', () => {
    expect(argsOf({}, { task: { ...task, role: 'challenger', access: 'read' } })).toEqual([
      ...fixed,
      ...words('--disable-slash-commands --permission-mode=dontAsk --tools=Read,Grep,Glob,Bash'),
      ...words('--session-id new-id --no-session-persistence'),
    ])
  })

  test('allow the verification commands with write access only', () => {
    const verification = { commands: [{ name: 'test', run: 'npm test, (all)' }], result: null }
    const allowed = ['--settings', '{"permissions":{"allow":["Bash(npm test, (all))"]}}']
    expect(argsOf({}, { task: { ...task, verification } })).toEqual(expect.arrayContaining(allowed))
    expect(argsOf({}, { task: { ...task, access: 'read', verification } })).not.toContain('--settings')
  })

  test('lift all limits only when that is configured', () => {
    expect(argsOf({ permissions: 'bypass' })).toContain('--permission-mode=bypassPermissions')
  })

  test('carry model, effort, limits, schema and what was configured, the last of all', () => {
    const given = { model: 'opus', thinkingBudget: 20_000, maxTurns: 9, args: ['--verbose'] }
    const asked = { budgetUsd: 1.5, task: { ...task, output_schema: { type: 'object' } } }
    const args = argsOf(given, asked)
    expect(args.slice(args.indexOf('--model'))).toEqual([
      ...words('--model opus --effort high --session-id new-id --max-turns 9'),
      ...words('--max-budget-usd 1.5 --json-schema {"type":"object"} --verbose'),
    ])
  })

  test.each([
    [false, ['--resume', 'old-id']],
    [true, ['--resume', 'old-id', '--fork-session', '--session-id', 'new-id']],
  ])('continue a conversation (copy: %s)', (fork, args) => {
    expect(argsOf({}, { conversation: { id: 'old-id', fork } }).slice(-args.length)).toEqual(args)
  })

  test('define the sub-agents and let it start them', () => {
    const args = argsOf({}, { subagents: [{ name: 'one', description: 'd', prompt: own`p` }] })
    expect(args).toContain('--tools=Read,Grep,Glob,Bash,Edit,Write,Agent')
    expect(args[args.indexOf('--agents') + 1]).toBe('{"one":{"description":"d","prompt":"p"}}')
  })
})

test('a prompt is never a command of the CLI, but for the one that shortens a conversation', () => {
  const conversation = { id: 'old-id', fork: false }
  expect(command({}, { prompt: own`/compact` }).stdin).toBe('\n/compact')
  expect(command({}, { prompt: own`/compacted`, conversation }).stdin).toBe('\n/compacted')
  expect(command({}, { prompt: own`/compact`, conversation: { ...conversation, fork: true } }).stdin).toBe(
    '\n/compact',
  )
  const compaction = command({}, { prompt: own`/compact keep it`, conversation })
  expect(compaction.stdin).toBe('/compact keep it')
  expect(compaction.args).not.toContain('--disable-slash-commands')
})

test('the environment switches off what is not needed; how often to try again is the person’s to say', () => {
  const { env } = command({ thinkingBudget: 5000, configFolder: '/own' })
  expect(env).toEqual({
    HOME: '/home/user',
    CLAUDE_CODE_MAX_RETRIES: '7',
    CLAUDE_CONFIG_DIR: '/own',
    MAX_THINKING_TOKENS: '5000',
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
  })
  expect(command({ env: {} }).env).toMatchObject({ CLAUDE_CODE_MAX_RETRIES: '3' })
})
