import { afterEach, describe, expect, it } from 'vitest'
import { survivorsOf } from '../contracts/agent-suite.ts'
import { anthropic, anthropicError } from '../fixtures/model-servers/anthropic.ts'
import { openai } from '../fixtures/model-servers/openai.ts'
import {
  startModelServer,
  type ModelKind,
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

/** Several real CLIs one after another, on a busy machine. */
const longMs = 150_000

const names = ['a', 'b', 'c']
const sourceOf = (name: string): string =>
  `export function isMissing(value) {\n  // ${name.repeat(3)}\n  return value === NaN\n}\n`
const testsOf = (name: string): string => `import test from 'node:test'
import assert from 'node:assert/strict'
import { isMissing } from '../src/${name}.js'
test('one is not missing in ${name}', () => assert.equal(isMissing(1), false))
test('two is not missing in ${name}', () => assert.equal(isMissing(2), false))
`

const opened: { repository: FixtureRepository; server: ModelServer }[] = []
afterEach(async () => {
  for (const { repository, server } of opened.splice(0)) {
    repository.dispose()
    await server.close()
  }
})

interface Opening {
  readonly files: readonly string[]
  readonly kind: ModelKind
  readonly fixer: (server: ModelServer) => string
  readonly scenario: readonly Step[]
  readonly config: string
}

/** A repository with one issue per file, which the built-in rules have found; the checks judge alone. */
async function open({ files, kind, fixer, scenario, config }: Opening) {
  const server = await startModelServer({ kind, scenario })
  const repository = makeRealProject(
    {
      'package.json': '{ "name": "sample", "type": "module" }\n',
      ...Object.fromEntries(files.map((name) => [`src/${name}.js`, sourceOf(name)])),
      ...Object.fromEntries(files.map((name) => [`test/${name}.test.js`, testsOf(name)])),
    },
    { fixer: fixer(server), reviewers: '[rules]' },
    `challenge: { enabled: false }\n${config}`,
  )
  opened.push({ repository, server })
  const env = realAgentEnv(repository, kind === anthropic ? { anthropic: server } : { openai: server })
  const reviewed = await startFixpoint(repository, env, 'review', '--yes', '--json').done
  expect(reviewed.exitCode, reviewed.stderr).toBe(0)
  return { repository, env, server }
}

const entryOf = (name: string, outcome = 'fixed') => ({
  outcome,
  files_modified: outcome === 'fixed' ? [`src/${name}.js`] : [],
  changes_summary: 'compares as it should',
  explanation: 'NaN equals nothing',
})
const reportOf = (...outcomes: readonly string[]) => ({
  issues: Object.fromEntries(
    outcomes.map((outcome, index) => [`BE-00${index + 1}`, entryOf(names[index] ?? '', outcome)]),
  ),
})
const report: Step = { tools: [{ name: 'StructuredOutput', input: reportOf('fixed') }] }

const call = (name: string, path: string, input: object = {}): Step => ({
  tools: ({ raw }) => [{ name, input: { file_path: fileIn(raw, path), ...input } }],
})
const edit = (path: string, old_string: string, new_string: string): readonly Step[] => [
  call('Read', path),
  call('Edit', path, { old_string, new_string }),
]

interface Result {
  readonly branch_name: string
  readonly results: readonly Readonly<Record<string, unknown>>[]
}

const messagesOf = ({ body }: ModelRequest): readonly unknown[] => body['messages'] as readonly unknown[]

describe('single-call with claude', { timeout: longMs }, () => {
  it('gives every issue to a sub-agent of its own, and goes on alone with the one that was refused', async () => {
    const isMain = /master_todo\.json/
    const subtask = (name: string) => ({
      name: 'Agent',
      input: { description: name, prompt: `SUB-TASK-${name}`, subagent_type: 'fixer-single' },
    })
    const sub = (name: string, steps: readonly Step[]): readonly Step[] =>
      steps.map((step) => ({ ...step, when: new RegExp(`SUB-TASK-${name}`), unless: isMain }))
    const fixing = (name: string, code: string): readonly Step[] =>
      sub(name, [...edit(`src/${name}.js`, 'value === NaN', code), { text: `SUB-ANSWER-${name}` }])
    const alone: readonly Step[] = [
      ...edit('src/b.js', 'value === 1', 'Number.isNaN(value)'),
      { tools: [{ name: 'StructuredOutput', input: { issues: { 'BE-002': entryOf('b') } } }] },
    ].map((step) => ({ ...step, when: /bbb/, unless: isMain }))
    const { repository, env, server } = await open({
      files: names,
      kind: anthropic,
      fixer: () => claudeAgent,
      scenario: [
        { tools: names.map(subtask), when: isMain },
        ...fixing('a', 'Number.isNaN(value)'),
        ...fixing('b', 'value === 1'),
        ...sub('c', [{ text: 'SUB-ANSWER-c: a person must decide' }]),
        {
          tools: [{ name: 'StructuredOutput', input: reportOf('fixed', 'fixed', 'blocked') }],
          when: isMain,
        },
        ...alone,
      ],
      config: 'fix: { strategy: single-call }\n',
    })
    const ran = await startFixpoint(repository, env, 'fix', '--all', '--yes', '--json').done
    expect(ran.exitCode, ran.stderr + ran.stdout).toBe(1)
    const { branch_name, results } = ran.json<Result>()
    expect(results).toMatchObject([
      { issue_code: 'BE-001', outcome: 'fixed', rounds: [{}] },
      { issue_code: 'BE-002', outcome: 'fixed', rounds: [{ verification: { status: 'failed' } }, {}] },
      { issue_code: 'BE-003', outcome: 'blocked', commit_sha: null },
    ])
    expect(repository.git('rev-list', '--count', `main..${branch_name}`)).toBe('2')
    for (const name of ['a', 'b'])
      expect(repository.git('show', `${branch_name}:src/${name}.js`)).toContain('Number.isNaN(value)')
    const answered = server.requests.findLast(({ raw }) => isMain.test(raw))?.raw ?? ''
    for (const name of names) expect(answered).toContain(`SUB-ANSWER-${name}`)
    // The talk about all issues is not gone on with for one of them.
    const [second] = server.requests.slice(-3)
    expect(second?.raw).toContain('one is not missing in b')
    expect(messagesOf(second as ModelRequest)).toHaveLength(1)
    expect(survivorsOf(repository.home)).toEqual([])
  })
})

describe('a conversation with claude that has grown too long', { timeout: longMs }, () => {
  it('is shortened before the next round, and a new one begins where that fails', async () => {
    const path = 'src/a.js'
    const { repository, env, server } = await open({
      files: ['a'],
      kind: anthropic,
      fixer: () => claudeAgent,
      scenario: [
        ...edit(path, 'value === NaN', 'value === 1'),
        report,
        { text: '<summary>SHORT-SUMMARY</summary>' },
        ...edit(path, 'value === 1', 'value === 2'),
        report,
        anthropicError(529, 'overloaded_error', 'Overloaded'),
        ...edit(path, 'value === 2', 'Number.isNaN(value)'),
        report,
      ],
      config: 'fix: { max_session_tokens: 1000 }\n',
    })
    const ran = await startFixpoint(repository, env, 'fix', '--all', '--yes', '--json').done
    expect(ran.exitCode, ran.stderr + ran.stdout).toBe(0)
    const costOf = (requests: number) => ({ cost_usd: expect.closeTo(requests * 0.00381, 5) })
    // What it took to shorten the conversation is counted too.
    expect(ran.json<Result>().results).toMatchObject([
      { outcome: 'fixed', rounds: [costOf(3), costOf(4), costOf(3)] },
    ])
    const [compaction, second, refused, third] = [3, 4, 7, 8].map((index) => server.requests[index])
    expect(compaction?.raw).toContain('Keep the problem, what was tried, and why it was refused.')
    expect(second?.raw).toContain('SHORT-SUMMARY')
    expect(second?.raw).toContain('one is not missing in a')
    expect(refused?.raw).toContain('Keep the problem')
    expect(third?.raw).not.toContain('SHORT-SUMMARY')
    expect(third?.raw).toContain('two is not missing in a')
    expect(messagesOf(third as ModelRequest)).toHaveLength(1)
  })
})

describe('codex fixes', { timeout: longMs }, () => {
  it('goes on with its own conversation in the second round', async () => {
    const patch = (from: string, to: string): Step => ({
      tools: [
        {
          name: 'apply_patch',
          custom: `*** Begin Patch\n*** Update File: src/a.js\n@@\n-  return ${from}\n+  return ${to}\n*** End Patch\n`,
        },
      ],
    })
    const answer: Step = { text: JSON.stringify(reportOf('fixed')) }
    const { repository, env, server } = await open({
      files: ['a'],
      kind: openai,
      fixer: codexAgent,
      scenario: [
        patch('value === NaN', 'value === 1'),
        answer,
        patch('value === 1', 'Number.isNaN(value)'),
        answer,
      ],
      config: '',
    })
    const ran = await startFixpoint(repository, env, 'fix', '--all', '--yes', '--json').done
    expect(ran.exitCode, ran.stderr + ran.stdout).toBe(0)
    const { branch_name, results } = ran.json<Result>()
    expect(results).toMatchObject([
      { outcome: 'fixed', rounds: [{ agent: { name: 'codex' } }, { agent: { name: 'codex' } }] },
    ])
    expect(repository.git('show', `${branch_name}:src/a.js`)).toContain('Number.isNaN(value)')
    const second = server.requests[2]?.raw ?? ''
    expect(second).toContain('return value === 1')
    expect(second).toContain('one is not missing in a')
    expect(survivorsOf(repository.home)).toEqual([])
  })
})
