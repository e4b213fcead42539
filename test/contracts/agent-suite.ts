import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { trustedText } from '../../src/loop/own-text.ts'
import { createRunMark } from '../../src/adapters/process/run-mark.ts'
import type { Agent, AgentRequest, SubAgent } from '../../src/loop/ports.ts'
import { AgentRun, ChallengedIssue, type AgentUpdate, type AgentTask } from '../../src/model/agent/agent.ts'
import { readVerdict } from '../../src/model/proof/challenge.ts'
import type { Issue } from '../../src/model/issue/issue.ts'
import { readFixerReport } from '../../src/model/agent/report.ts'
import { sampleTask } from '../fixtures/attempt-samples.ts'
import { makeRepository, snapshotOf, type FixtureRepository } from '../fixtures/repositories.ts'
import { issueOf, sampleFinding, sampleReview } from '../fixtures/store/samples.ts'

const files = {
  'src/total.js': 'export function read(total) {\n  if (total === NaN) return 0\n  return total\n}\n',
  'readme.md': 'hello\n',
  'run.sh': 'echo run\n',
  'folder/one.txt': 'one\n',
  link: { link: 'readme.md' },
}
export const brokenCode = 'total === NaN'
export const fixedCode = 'Number.isNaN(total)'
const fixedFile = files['src/total.js'].replace(brokenCode, fixedCode)
const diff = `diff --git a/src/total.js b/src/total.js
--- a/src/total.js
+++ b/src/total.js
@@ -1,4 +1,4 @@
 export function read(total) {
-  if (${brokenCode}) return 0
+  if (${fixedCode}) return 0
   return total
 }
`

/** A place for one agent: repositories to work in, and a home of its own. No process may outlive the home. */
export interface Place {
  readonly home: string
  /** A folder for other things that the agent needs, such as recordings. */
  readonly folder: string
  readonly env: Record<string, string>
  /** A fresh repository with one broken comparison in it. */
  workspace(): string
}

const fixtures: FixtureRepository[] = []
afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.dispose()
})

export function makePlace(): Place {
  const { home, folder, env } = newFixture()
  return { home, folder, env, workspace: () => newFixture().root }
}

function newFixture(): FixtureRepository {
  const fixture = makeRepository(files)
  fixtures.push(fixture)
  return fixture
}

const finding = sampleFinding(sampleReview('rev_1'), 1, {
  rule: 'eslint/use-isnan',
  file: 'src/total.js',
  line: 2,
  current_code: brokenCode,
  suggested_fix: fixedCode,
})

export const makeIssue = (given: Partial<Issue> = {}): Issue => ({
  ...issueOf(finding, 'iss_1'),
  code: 'BE-001',
  ...given,
})

export const fixerTask = (workspace: string, given: Partial<AgentTask> = {}): AgentTask =>
  sampleTask({ issues: [makeIssue()], workspace, ...given })

export const challengerTask = (workspace: string): AgentTask =>
  fixerTask(workspace, {
    role: 'challenger',
    access: 'read',
    issues: [ChallengedIssue.parse(makeIssue())],
    diff,
  })

/** A request with prompts as a test writes them. */
export interface GivenRequest extends Partial<Omit<AgentRequest, 'prompt' | 'subagents'>> {
  readonly prompt?: string
  readonly subagents?: readonly (Omit<SubAgent, 'prompt'> & { readonly prompt: string })[]
}

export const ask = (
  task: AgentTask,
  { prompt = 'Fix it.', subagents, ...given }: GivenRequest = {},
): AgentRequest => ({
  task,
  prompt: trustedText(prompt),
  ...(subagents && {
    subagents: subagents.map((agent) => ({ ...agent, prompt: trustedText(agent.prompt) })),
  }),
  timeoutMs: 100_000,
  signal: new AbortController().signal,
  onUpdate: () => undefined,
  ...given,
})

/** Living processes that were started for this home, read without the code under test. */
export function survivorsOf(home: string): string[] {
  const mark = createRunMark(home).split(':')[0] ?? ''
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const state = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.[0]
      return state !== 'Z' && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${mark}:`)
    } catch {
      return false // ended meanwhile
    }
  })
}

export interface AgentUnderTest {
  /** An agent that can fix the issue and judge its fix. */
  readonly agent: Agent
  /** An agent that never ends by itself on the same request; left out for agents that cannot hang. */
  readonly hanging?: Agent
}

const soonMs = 8_000
const cancelled = { ended: 'failed', kind: 'cancelled', message: expect.any(String), reset_at: null }

/** Things that may have happened to the file that a finding cites. */
const spoilt: readonly (readonly [string, (path: string) => void])[] = [
  ['is gone', (path) => rmSync(path)],
  ['is a folder', (path) => (rmSync(path), mkdirSync(path))],
  ['is a link out of the workspace', (path) => (rmSync(path), symlinkSync('../../beside.js', path))],
]

/** Tests of what every agent must do. A program that starts slowly is started less often. */
export function testAgent(
  name: string,
  make: (place: Place) => AgentUnderTest | Promise<AgentUnderTest>,
  starts: 'at once' | 'slowly' = 'at once',
): void {
  describe(`${name} as an agent`, () => {
    it('fixes the issue in its workspace, touches nothing else and reports it', async () => {
      const place = makePlace()
      const { agent } = await make(place)
      const workspace = place.workspace()
      const beside = join(workspace, '../beside.txt')
      writeFileSync(beside, 'mine\n')
      const before = snapshotOf(workspace)
      const run = await agent.run(ask(fixerTask(workspace)))
      expect(run.ending).toEqual({ ended: 'finished' })
      expect(AgentRun.parse(run)).toEqual(run)
      expect(readFixerReport(run.text, ['BE-001'])?.issues.get('BE-001')).toMatchObject({
        outcome: 'fixed',
        files_modified: ['src/total.js'],
      })
      expect(readFileSync(join(workspace, 'src/total.js'), 'utf8')).toBe(fixedFile)
      expect({ ...snapshotOf(workspace), 'src/total.js': '' }).toEqual({ ...before, 'src/total.js': '' })
      expect(readFileSync(beside, 'utf8')).toBe('mine\n')
      expect(survivorsOf(place.home)).toEqual([])
    })

    it('judges a patch readably, and changes nothing with read access', async () => {
      const place = makePlace()
      const { agent } = await make(place)
      const workspace = place.workspace()
      writeFileSync(join(workspace, 'src/total.js'), fixedFile)
      const before = snapshotOf(workspace)
      const run = await agent.run(ask(challengerTask(workspace)))
      expect(run.ending).toEqual({ ended: 'finished' })
      expect(readVerdict(run.text, 'BE-001')).toMatchObject({ score: 100 })
      expect(snapshotOf(workspace)).toEqual(before)
    })

    it('does nothing when it is cancelled before it starts', async () => {
      const place = makePlace()
      const { agent } = await make(place)
      const workspace = place.workspace()
      const before = snapshotOf(workspace)
      const heard: AgentUpdate[] = []
      const run = await agent.run(
        ask(fixerTask(workspace), { signal: AbortSignal.abort(), onUpdate: (update) => heard.push(update) }),
      )
      expect(run).toMatchObject({ ending: cancelled, text: '' })
      expect(heard).toEqual([])
      expect(snapshotOf(workspace)).toEqual(before)
    })

    it.each(spoilt.slice(starts === 'slowly' ? -1 : 0))(
      'ends with a run, not with an exception, when the cited file %s',
      async (_, spoil) => {
        const place = makePlace()
        const { agent } = await make(place)
        const workspace = place.workspace()
        spoil(join(workspace, 'src/total.js'))
        const run = await agent.run(ask(fixerTask(workspace)))
        expect(AgentRun.parse(run)).toEqual(run)
      },
    )

    it('ends soon when it is cancelled while it works, and leaves no process behind', async () => {
      const place = makePlace()
      const { agent, hanging } = await make(place)
      const controller = new AbortController()
      let cancelledAt = performance.now()
      const cancel = (): void => {
        if (!controller.signal.aborted) cancelledAt = performance.now()
        controller.abort()
      }
      const running = (hanging ?? agent).run(
        ask(fixerTask(place.workspace()), { signal: controller.signal, onUpdate: cancel }),
      )
      if (!hanging) cancel()
      const run = await running
      expect(performance.now() - cancelledAt).toBeLessThan(soonMs)
      if (hanging || run.ending.ended === 'failed') expect(run.ending).toEqual(cancelled)
      expect(survivorsOf(place.home)).toEqual([])
    })

    it('ends as a timeout when its time is over, and leaves no process behind', async (context) => {
      const place = makePlace()
      const { hanging } = await make(place)
      if (!hanging) return context.skip('there is nothing in it that could hang')
      const startedAt = performance.now()
      const run = await hanging.run(ask(fixerTask(place.workspace()), { timeoutMs: 1_000 }))
      expect(run.ending).toMatchObject({ ended: 'failed', kind: 'timeout' })
      expect(performance.now() - startedAt).toBeLessThan(soonMs)
      expect(survivorsOf(place.home)).toEqual([])
    })
  })
}
