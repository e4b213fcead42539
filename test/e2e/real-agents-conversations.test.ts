import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { survivorsOf } from '../contracts/agent-suite.ts'
import { anthropicError } from '../fixtures/model-servers/anthropic.ts'
import type { ModelRequest, Step } from '../fixtures/model-servers/scenario.ts'
import { claude } from '../fixtures/real-agents/claude.ts'
import { codex } from '../fixtures/real-agents/codex.ts'
import { gemini } from '../fixtures/real-agents/gemini.ts'
import { filesOf, fixing, review, wrong, type Result } from '../fixtures/real-agents/issues.ts'
import { openInTest, type RealProject } from '../fixtures/real-agents/project.ts'

/** Several real CLIs one after another, on a busy machine. */
const longMs = 150_000

const files = filesOf(['a'])
const issue = { name: 'a', code: 'BE-001' }
const messagesOf = ({ body }: ModelRequest): readonly unknown[] => body['messages'] as readonly unknown[]

describe.each([claude, gemini, codex])(
  'a conversation of $name about an issue',
  { timeout: longMs },
  (vendor) => {
    const approach = { approach: 'SAID-BY-THE-PLANNER', steps: [], files: [], risks: [], verification: '' }
    const planning = { text: `THOUGHT-ALOUD ${JSON.stringify({ issues: { 'BE-001': approach } })}` }

    async function openPlanned(steps: readonly Step[]) {
      const project = await openInTest({ files, fixer: { vendor, steps: [planning, ...steps] } })
      await review(project)
      await plan(project)
      return { project, requests: project.serverOf(vendor).requests }
    }
    async function plan(project: RealProject): Promise<void> {
      const planned = await project.run('plan', '--all', '--approach', '--yes', '--json')
      expect(planned.exitCode, planned.stderr + planned.stdout).toBe(0)
    }
    async function fix(project: RealProject): Promise<void> {
      const ran = await project.run('fix', '--all', '--yes', '--json')
      expect(ran.exitCode, ran.stderr + ran.stdout).toBe(0)
      expect(ran.json<Result>().results).toMatchObject([{ outcome: 'fixed', rounds: [{}] }])
      expect(survivorsOf(project.repository.home)).toEqual([])
    }

    it('begun by the planner is gone on with by the fixer, who has a copy of it', async () => {
      const { project, requests } = await openPlanned(fixing(vendor, issue))
      await fix(project)
      const [planned, ...fixed] = requests
      expect(planned?.raw).not.toContain('THOUGHT-ALOUD')
      for (const { raw } of fixed) expect(raw).toContain('THOUGHT-ALOUD')
      if (vendor.sessionHeader === null) return
      const [before, after] = [planned, fixed[0]].map(
        (request) => request?.headers[vendor.sessionHeader ?? ''],
      )
      expect(after).toMatch(/^[0-9a-f-]{36}$/)
      expect(after).not.toBe(before)
    })

    it('that nobody knows any more is begun anew, with what the issue says', async () => {
      const { project, requests } = await openPlanned([planning, ...fixing(vendor, issue)])
      forget(project)
      await plan(project)
      forget(project)
      await fix(project)
      for (const { raw } of requests) expect(raw).not.toContain('THOUGHT-ALOUD')
      for (const { raw } of requests.slice(2)) expect(raw).toContain('SAID-BY-THE-PLANNER')
    })
  },
)

/** Removes what the CLIs keep of their conversations. */
function forget({ repository }: RealProject): void {
  const user = repository.env['HOME'] ?? ''
  const kept = [join(user, '.claude'), join(user, '.codex'), join(repository.home, 'agents')]
  expect(kept.some((folder) => existsSync(folder))).toBe(true)
  for (const folder of kept) rmSync(folder, { recursive: true, force: true })
}

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
    // What it took to shorten the conversation is counted too.
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
  })
})
