import { noJail } from '../../../loop/ports.ts'
import { expect, test } from 'vitest'
import { sampleTask } from '../../../../test/fixtures/attempt-samples.ts'
import { own } from '../../../loop/own-text.ts'
import { codexCommand, strictSchema, toml, type CodexFiles, type CodexOptions } from './command.ts'

const words = (text: string): readonly string[] => text.split(' ')

const options: CodexOptions = {
  name: 'codex',
  program: '/bin/codex',
  model: 'gpt-5.5',
  thinkingBudget: 20_000,
  permissions: 'role',
  args: ['--config', 'a="b"'],
  env: { HOME: '/home/user' },
  jail: noJail,
  allowedHosts: [],
  configFolder: '/own',
  home: '/fixpoint',
  root: '/checkout',
  prices: {},
}
const task = sampleTask({ workspace: '/work"space' })
const none: CodexFiles = { schema: null, roles: new Map(), temporary: '/run/tmp' }
const isolated = [
  ...words('--json --skip-git-repo-check --ignore-user-config --disable=plugins --disable=apps'),
  ...words('--config analytics.enabled=false --config check_for_update_on_startup=false'),
  ...words('--config approval_policy="never" --config web_search="disabled"'),
  ...words('--config project_doc_max_bytes=0'),
  '--config',
  String.raw`projects={"/work\"space"={trust_level="untrusted"}}`,
]

test('a fixer writes in its workspace, thinks hard, and reads its prompt from stdin', () => {
  expect(codexCommand(options, { task, prompt: own`Do it.` }, none)).toEqual({
    command: '/bin/codex',
    args: [
      ...words('exec'),
      ...isolated,
      ...words('--config model_reasoning_effort="high"'),
      ...words('--config sandbox_mode="workspace-write" --model gpt-5.5 --config a="b" -'),
    ],
    cwd: '/work"space',
    env: { HOME: '/home/user', TMPDIR: '/run/tmp', CODEX_HOME: '/own' },
    stdin: 'Do it.',
  })
})

test('a challenger reads and answers by the schema, in a conversation that is not kept', () => {
  const asked = { task: { ...task, role: 'challenger', access: 'read' } as const, prompt: own`` }
  const { args } = codexCommand({ ...options, args: [] }, asked, { ...none, schema: '/schema.json' })
  expect(args?.slice(-8)).toEqual([
    ...words('--config sandbox_mode="read-only" --model gpt-5.5'),
    ...words('--output-schema /schema.json --ephemeral -'),
  ])
})

test.each([
  [false, 'resume'],
  [true, 'fork'],
])('a conversation is continued (copy: %s)', (fork, verb) => {
  const asked = { task, prompt: own``, conversation: { id: 'old-id', fork } }
  const { args } = codexCommand(options, asked, none)
  expect(args?.slice(0, 2)).toEqual(['exec', verb])
  expect(args?.slice(-2)).toEqual(['old-id', '-'])
})

test('the sandbox is off only when that is configured', () => {
  const { args } = codexCommand({ ...options, permissions: 'bypass' }, { task, prompt: own`` }, none)
  expect(args).toContain('--dangerously-bypass-approvals-and-sandbox')
  expect(args?.join(' ')).not.toContain('sandbox_mode')
})

test('each sub-agent is a role with a file of instructions', () => {
  const subagents = [{ name: 'one', description: 'says "hi"\n', prompt: own`p` }]
  const files = { ...none, roles: new Map([['one', '/role.toml']]) }
  const { args } = codexCommand(options, { task, prompt: own``, subagents }, files)
  expect(args).toContain(String.raw`agents.one={description="says \"hi\"\n",config_file="/role.toml"}`)
})

test('settings are written so that they are read as they are', () => {
  expect(toml('a"b\\c\n\u007F\u0001é')).toBe(String.raw`"a\"b\\c\n\u007f\u0001é"`)
})

test('objects are closed, all properties required, choices typed, at every depth', () => {
  const schema = {
    type: 'object',
    properties: {
      outcome: { enum: ['fixed', 'blocked'] },
      files: { type: 'array', items: { type: 'object', properties: { path: { type: 'string' } } } },
    },
    required: ['outcome'],
  }
  expect(strictSchema(schema)).toEqual({
    type: 'object',
    properties: {
      outcome: { type: 'string', enum: ['fixed', 'blocked'] },
      files: {
        type: 'array',
        items: {
          type: 'object',
          properties: { path: { type: 'string' } },
          required: ['path'],
          additionalProperties: false,
        },
      },
    },
    required: ['outcome', 'files'],
    additionalProperties: false,
  })
})

test.each([
  [{ type: 'object', additionalProperties: { type: 'string' } }],
  [{ type: 'object', properties: {}, additionalProperties: true }],
  [{ type: 'array' }],
  [{ type: 'object', properties: { a: { anyOf: [] } } }],
  [{ enum: [1, 'a'] }],
])('%j cannot be made strict', (schema) => {
  expect(strictSchema(schema)).toBeNull()
})
