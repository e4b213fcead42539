import { describe, expect, test } from 'vitest'
import { processorMs } from '../../../../test/fixtures/processor-time.ts'
import { own } from '../../../loop/own-text.ts'
import {
  authTypeOf,
  geminiArguments,
  geminiEnvironment,
  geminiPolicy,
  geminiSettings,
  plainPrompt,
  subAgentFile,
} from './command.ts'
import { parseGeminiLine } from './parse.ts'

const run = { access: 'write', model: null, policyFile: '/p.toml', conversation: null, args: [] } as const

describe('what is started', () => {
  test('a fixer edits by itself, everybody else reads', () => {
    expect(geminiArguments(run).slice(3, 7)).toEqual(['--approval-mode', 'auto_edit', '--policy', '/p.toml'])
    expect(geminiArguments({ ...run, access: 'read' })).toContain('default')
  })

  test('its limits are off only where the person said so', () => {
    expect(geminiArguments({ ...run, policyFile: null })).toContain('yolo')
    expect(geminiArguments(run)).not.toContain('yolo')
  })

  test('the model, the conversation and more arguments follow in this order', () => {
    const args = geminiArguments({ ...run, model: 'pro', conversation: { resume: 'id' }, args: ['--debug'] })
    expect(args.slice(-5)).toEqual(['--model', 'pro', '--resume', 'id', '--debug'])
    expect(geminiArguments({ ...run, conversation: { copyOf: '/f' } }).slice(-2)).toEqual([
      '--session-file',
      '/f',
    ])
  })

  test('its home and its temporary files are its own, whatever the environment says', () => {
    const env = { GEMINI_CLI_HOME: '/mine', TMPDIR: '/tmp', PATH: '/bin' }
    expect(geminiEnvironment(env, { home: '/h', tmp: '/h/tmp' })).toEqual({
      GEMINI_CLI_HOME: '/h',
      GEMINI_CLI_NO_RELAUNCH: 'true',
      NO_COLOR: '1',
      PATH: '/bin',
      TMPDIR: '/h/tmp',
    })
  })
})

describe('what its tools may do', () => {
  const toolsOf = (policy: string): readonly unknown[] => {
    const [allowed = '', denied] = policy.split('\n\n')
    expect(denied).toBe('[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1\n')
    expect(allowed).toMatch(/^\[\[rule\]\]\ntoolName = \[[^\n]+\]\ndecision = "allow"\npriority = 100$/)
    return JSON.parse(/\[".*"\]/.exec(allowed)?.[0] ?? '[]') as readonly unknown[]
  }

  const helper = { name: 'helper', description: 'helps', prompt: own`Help.` }

  test('it is allowed only the tools that are named', () => {
    expect(toolsOf(geminiPolicy('read', []))).not.toContain('replace')
    expect(toolsOf(geminiPolicy('write', []))).toEqual(
      expect.arrayContaining(['read_file', 'replace', 'write_file', 'run_shell_command']),
    )
    expect(toolsOf(geminiPolicy('write', []))).not.toContain('invoke_agent')
    expect(toolsOf(geminiPolicy('read', [helper]))).toContain('invoke_agent')
  })
})

describe('its settings', () => {
  const given = { authType: null, model: null, thinkingBudget: null, maxTurns: null }

  test('retries, telemetry, updates and files of the repository are off', () => {
    expect(geminiSettings(given)).toMatchObject({
      general: { maxAttempts: 1, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      advanced: { ignoreLocalEnv: true },
    })
  })

  test.each([
    ['gemini-2.5-pro', 10_000, { thinkingBudget: 10_000 }],
    ['gemini-3-pro-preview', 10_000, { thinkingLevel: 'HIGH' }],
    ['gemini-3.8-flash', 1_000, { thinkingLevel: 'LOW' }],
  ])('%s thinks with %i tokens, in its own words', (model, thinkingBudget, thinkingConfig) => {
    const modelConfig = { generateContentConfig: { thinkingConfig } }
    expect(geminiSettings({ ...given, model, thinkingBudget })['modelConfigs']).toEqual({
      customOverrides: [{ match: { model }, modelConfig }],
    })
  })

  test.each<[unknown, Record<string, string>, string | null]>([
    [null, {}, null],
    [null, { GEMINI_API_KEY: 'k' }, 'gemini-api-key'],
    [null, { GOOGLE_GENAI_USE_VERTEXAI: 'true', GEMINI_API_KEY: 'k' }, 'vertex-ai'],
    [{ security: { auth: { selectedType: 'oauth-personal' } } }, { GEMINI_API_KEY: 'k' }, 'oauth-personal'],
    [{ security: [] }, { GEMINI_API_KEY: 'k' }, 'gemini-api-key'],
  ])('the person with the settings %j and %j logs in by %s', (own, env, type) => {
    expect(authTypeOf(own, env)).toBe(type)
  })

  test('a sub-agent is a file with a head that holds any name and any words', () => {
    expect(subAgentFile({ name: '../a b', description: 'x: "y"\nz', prompt: own`Do.` })).toEqual({
      file: '---a-b.md',
      text: '---\nname: "../a b"\ndescription: "x: \\"y\\"\\nz"\n---\nDo.\n',
    })
  })
})

describe('the prompt', () => {
  const there = new Set(['readme.md', 'src', 'a b.txt', 'fixer-one'])
  const plain = (prompt: string): string => plainPrompt(prompt, (name) => there.has(name))

  test.each([
    ['@Injectable() a@b.c @', '@Injectable() a@b.c @'],
    ['see @readme.md.', 'see \\@readme.md.'],
    ['(@src) and @src/none', '(\\@src) and @src/none'],
    ['@"a b.txt" @a\\ b.txt', '\\@"a b.txt" \\@a\\ b.txt'],
    ['\\@readme.md', '\\@readme.md'],
    ['@generalist, @fixer-one', '\\@generalist, \\@fixer-one'],
    ['/quit', 'Task: /quit'],
  ])('%j is sent as %j', (prompt, sent) => {
    expect(plain(prompt)).toBe(sent)
  })

  test('takes no longer for hostile text', async () => {
    const took = await processorMs(() => {
      plain('@'.repeat(200_000) + '"'.repeat(1_000))
      plain('@"'.repeat(5_000))
    })
    expect(took).toBeLessThan(2_000)
  })
})

test.each(['', 'null', '[1]', '{"type":"result"', '{"type":"later"}', '{"type":"init"}', 'Warning: {'])(
  'the line %j is no event',
  (line) => {
    expect(parseGeminiLine(line)).toBeNull()
  },
)

test('a result with figures that are none is still a result', () => {
  expect(
    parseGeminiLine('{"type":"result","status":"success","stats":{"total_tokens":"many","models":7}}'),
  ).toEqual({
    type: 'result',
    status: 'success',
    stats: { total_tokens: 0, models: {} },
  })
})
