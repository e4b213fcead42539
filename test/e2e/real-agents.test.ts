import { describe, expect, it } from 'vitest'
import { survivorsOf } from '../contracts/agent-suite.ts'
import { isRunning } from '../contracts/cli-scene.ts'
import { claude } from '../fixtures/real-agents/claude.ts'
import { codex } from '../fixtures/real-agents/codex.ts'
import { gemini } from '../fixtures/real-agents/gemini.ts'
import {
  about,
  agreeing,
  codeOf,
  fileOf,
  filesOf,
  fixing,
  review,
  right,
  wrong,
  type Result,
} from '../fixtures/real-agents/issues.ts'
import { openInTest } from '../fixtures/real-agents/project.ts'

/** Several real CLIs run one after another, on a busy machine. */
const longMs = 150_000

describe.each([
  { fixer: claude, challenger: codex },
  { fixer: gemini, challenger: claude },
  { fixer: codex, challenger: gemini },
])('$fixer.name fixes and $challenger.name challenges', { timeout: longMs }, ({ fixer, challenger }) => {
  it('lands the fix in the second round, which was told what failed in the first', async () => {
    const issue = { name: 'a', code: 'BE-001' }
    const [begin, ...rest] = fixing(fixer, { ...issue, to: wrong(1) })
    const first = [{ ...begin, text: 'SAID-IN-THE-FIRST-ROUND' }, ...rest]
    const project = await openInTest({
      files: filesOf(['a']),
      fixer: { vendor: fixer, steps: [...first, ...fixing(fixer, { ...issue, from: wrong(1) })] },
      challenger: { vendor: challenger, steps: [agreeing(challenger, 'BE-001')] },
    })
    const { repository } = project
    await review(project)
    const head = repository.git('rev-parse', 'HEAD')
    const ran = await project.run('fix', '--all', '--yes', '--json')
    expect(ran.exitCode, ran.stderr + ran.stdout).toBe(0)
    const { branch_name, results } = ran.json<Result>()
    expect(results).toMatchObject([
      {
        issue_code: 'BE-001',
        outcome: 'fixed',
        challenged: true,
        fix_challenger_score: 95,
        rounds: [
          { agent: { name: fixer.name, ended: 'finished' }, verification: { status: 'failed' } },
          {
            agent: { name: fixer.name },
            verification: { status: 'passed' },
            challenge: { status: 'accepted', agent: challenger.name },
          },
        ],
      },
    ])
    expect(repository.git('show', `${branch_name}:${fileOf('a')}`)).toContain(right)
    expect(repository.git('rev-list', '--count', `main..${branch_name}`)).toBe('1')
    expect(repository.git('rev-parse', 'HEAD')).toBe(head)
    const { requests } = project.serverOf(fixer)
    const failure = '1 is not missing in a'
    expect(requests[0]?.raw).not.toContain(failure)
    const second = requests[first.length]?.raw
    expect(second).toContain(failure)
    // It is the same conversation: the words of the first round come before the prompt of the second.
    expect(second).toContain('SAID-IN-THE-FIRST-ROUND')
    // The prompt does not repeat what the conversation already holds; only the refusal is new.
    const timesTold = (words: string): number => (second ?? '').split(words).length - 1
    expect(timesTold('Introduce no new problem')).toBe(1)
    expect(timesTold('All that you were told before still holds')).toBe(1)
    expect(project.serverOf(challenger).requests[0]?.raw).toContain('Number.isNaN(value)')
    expect(survivorsOf(repository.home)).toEqual([])
  })
})

describe('claude fixes and gemini challenges', { timeout: longMs }, () => {
  it('lands two issues in one session, each judged by the other vendor', async () => {
    const names = ['a', 'b']
    const code = (name: string): string => codeOf(names, name)
    const project = await openInTest({
      files: filesOf(names),
      fixer: {
        vendor: claude,
        steps: names.flatMap((name) => about(name, fixing(claude, { name, code: code(name) }))),
      },
      challenger: {
        vendor: gemini,
        steps: names.flatMap((name) => about(name, [agreeing(gemini, code(name))])),
      },
    })
    const { repository } = project
    await review(project)
    const ran = await project.run('fix', '--all', '--yes', '--json')
    expect(ran.exitCode, ran.stderr + ran.stdout).toBe(0)
    const { branch_name, results } = ran.json<Result>()
    expect(results).toHaveLength(2)
    for (const result of results)
      expect(result).toMatchObject({
        outcome: 'fixed',
        rounds: [
          { agent: { name: 'claude' }, challenge: { status: 'accepted', score: 95, agent: 'gemini' } },
        ],
      })
    for (const name of names)
      expect(repository.git('show', `${branch_name}:${fileOf(name)}`)).toContain(right)
    expect(repository.git('rev-list', '--count', `main..${branch_name}`)).toBe('2')
    const { requests } = project.serverOf(gemini)
    expect(requests).toHaveLength(2)
    for (const { raw } of requests) {
      expect(raw).toContain('Number.isNaN(value)')
      expect(raw).not.toContain('"name":"replace"')
    }
    expect(survivorsOf(repository.home)).toEqual([])
  })
})

describe('fixpoint agents', () => {
  it('says what is installed, what it logs in with and who has which role, and shows no key', async () => {
    const project = await openInTest({
      files: filesOf(['a']),
      fixer: { vendor: claude, steps: [] },
      challenger: { vendor: codex, steps: [] },
    })
    const ran = await project.start(['agents', '--json'], {
      ANTHROPIC_API_KEY: 'sk-ant-SECRET',
    }).done
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
      { role: 'reproducer', name: 'codex' },
      { role: 'fixer', name: 'claude', model: 'claude-sonnet-4-5', is_fallback: false, available: true },
      { role: 'challenger', name: 'codex', available: false, reason: expect.stringContaining('codex login') },
      { role: 'pr_reviewer', name: 'rules' },
    ])
  })
})

describe('a session of claude', { timeout: longMs }, () => {
  it('is swept up by the next start when Fixpoint itself was killed', async () => {
    const project = await openInTest({
      files: filesOf(['a']),
      fixer: {
        vendor: claude,
        steps: [claude.run(`tail -f ${fileOf('a')}`), { hang: 'silent', repeat: true }],
      },
    })
    const { home } = project.repository
    await review(project)
    const { child, done } = project.start(['fix', '--all', '--yes', '--json'])
    await expect.poll(() => isRunning('tail', home), { timeout: longMs / 2 }).toBe(true)
    child.kill('SIGKILL')
    await done
    expect(survivorsOf(home)).not.toEqual([])
    await project.run('doctor', '--fix')
    expect(survivorsOf(home)).toEqual([])
  })
})
