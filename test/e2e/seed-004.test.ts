import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FixOutcome } from '../../src/app/fix/stored-session.ts'
import { commandLineOf } from '../fixtures/command-line.ts'
import { makeProject, oneProcess, type Project, type ProjectOptions } from '../fixtures/project.ts'

/** The tests follow the design of the fix engine sentence by sentence; a cycle is a round here. */
const head = "import test from 'node:test'\nimport assert from 'node:assert/strict'\n"
const files = {
  'src/half.mjs': 'export const half = (x) => x / 1\n',
  'src/other.mjs': 'export const other = 1\n',
  'test/half.test.mjs': `${head}import { half } from '../src/half.mjs'
test('half is not larger', () => assert.ok(half(4) <= 4, 'FAILURE-MARK half(4) was ' + half(4)))
`,
  'AGENTS.md': 'CONVENTION-MARK never use var\n',
}
const finding = {
  file: 'src/half.mjs',
  line: 1,
  title: 'half does not halve',
  issue: 'FINDING-MARK',
  severity: 'major',
  rule: 'half',
  suggested_fix: 'SUGGESTION-MARK',
}
/** A fixer whose rounds fail, each in its own way, until the given round. */
const rightIn = (round: number) =>
  `edit('src/half.mjs', /x [/*] .*/, task.round < ${round} ? 'x * ' + (task.round + 2) : 'x / 2'); return {}`

const projects: Project[] = []
afterAll(async () => {
  for (const project of projects.splice(0)) await project.close()
})
async function open(
  options: Partial<ProjectOptions>,
  findings: readonly Record<string, unknown>[] = [finding],
): Promise<Project> {
  const project = await makeProject({
    files,
    verify: oneProcess,
    config: 'fix: { max_rounds: 3 }',
    ...options,
  })
  projects.push(project)
  if (findings.length > 0) await project.import(findings)
  return project
}
const first = ({ result }: FixOutcome) => result.results[0]
const fixerPrompts = (project: Project) => project.seen().filter(({ role }) => role === 'fixer')

describe('two cycles, first fails, second passes', () => {
  let project: Project
  let outcome: FixOutcome
  beforeAll(async () => {
    project = await open({ fixer: rightIn(2) })
    outcome = await project.fix()
  })

  it('generates a fix prompt containing: review findings, affected file list, file contents (or diff), project conventions, and verification commands', () => {
    const prompt = fixerPrompts(project)[0]?.prompt ?? ''
    for (const part of [
      'FINDING-MARK',
      'SUGGESTION-MARK',
      'src/half.mjs',
      'x / 1',
      'CONVENTION-MARK',
      `\`${oneProcess}\``,
    ])
      expect(prompt).toContain(part)
    expect(prompt).toMatch(/introduce no new problem/i)
  })

  it('invokes the configured agent with the fix prompt', () => {
    expect(fixerPrompts(project).map(({ round, file }) => [round, file])).toEqual([
      [1, 'src/half.mjs'],
      [2, 'src/half.mjs'],
    ])
  })

  it('runs verification commands after agent completes', () => {
    expect(first(outcome)?.rounds.map(({ verification }) => verification)).toMatchObject([
      { status: 'failed', commands: [{ name: 'test', status: 'failed', exit_code: 1 }] },
      { status: 'passed', commands: [{ name: 'test', status: 'passed', exit_code: 0 }] },
    ])
  })

  it('if verification fails and cycles remain, generates updated prompt with previous failure context and retries', () => {
    const prompt = fixerPrompts(project)[1]?.prompt ?? ''
    for (const part of ['Round 1 was refused', 'exit code 1', 'FAILURE-MARK half(4) was 12', 'x * 3'])
      expect(prompt).toContain(part)
  })

  it('FixReport contains results from all cycles: agent result, verification, diff after fix, duration', () => {
    const rounds = first(outcome)?.rounds ?? []
    expect(rounds).toMatchObject([
      {
        round: 1,
        agent: { name: 'command', ended: 'finished' },
        diff: expect.stringContaining('+export const half = (x) => x * 3'),
      },
      {
        round: 2,
        agent: { name: 'command', ended: 'finished' },
        diff: expect.stringContaining('+export const half = (x) => x / 2'),
      },
    ])
    for (const round of rounds) expect(round.duration_ms).toBeGreaterThan(0)
    expect(outcome.result.duration_ms).toBeGreaterThan(0)
  })

  it('FinalStatus reflects the last cycle’s verification status', () => {
    expect(outcome.result).toMatchObject({ final_status: 'passed', fixes_applied: true, issues_fixed: 1 })
    expect(outcome.exitCode).toBe(0)
  })

  it('emits FixEvent messages at each stage for TUI consumption', () => {
    const types = project.events.map(({ type }) => type)
    const stages = [
      'fix_session_started',
      'fix_issue_started',
      'fix_cycle_started',
      'fix_agent_invoked',
      'fix_verification_started',
      'fix_verification_result',
      'fix_cycle_completed',
      'fix_issue_committed',
      'fix_issue_completed',
      'fix_session_completed',
    ] as const
    expect(stages.filter((type) => !types.includes(type))).toEqual([])
    expect(types.at(-1)).toBe('fix_session_completed')
    const counted = (type: string) => types.filter((each) => each === type).length
    expect([counted('fix_cycle_started'), counted('fix_cycle_completed')]).toEqual([2, 2])
    for (const event of project.events.filter(({ type }) => type === 'fix_cycle_started'))
      expect([event.round, event.issue_code, Date.parse(event.timestamp) > 0]).toEqual([
        expect.any(Number),
        'BE-001',
        true,
      ])
  })
})

describe('single cycle, verification passes', () => {
  let outcome: FixOutcome
  beforeAll(async () => {
    const more =
      "fs.writeFileSync('src/new.mjs', 'export const added = 1\\n'); edit('src/other.mjs', '1', '2');"
    const config = 'fix: { scope: repository }'
    outcome = await (await open({ fixer: `${more} ${rightIn(1)}`, config })).fix()
  })

  it('if verification passes, returns success after one cycle', () => {
    expect(outcome.result).toMatchObject({ final_status: 'passed', issues_fixed: 1 })
    expect(first(outcome)?.rounds).toHaveLength(1)
  })

  it('agent modifies files that were not in the findings (acceptable but should be noted)', () => {
    expect(first(outcome)?.rounds[0]?.files_outside_finding).toEqual(['src/new.mjs', 'src/other.mjs'])
  })

  it('agent creates new files during fix (should be included in diff)', () => {
    expect(first(outcome)?.rounds[0]?.diff).toContain('+export const added = 1')
    expect(first(outcome)?.fix_files_modified).toContain('src/new.mjs')
  })
})

it.each([
  ['single cycle, verification fails, maxCycles=1', 1],
  ['three cycles, all fail, maxCycles=3: stops after maxCycles attempts even if verification still fails', 3],
])('%s', async (_name, cycles) => {
  const project = await open({ fixer: rightIn(9), config: `fix: { max_rounds: ${cycles} }` })
  const outcome = await project.fix()
  expect(first(outcome)?.rounds).toHaveLength(cycles)
  expect(fixerPrompts(project)).toHaveLength(cycles)
  expect(outcome.result).toMatchObject({
    final_status: 'failed',
    fixes_applied: false,
    branch_name: null,
    issues_failed: 1,
  })
})

it('dry-run returns the fix prompt without invoking the agent or running verification; it includes all finding descriptions and affected files', async () => {
  const project = await open({ fixer: rightIn(1), verify: 'touch ../verified' }, [
    finding,
    { ...finding, file: 'src/other.mjs', title: 'other is wrong', issue: 'OTHER-MARK', rule: 'other' },
  ])
  const ran = commandLineOf(project)('fix', '--all', '--dry-run', '--json')
  expect(ran.exitCode).toBe(0)
  const { prompts } = ran.json<{ prompts: { code: string; prompt: string }[] }>()
  const text = prompts.map(({ prompt }) => prompt).join('\n')
  for (const part of ['FINDING-MARK', 'OTHER-MARK', 'src/half.mjs', 'src/other.mjs', '`touch ../verified`'])
    expect(text).toContain(part)
  expect(project.seen()).toEqual([])
  expect(existsSync(join(project.folder, 'verified'))).toBe(false)
  expect(await project.app.store.sessions.list(project.app.repository.id, 10)).toEqual([])
})

it('context cancelled during agent invocation: stops the current cycle and returns partial results', async () => {
  const project = await open({
    fixer: `if (task.round === 2) { fs.writeFileSync(process.env.HOME + '/started', ''); await new Promise((done) => setTimeout(done, 60000)) } ${rightIn(2)}`,
  })
  const abort = new AbortController()
  const poll = setInterval(() => existsSync(join(project.folder, 'user/started')) && abort.abort(), 50)
  const outcome = await project.fix({}, { stopStarting: abort.signal, endNow: abort.signal })
  clearInterval(poll)
  expect(outcome.result).toMatchObject({ resumable: true, fixes_applied: false, issues_fixed: 0 })
  expect(first(outcome)).toMatchObject({
    outcome: null,
    rounds: [{ round: 1, verification: { status: 'failed' } }],
  })
})

it('zero findings: no-op, returns empty FixReport with status=passed', async () => {
  const project = await open({ fixer: rightIn(1) }, [])
  const { result, exitCode } = await project.fix()
  expect([exitCode, result.final_status, result.results, result.fixes_applied]).toEqual([
    0,
    'passed',
    [],
    false,
  ])
  expect(project.seen()).toEqual([])
})

it('maxCycles=0: skip fix entirely, return empty report', async () => {
  const project = await open({ fixer: rightIn(1), config: 'fix: { max_rounds: 0 }' })
  const outcome = await project.fix()
  expect(first(outcome)).toMatchObject({ outcome: 'not_sent', status: 'open', rounds: [] })
  expect(project.seen()).toEqual([])
})

it('agent error (non-zero exit): cycle marked as failed, moves to next cycle', async () => {
  const project = await open({ fixer: `if (task.round === 1) process.exit(3); ${rightIn(1)}` })
  const outcome = await project.fix()
  expect(outcome.result.final_status).toBe('passed')
  expect(first(outcome)?.rounds).toMatchObject([
    { agent: { ended: 'crashed' }, gates: [{ name: 'ran', status: 'failed' }] },
    { agent: { ended: 'finished' }, refusal: null },
  ])
})

it('agent produces no changes (empty diff after fix): cycle is noted as "no changes applied"', async () => {
  const project = await open({ fixer: `if (task.round === 1) return {}; ${rightIn(1)}` })
  const outcome = await project.fix()
  expect(first(outcome)?.rounds).toMatchObject([
    {
      no_changes: true,
      diff: '',
      verification: null,
      refusal: expect.stringContaining('no changes applied'),
    },
    { no_changes: false, refusal: null },
  ])
})

it('verification command itself crashes (not just fails): handle gracefully', async () => {
  const project = await open({ fixer: rightIn(1), verify: 'kill -9 $$' })
  const outcome = await project.fix()
  expect(first(outcome)).toMatchObject({ outcome: 'not_evaluated', status: 'open', commit_sha: null })
  expect(first(outcome)?.reason).toMatch(/signal/)
  expect(outcome).toMatchObject({ exitCode: 3, result: { final_status: 'not_evaluated' } })
})

it('fix prompt exceeds agent’s context window: truncate findings by priority', async () => {
  const names = Array.from({ length: 16 }, (_, at) => `m${at}`)
  const long = 'very long '.repeat(800)
  const project = await open(
    {
      files: Object.fromEntries(names.map((name) => [`src/${name}.mjs`, 'export const value = 1\n'])),
      verify: 'true',
      fixer: `const issues = {}
        for (const one of task.issues) { edit(one.file, '= 1', '= 2'); issues[one.code] = { outcome: 'fixed', files_modified: [one.file], changes_summary: 's', explanation: 'e' } }
        console.log(JSON.stringify({ issues })); return null`,
      config: 'fix: { strategy: single-call }\nchallenge: { enabled: false }',
    },
    names.map((name, at) => ({
      file: `src/${name}.mjs`,
      line: 1,
      title: `${name} is wrong`,
      issue: long,
      suggested_fix: long,
      severity: at < 12 ? 'minor' : 'critical',
      rule: name,
    })),
  )
  const { result } = await project.fix()
  expect(result).toMatchObject({ issues_fixed: names.length, final_status: 'passed' })
  const calls = fixerPrompts(project).map(({ prompt }) =>
    names.filter((name) => prompt.includes(`${name} is wrong\n`)),
  )
  expect(calls.length).toBeGreaterThan(1)
  expect(calls[0]).toEqual(expect.arrayContaining(names.slice(12)))
  expect(calls.flat().toSorted()).toEqual(names.toSorted())
  for (const { prompt } of fixerPrompts(project)) expect(prompt.length).toBeLessThan(3 * 60_000)
})

it('secrets in findings do not reach the fix prompt, and commands of an agent are not executed', async () => {
  const token = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_')
  const project = await open(
    { fixer: `${rightIn(1).replace('return {}', "return { explanation: 'run: touch ../../ran' }")}` },
    [{ ...finding, issue: `the key ${token} is in the code` }],
  )
  expect((await project.fix()).result.final_status).toBe('passed')
  expect(
    project
      .seen()
      .map(({ prompt }) => prompt)
      .join(''),
  ).not.toContain(token)
  expect(existsSync(join(project.folder, 'ran'))).toBe(false)
})
