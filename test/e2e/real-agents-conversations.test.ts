import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { survivorsOf } from '../contracts/agent-suite.ts'
import type { Ran } from '../fixtures/command-line.ts'
import { anthropicError } from '../fixtures/model-servers/anthropic.ts'
import type { ModelRequest, Step } from '../fixtures/model-servers/scenario.ts'
import { claude } from '../fixtures/real-agents/claude.ts'
import { codex } from '../fixtures/real-agents/codex.ts'
import { filesOf, fixing, review, wrong, type Result } from '../fixtures/real-agents/issues.ts'
import { openInTest, type RealProject } from '../fixtures/real-agents/project.ts'

/** Several real CLIs run one after another, on a busy machine. */
const longMs = 150_000

const files = filesOf(['a'])
const issue = { name: 'a', code: 'BE-001' }
const messagesOf = ({ body }: ModelRequest): readonly unknown[] => body['messages'] as readonly unknown[]

/** Words that no prompt holds: they are in a request only when it goes on with the conversation. */
const saying = (words: string, step: Step): Step => ({ ...step, text: `${words} ${step.text ?? ''}` })
const approach = { approach: 'WRITTEN-DOWN', steps: [], files: [], risks: [], verification: '' }
const planning = saying('THE-PLANNER', { text: JSON.stringify({ issues: { 'BE-001': approach } }) })

async function run(project: RealProject, ...args: string[]): Promise<Ran> {
  const ran = await project.run(...args, '--all', '--yes', '--json')
  expect(ran.exitCode, ran.stderr + ran.stdout).toBe(0)
  expect(survivorsOf(project.repository.home)).toEqual([])
  return ran
}
const landed = [{ outcome: 'fixed', rounds: [{}] }]

describe.each([
  { vendor: claude, strategy: 'isolated' },
  { vendor: codex, strategy: 'sequential' },
])('a conversation of $vendor.name, $strategy', { timeout: longMs }, ({ vendor, strategy }) => {
  it('goes on from the questions to the plan, and the fixer has a copy of it', async () => {
    const clarifying = saying('THE-CLARIFIER', vendor.answer({ ready_to_fix: true, questions: [] }))
    const steps = [clarifying, planning, ...fixing(vendor, issue)]
    const config = `fix: { strategy: ${strategy} }`
    const project = await openInTest({ files, fixer: { vendor, steps }, config })
    await review(project)
    await run(project, 'clarify')
    await run(project, 'plan', '--approach')
    const ran = await run(project, 'fix')
    expect(ran.json<Result>().results).toMatchObject(landed)
    const [clarified, planned, ...fixed] = project.serverOf(vendor).requests
    expect(clarified?.raw).not.toMatch(/THE-CLARIFIER|THE-PLANNER/)
    expect(planned?.raw).toContain('THE-CLARIFIER')
    expect(planned?.raw).not.toContain('THE-PLANNER')
    for (const { raw } of fixed) {
      expect(raw).toContain('THE-CLARIFIER')
      expect(raw).toContain('THE-PLANNER')
    }
    const { sessionHeader } = vendor
    if (sessionHeader === null) return
    const ids = [clarified, planned, ...fixed].map((request) => request?.headers[sessionHeader])
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(ids[1]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
    expect(new Set(ids).size).toBe(2)
  })
})

describe('a clarifier whose question was answered', { timeout: longMs }, () => {
  it('goes on with its conversation, and is told the answer and nothing that it knows', async () => {
    const asks = {
      issue_code: 'BE-001',
      question: 'Which of them?',
      context: '',
      options: [],
      assumption: '',
    }
    const steps = [
      codex.answer({ ready_to_fix: false, questions: [asks] }),
      codex.answer({ ready_to_fix: true, questions: [] }),
      ...fixing(codex, issue),
    ]
    const config = 'fix: { clarify: ask }'
    const project = await openInTest({ files, fixer: { vendor: codex, steps }, config })
    await review(project)
    const asked = await project.run('fix', '--all', '--yes', '--json')
    expect(asked.exitCode, asked.stderr + asked.stdout).toBe(5)
    const { session_id: session } = asked.json<Result>()
    const answered = await project.run('answer', session, 'BE-001-q1', 'ANSWER-MARK')
    expect(answered.exitCode, answered.stderr + answered.stdout).toBe(0)
    const ran = await project.run('resume', session, '--json')
    expect(ran.json<Result>().results, ran.stderr + ran.stdout).toMatchObject(landed)
    const [, second = '', fixer = ''] = project.serverOf(codex).requests.map(({ raw }) => raw)
    const timesTold = (words: string): number => second.split(words).length - 1
    expect(timesTold('Your questions were answered.')).toBe(1)
    expect(timesTold('> ANSWER-MARK')).toBe(1)
    expect(timesTold('Ask only what the code cannot tell you')).toBe(1)
    expect(fixer).toContain('Introduce no new problem')
  })
})

/** The contract of each CLI tests how it reports this; the consequence is the same for all. */
describe('a conversation that nobody knows any more', { timeout: longMs }, () => {
  it('is begun anew, by the planner and by the fixer, with what the issue says', async () => {
    const steps = [planning, planning, ...fixing(codex, issue)]
    const project = await openInTest({ files, fixer: { vendor: codex, steps } })
    await review(project)
    await run(project, 'plan', '--approach')
    forget(project)
    await run(project, 'plan', '--approach')
    forget(project)
    const ran = await run(project, 'fix')
    expect(ran.json<Result>().results).toMatchObject(landed)
    const { requests } = project.serverOf(codex)
    for (const { raw } of requests) expect(raw).not.toContain('THE-PLANNER')
    for (const { raw } of requests.slice(2)) expect(raw).toContain('WRITTEN-DOWN')
  })
})

/** Removes the conversations that codex keeps. */
const forget = ({ repository }: RealProject): void =>
  rmSync(join(repository.env['HOME'] ?? '', '.codex/sessions'), { recursive: true })

describe('a conversation with claude that has grown too long', { timeout: longMs }, () => {
  it('is shortened before the next round, and a new one begins where that fails', async () => {
    const project = await openInTest({
      files,
      fixer: {
        vendor: claude,
        steps: [
          ...fixing(claude, { ...issue, to: wrong(1) }),
          { text: '<summary>SHORT-SUMMARY</summary>' },
          ...fixing(claude, { ...issue, from: wrong(1), to: wrong(2) }),
          anthropicError(529, 'overloaded_error', 'Overloaded'),
          ...fixing(claude, { ...issue, from: wrong(2) }),
        ],
      },
      config: 'fix: { max_session_tokens: 1000 }',
    })
    await review(project)
    const ran = await project.run('fix', '--all', '--yes', '--json')
    expect(ran.exitCode, ran.stderr + ran.stdout).toBe(0)
    const costOf = (requests: number) => ({ cost_usd: expect.closeTo(requests * 0.00381, 5) })
    // The tokens that the CLI used to shorten the conversation are counted too.
    expect(ran.json<Result>().results).toMatchObject([
      { outcome: 'fixed', rounds: [costOf(3), costOf(4), costOf(3)] },
    ])
    const { requests } = project.serverOf(claude)
    const [compaction, second, refused, third] = [3, 4, 7, 8].map((index) => requests[index])
    expect(compaction?.raw).toContain('Keep the problem, what was tried, and why it was refused.')
    expect(second?.raw).toContain('SHORT-SUMMARY')
    expect(second?.raw).toContain('1 is not missing in a')
    expect(refused?.raw).toContain('Keep the problem')
    expect(third?.raw).not.toContain('SHORT-SUMMARY')
    expect(third?.raw).toContain('2 is not missing in a')
    expect(messagesOf(third as ModelRequest)).toHaveLength(1)
    // Neither a summary nor a new conversation holds the rules, so the agent is told them again.
    for (const request of [second, third]) expect(request?.raw).toContain('Introduce no new problem')
  })
})
