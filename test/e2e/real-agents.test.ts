import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { anthropic, anthropicError } from '../fixtures/model-servers/anthropic.ts'
import { openai } from '../fixtures/model-servers/openai.ts'
import {
  startModelServer,
  type ModelRequest,
  type ModelServer,
  type Step,
} from '../fixtures/model-servers/scenario.ts'
import {
  claudeAgent,
  codexAgent,
  fileIn,
  makeRealProject,
  realAgentEnv,
  startFixpoint,
} from '../fixtures/real-agents.ts'
import type { FixtureRepository } from '../fixtures/repositories.ts'
import { survivorsOf } from '../contracts/agent-suite.ts'

const files = {
  'package.json': '{ "name": "sample", "type": "module" }\n',
  'src/number.js': 'export function isMissing(value) {\n  return value === NaN\n}\n',
  'test/number.test.js': `import test from 'node:test'
import assert from 'node:assert/strict'
import { isMissing } from '../src/number.js'
test('one is not missing', () => assert.equal(isMissing(1), false))
`,
}

const opened: { repository: FixtureRepository; servers: readonly ModelServer[] }[] = []
afterEach(async () => {
  for (const { repository, servers } of opened.splice(0)) {
    repository.dispose()
    for (const server of servers) await server.close()
  }
})

/** One repository with one issue, which the built-in rules have found; claude fixes it, codex judges. */
async function open(fixer: readonly Step[], challenger: readonly Step[] = [], more = '') {
  const claude = await startModelServer({ kind: anthropic, scenario: fixer })
  const codex = await startModelServer({ kind: openai, scenario: challenger })
  const repository = makeRealProject(
    files,
    { fixer: claudeAgent, challenger: codexAgent(codex), reviewers: '[rules]' },
    more,
  )
  opened.push({ repository, servers: [claude, codex] })
  const env = realAgentEnv(repository, { anthropic: claude, openai: codex })
  const reviewed = await startFixpoint(repository, env, 'review', '--yes', '--json').done
  expect(reviewed.exitCode, reviewed.stderr).toBe(0)
  return { repository, env, claude, codex }
}

const call = (name: string, input: (path: string) => object): Step => ({
  tools: ({ raw }) => [{ name, input: input(fileIn(raw, 'src/number.js')) }],
})
const read = call('Read', (file_path) => ({ file_path }))
const edit = (old_string: string, new_string: string): Step =>
  call('Edit', (file_path) => ({ file_path, old_string, new_string }))
const report: Step = {
  tools: [
    {
      name: 'StructuredOutput',
      input: {
        issues: {
          'BE-001': {
            outcome: 'fixed',
            files_modified: ['src/number.js'],
            changes_summary: 'compares as it should',
            explanation: 'NaN equals nothing',
          },
        },
      },
    },
  ],
}
const scores = { correctness: 95, safety: 95, minimality: 95, style_consistency: 95 }
const verdict: Step = {
  text: JSON.stringify({ issues: { 'BE-001': { feedback: 'well done', quality_scores: scores } } }),
}

interface Result {
  readonly branch_name: string
  readonly results: readonly Readonly<Record<string, unknown>>[]
}

describe('claude fixes and codex challenges', () => {
  it('lands the fix in the second round, which was told what failed in the first', async () => {
    const { repository, env, claude, codex } = await open(
      [
        read,
        edit('value === NaN', 'true || value'),
        report,
        read,
        edit('true || value', 'Number.isNaN(value)'),
        report,
      ],
      [verdict],
    )
    const head = repository.git('rev-parse', 'HEAD')
    const ran = await startFixpoint(repository, env, 'fix', '--all', '--yes', '--json').done
    expect(ran.exitCode, ran.stderr).toBe(0)
    const result = ran.json<Result>()
    expect(result.results).toMatchObject([
      {
        issue_code: 'BE-001',
        outcome: 'fixed',
        challenged: true,
        fix_challenger_score: 95,
        rounds: [
          { agent: { name: 'claude', model: 'claude-sonnet-4-5' }, verification: { status: 'failed' } },
          { verification: { status: 'passed' }, challenge: { status: 'accepted', agent: 'codex' } },
        ],
      },
    ])
    expect(repository.git('show', `${result.branch_name}:src/number.js`)).toContain('Number.isNaN(value)')
    expect(repository.git('rev-parse', 'HEAD')).toBe(head)
    const second = claude.requests[3]?.raw ?? ''
    expect(second).toContain('one is not missing')
    // It is the same conversation: what was said and done in the first round comes before the second's prompt.
    expect(second).toContain('"new_string":"true || value"')
    expect(sessionOf(claude.requests[3])).toMatch(/^[0-9a-f-]{36}$/)
    expect(sessionOf(claude.requests[3])).toBe(sessionOf(claude.requests[0]))
    expect(second).toMatch(/exit(ed with)? code 1|exit code: 1/i)
    expect(codex.requests[0]?.raw).toContain('Number.isNaN(value)')
    expect(survivorsOf(repository.home)).toEqual([])
  })
})

describe('fixpoint agents', () => {
  it('says what is installed, what it logs in with and who has which role, and shows no key', async () => {
    const { repository, env } = await open([])
    const ran = await startFixpoint(
      repository,
      { ...env, ANTHROPIC_API_KEY: 'sk-ant-SECRET' },
      'agents',
      '--json',
    ).done
    expect(ran.exitCode, ran.stderr).toBe(0)
    expect(ran.stdout).not.toContain('SECRET')
    const { agents, roles } = ran.json<{ agents: object[]; roles: object[] }>()
    expect(agents).toMatchObject([
      {
        name: 'claude',
        version: '2.1.325',
        tested_version: '2.1.325',
        login: 'ANTHROPIC_API_KEY',
        hint: null,
      },
      {
        name: 'gemini',
        version: '0.61.0',
        logged_in: false,
        hint: expect.stringContaining('GEMINI_API_KEY'),
      },
      { name: 'codex', version: '0.166.0', logged_in: false, hint: expect.stringContaining('codex login') },
      { name: 'rules', hint: null },
    ])
    expect(roles).toMatchObject([
      { role: 'reviewer', name: 'rules', available: true, reason: null },
      { role: 'clarifier', name: 'claude' },
      { role: 'planner', name: 'claude' },
      { role: 'fixer', name: 'claude', model: 'claude-sonnet-4-5', is_fallback: false, available: true },
      { role: 'challenger', name: 'codex', available: false, reason: expect.stringContaining('codex login') },
    ])
  })
})

describe('a session of claude', () => {
  it('ends when there is no credit', async () => {
    const { repository, env } = await open([
      { ...anthropicError(400, 'invalid_request_error', 'Your credit balance is too low.'), repeat: true },
    ])
    const ran = await startFixpoint(repository, env, 'fix', '--all', '--yes', '--jsonl').done
    expect(ran.exitCode, ran.stderr).toBe(4)
    expect(ran.stdout).toContain('"fix_billing_error"')
    expect(survivorsOf(repository.home)).toEqual([])
  })

  it('waits for the limit to be refilled', async () => {
    const reset = Math.floor(Date.now() / 1000) + 3600
    const headers = {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(reset),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    }
    const { repository, env } = await open([
      { ...anthropicError(429, 'rate_limit_error', 'limit', { headers }), repeat: true },
    ])
    const login = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-not-a-token' }
    const ran = await startFixpoint(repository, { ...env, ...login }, 'fix', '--all', '--yes', '--jsonl').done
    expect(ran.exitCode, ran.stderr).toBe(4)
    expect(ran.stdout).toContain('"fix_session_parked"')
    expect(ran.stdout).toContain(new Date(reset * 1000).toISOString())
  })

  const runsForever: readonly Step[] = [
    { tools: [{ name: 'Bash', input: { command: 'tail -f src/number.js', description: 'wait' } }] },
    { hang: 'silent', repeat: true },
  ]
  const toolRuns = async (repository: FixtureRepository): Promise<void> => {
    const isTail = (pid: string): boolean => commandOf(pid).startsWith('tail\0')
    await expect.poll(() => survivorsOf(repository.home).some(isTail), { timeout: 30_000 }).toBe(true)
  }

  it('leaves nothing behind when it is stopped at once in the middle of a tool', async () => {
    const { repository, env } = await open(runsForever)
    const { child, done } = startFixpoint(repository, env, 'fix', '--all', '--yes', '--json')
    const saidStopping = new Promise((resolve) =>
      child.stderr?.on('data', (chunk: Buffer) => chunk.includes('Ctrl-C again') && resolve(null)),
    )
    await toolRuns(repository)
    child.kill('SIGINT')
    await saidStopping
    child.kill('SIGINT')
    expect((await done).exitCode).toBe(130)
    expect(survivorsOf(repository.home)).toEqual([])
  })

  it('is swept up by the next start when Fixpoint itself was killed', async () => {
    const { repository, env } = await open(runsForever)
    const { child, done } = startFixpoint(repository, env, 'fix', '--all', '--yes', '--json')
    await toolRuns(repository)
    child.kill('SIGKILL')
    await done
    expect(survivorsOf(repository.home)).not.toEqual([])
    await startFixpoint(repository, env, 'doctor', '--fix').done
    expect(survivorsOf(repository.home)).toEqual([])
  })
})

/** The conversation that a request of claude belongs to, as it tells its service. */
const sessionOf = (request: ModelRequest | undefined): string =>
  /session_[\w-]*?([0-9a-f]{8}-[0-9a-f-]{27})/.exec(request?.raw ?? '')?.[1] ??
  String(request?.headers['x-claude-code-session-id'])

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return '' // ended meanwhile
  }
}
