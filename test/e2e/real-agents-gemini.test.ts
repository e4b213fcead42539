import { afterEach, describe, expect, it } from 'vitest'
import { survivorsOf } from '../contracts/agent-suite.ts'
import { anthropic } from '../fixtures/model-servers/anthropic.ts'
import { geminiError, geminiKind, retryInfo } from '../fixtures/model-servers/gemini.ts'
import { startModelServer, type ModelServer, type Step } from '../fixtures/model-servers/scenario.ts'
import { claudeAgent, fileIn, makeRealProject, realAgentEnv, startFixpoint } from '../fixtures/real-agents.ts'
import type { FixtureRepository } from '../fixtures/repositories.ts'

/** Three or more real CLIs one after another. */
const longMs = 150_000

const geminiAgent = '{ use: gemini, model: gemini-2.5-pro }'
const names = ['a', 'b', 'c', 'd', 'e']

const sourceOf = (name: string): string => `export function isMissing(value) {
  // ${name.repeat(3)}
  return value === NaN
}
`
const testOf = (name: string): string => `import test from 'node:test'
import assert from 'node:assert/strict'
import { isMissing } from '../src/${name}.js'
test('one is not missing in ${name}', () => assert.equal(isMissing(1), false))
`
const filesFor = (given: readonly string[]): Record<string, string> => ({
  'package.json': '{ "name": "sample", "type": "module" }\n',
  ...Object.fromEntries(given.map((name) => [`src/${name}.js`, sourceOf(name)])),
  ...Object.fromEntries(given.map((name) => [`test/${name}.test.js`, testOf(name)])),
})

const opened: { repository: FixtureRepository; servers: readonly ModelServer[] }[] = []
afterEach(async () => {
  for (const { repository, servers } of opened.splice(0)) {
    repository.dispose()
    for (const server of servers) await server.close()
  }
})

interface Opening {
  readonly files: readonly string[]
  readonly roles: Readonly<Record<'fixer' | 'challenger', string>>
  readonly gemini: readonly Step[]
  readonly claude?: readonly Step[]
}

/** A repository with one issue per file, which the built-in rules have found. */
async function open({ files, roles, gemini: geminiSteps, claude: claudeSteps = [] }: Opening) {
  const gemini = await startModelServer({ kind: geminiKind, scenario: geminiSteps })
  const claude = await startModelServer({ kind: anthropic, scenario: claudeSteps })
  const repository = makeRealProject(filesFor(files), { ...roles, reviewers: '[rules]' })
  opened.push({ repository, servers: [gemini, claude] })
  const env = {
    ...realAgentEnv(repository, { anthropic: claude }),
    GEMINI_API_KEY: 'not-a-key',
    GOOGLE_GEMINI_BASE_URL: gemini.url,
  }
  const reviewed = await startFixpoint(repository, env, 'review', '--yes', '--json').done
  expect(reviewed.exitCode, reviewed.stderr).toBe(0)
  return { repository, env, gemini, claude }
}

const reportOf = (code: string, file: string) => ({
  issues: {
    [code]: {
      outcome: 'fixed',
      files_modified: [file],
      changes_summary: 'compares as it should',
      explanation: 'NaN equals nothing',
    },
  },
})
const scores = { correctness: 95, safety: 95, minimality: 95, style_consistency: 95 }
const verdictOf = (code: string): string =>
  JSON.stringify({ issues: { [code]: { feedback: 'well done', quality_scores: scores } } })

const replace = (old_string: string, new_string: string): Step => ({
  tools: [{ name: 'replace', input: { file_path: 'src/a.js', instruction: 'fix', old_string, new_string } }],
})
const report: Step = { text: JSON.stringify(reportOf('BE-001', 'src/a.js')) }

interface Result {
  readonly branch_name: string
  readonly results: readonly Readonly<Record<string, unknown>>[]
}

describe('gemini fixes and claude challenges', { timeout: longMs }, () => {
  it('lands the fix in the second round, which was told what failed in the first', async () => {
    const { repository, env, gemini, claude } = await open({
      files: ['a'],
      roles: { fixer: geminiAgent, challenger: claudeAgent },
      gemini: [
        replace('value === NaN', 'true || value'),
        report,
        replace('true || value', 'Number.isNaN(value)'),
        report,
      ],
      claude: [{ tools: [{ name: 'StructuredOutput', input: JSON.parse(verdictOf('BE-001')) as unknown }] }],
    })
    const head = repository.git('rev-parse', 'HEAD')
    const ran = await startFixpoint(repository, env, 'fix', '--all', '--yes', '--json').done
    expect(ran.exitCode, ran.stderr + ran.stdout).toBe(0)
    const result = ran.json<Result>()
    expect(result.results).toMatchObject([
      {
        issue_code: 'BE-001',
        outcome: 'fixed',
        fix_challenger_score: 95,
        rounds: [
          { agent: { name: 'gemini', model: 'gemini-2.5-pro' }, verification: { status: 'failed' } },
          { verification: { status: 'passed' }, challenge: { status: 'accepted', agent: 'claude' } },
        ],
      },
    ])
    expect(repository.git('show', `${result.branch_name}:src/a.js`)).toContain('Number.isNaN(value)')
    expect(repository.git('rev-parse', 'HEAD')).toBe(head)
    const [first, , second] = gemini.requests
    expect(first?.raw).not.toContain('one is not missing in a')
    expect(second?.raw).toContain('one is not missing in a')
    // It is the same conversation: what was done in the first round comes before the second's prompt.
    expect(second?.raw).toContain('"new_string":"true || value"')
    expect(claude.requests[0]?.raw).toContain('Number.isNaN(value)')
    expect(survivorsOf(repository.home)).toEqual([])
  })

  it('parks the session until the quota begins anew', async () => {
    const { repository, env } = await open({
      files: ['a'],
      roles: { fixer: geminiAgent, challenger: claudeAgent },
      gemini: [{ ...geminiError(429, 'RESOURCE_EXHAUSTED', [retryInfo(3_600)]), repeat: true }],
    })
    const ran = await startFixpoint(repository, env, 'fix', '--all', '--yes', '--jsonl').done
    expect(ran.exitCode, ran.stderr + ran.stdout).toBe(4)
    expect(ran.stdout).toContain('"fix_session_parked"')
    expect(survivorsOf(repository.home)).toEqual([])
  })
})

describe('claude fixes and gemini challenges', { timeout: longMs }, () => {
  it('lands five issues in one session, each judged by the other vendor', async () => {
    const claudeSteps = names.flatMap((name) => {
      const when = new RegExp(`${name.repeat(3)}`)
      const path = `src/${name}.js`
      const call = (tool: string, input: object): Step => ({
        when,
        tools: ({ raw }) => [{ name: tool, input: { file_path: fileIn(raw, path), ...input } }],
      })
      const change = { old_string: 'value === NaN', new_string: 'Number.isNaN(value)' }
      return [
        call('Read', {}),
        call('Edit', change),
        {
          when,
          tools: ({ raw }: { readonly raw: string }) => [
            { name: 'StructuredOutput', input: reportOf(/BE-\d+/.exec(raw)?.[0] ?? '', path) },
          ],
        },
      ]
    })
    const codes = names.map((_, index) => `BE-00${index + 1}`)
    const { repository, env, gemini } = await open({
      files: names,
      roles: { fixer: claudeAgent, challenger: geminiAgent },
      gemini: codes.map((code) => ({ when: new RegExp(code), text: verdictOf(code) })),
      claude: claudeSteps,
    })
    const ran = await startFixpoint(repository, env, 'fix', '--all', '--yes', '--json').done
    expect(ran.exitCode, ran.stderr + ran.stdout).toBe(0)
    const { branch_name, results } = ran.json<Result>()
    expect(results).toHaveLength(5)
    for (const result of results)
      expect(result).toMatchObject({
        outcome: 'fixed',
        rounds: [
          { agent: { name: 'claude' }, challenge: { status: 'accepted', score: 95, agent: 'gemini' } },
        ],
      })
    for (const name of names)
      expect(repository.git('show', `${branch_name}:src/${name}.js`)).toContain('Number.isNaN(value)')
    expect(repository.git('rev-list', '--count', `main..${branch_name}`)).toBe('5')
    expect(gemini.requests).toHaveLength(5)
    for (const { raw } of gemini.requests) {
      expect(raw).toContain('Number.isNaN(value)')
      expect(raw).not.toContain('"name":"replace"')
    }
    expect(survivorsOf(repository.home)).toEqual([])
  })
})
