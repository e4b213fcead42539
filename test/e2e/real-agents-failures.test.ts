import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FixEvent } from '../../src/model/session/event.ts'
import { survivorsOf } from '../contracts/agent-suite.ts'
import { isRunning } from '../contracts/cli-scene.ts'
import type { Ran } from '../fixtures/command-line.ts'
import type { Step } from '../fixtures/model-servers/scenario.ts'
import { claude } from '../fixtures/real-agents/claude.ts'
import { codex } from '../fixtures/real-agents/codex.ts'
import { gemini } from '../fixtures/real-agents/gemini.ts'
import { about, codeOf, fileOf, filesOf, fixing, review } from '../fixtures/real-agents/issues.ts'
import { openRealProject, type RealProject } from '../fixtures/real-agents/project.ts'
import { quotaHours, type Failure } from '../fixtures/real-agents/vendor.ts'

/** Several real CLIs run one after another, on a busy machine. */
const longMs = 240_000

/** The contract of each CLI tests how it reports failures; a session's reactions are tried in full with the quickest CLI. */
const cases = [
  { vendor: claude, passing: ['rate_limited'], lasting: ['prose'], halting: ['quota'] },
  { vendor: gemini, passing: ['dropped'], lasting: ['empty'], halting: ['quota'] },
  {
    vendor: codex,
    passing: ['dropped', 'overloaded', 'rate_limited'],
    lasting: ['cut_off', 'empty', 'prose', 'refusal'],
    halting: ['auth', 'billing', 'quota'],
  },
] as const

interface Result {
  readonly session_id: string
  readonly results: readonly Readonly<Record<string, unknown>>[]
}

/** The kept events, and the result, which is the last line. */
function linesOf({ stdout }: Ran) {
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
  const events = (lines.slice(0, -1) as FixEvent[]).filter(({ seq }) => seq !== null)
  return { events, result: lines.at(-1) as Result, types: events.map(({ type }) => type) }
}

const begun = [
  'fix_session_started',
  'fix_issue_started',
  'fix_cycle_started',
  'fix_issue_generating',
  'fix_agent_invoked',
]
const isUntilReset = (until: string): boolean => {
  const hours = (Date.parse(until) - Date.now()) / 3_600_000
  return hours > quotaHours - 1 && hours <= quotaHours
}

describe.each(cases)(
  'a session of $vendor.name',
  { timeout: longMs },
  ({ vendor, passing, lasting, halting }) => {
    const names = [...passing, ...lasting, ...halting, 'hangs', 'works'].toSorted()
    const isHalted = (kind: Failure): boolean => halting.some((one) => one === kind)
    const code = (name: string): string => codeOf(names, name)
    const repeated = (name: string, step: Step): readonly Step[] => about(name, [{ ...step, repeat: true }])
    const fixed = (name: string): readonly Step[] => fixing(vendor, { name, code: code(name) })
    let project: RealProject

    beforeAll(async () => {
      project = await openRealProject({
        files: filesOf(names),
        fixer: {
          vendor,
          steps: [
            ...passing.flatMap((name) => about(name, [vendor.failures[name], ...fixed(name)])),
            ...[...lasting, ...halting].flatMap((name) => repeated(name, vendor.failures[name])),
            ...repeated('hangs', { hang: 'silent' }),
            ...about('works', [vendor.run(`tail -f ${fileOf('works')}`), ...fixed('works')]),
          ],
        },
        hasty: '3s',
      })
      await review(project)
    }, longMs)
    afterAll(() => project.close())

    const fix = (given: readonly string[], ...args: string[]) =>
      project.start(
        ['fix', ...given.map(code), ...args, '--yes', '--jsonl'],
        given.includes('quota') ? vendor.quotaEnv : {},
      )

    const isOver = (): void => expect(survivorsOf(project.repository.home)).toEqual([])

    it('goes on after what passes, and fails only the issues whose model gives no report', async () => {
      const ran = await fix([...passing, ...lasting], '--max-fix-cycles', '1').done
      expect(ran.exitCode, ran.stderr + ran.stdout).toBe(1)
      const { events, result, types } = linesOf(ran)
      const ends = new Map(result.results.map((one) => [one['issue_code'], one]))
      for (const name of passing)
        expect(ends.get(code(name))).toMatchObject({
          outcome: 'fixed',
          rounds: [{ agent: { ended: 'finished' } }],
        })
      for (const name of lasting)
        expect(ends.get(code(name))).toMatchObject({
          outcome: 'failed',
          commit_sha: null,
          rounds: [{ agent: { ended: expect.stringMatching(/^(malformed|finished)$/) }, diff: '' }],
          reason: expect.stringMatching(/^ran: the agent (malformed|gave no readable report): ./),
        })
      const codesOf = (wanted: string) =>
        events
          .filter(({ type }) => type === wanted)
          .map(({ issue_code }) => issue_code ?? '')
          .toSorted()
      expect(codesOf('fix_issue_committed')).toEqual(passing.map(code).toSorted())
      expect(codesOf('fix_issue_completed')).toEqual([...passing, ...lasting].map(code).toSorted())
      expect(types.at(-1)).toBe('fix_session_completed')
      isOver()
    })

    it.runIf(isHalted('auth'))('waits for a person who logs in', async () => {
      const ran = await fix(['auth']).done
      expect(ran.exitCode, ran.stderr + ran.stdout).toBe(3)
      const { events, result, types } = linesOf(ran)
      expect(types).toEqual([...begun, 'fix_session_parked'])
      expect(events.at(-1)?.details).toMatchObject({ halt: { kind: 'auth', until: null } })
      expect(result).toMatchObject({ status: 'parked', resumable: true, results: [{ outcome: null }] })
      isOver()
    })

    it.runIf(isHalted('billing'))('ends when there is no credit', async () => {
      const ran = await fix(['billing']).done
      expect(ran.exitCode, ran.stderr + ran.stdout).toBe(4)
      const { result, types } = linesOf(ran)
      expect(types).toEqual([...begun, 'fix_issue_completed', 'fix_billing_error', 'fix_session_error'])
      expect(result).toMatchObject({ status: 'failed', resumable: false, results: [{ status: 'open' }] })
      isOver()
    })

    it('is parked until the quota begins anew', async () => {
      const ran = await fix(['quota']).done
      expect(ran.exitCode, ran.stderr + ran.stdout).toBe(4)
      const { events, result, types } = linesOf(ran)
      expect(types).toEqual([...begun, 'fix_session_parked'])
      const until = expect.toSatisfy(isUntilReset)
      expect(events.at(-1)?.details).toMatchObject({ halt: { kind: 'quota', until } })
      expect(result).toMatchObject({ status: 'parked', resumable: true })
      isOver()
    })

    it.runIf(vendor === codex)('fails the issue whose model never answers', async () => {
      const ran = await fix(['hangs'], '--fixer', 'hasty', '--max-fix-cycles', '1').done
      expect(ran.exitCode, ran.stderr + ran.stdout).toBe(1)
      const { result, types } = linesOf(ran)
      const over = ['fix_issue_generating', 'fix_cycle_completed', 'fix_issue_completed']
      expect(types).toEqual([...begun, ...over, 'fix_session_completed'])
      expect(result.results).toMatchObject([{ outcome: 'failed', rounds: [{ agent: { ended: 'timeout' } }] }])
      isOver()
    })

    it('leaves nothing behind when it is stopped at once in the middle of a tool, and can be resumed', async () => {
      const { child, done } = fix(['works'])
      const saidStopping = new Promise((resolve) =>
        child.stderr?.on('data', (chunk: Buffer) => chunk.includes('Ctrl-C again') && resolve(null)),
      )
      const { home } = project.repository
      await expect.poll(() => isRunning('tail', home), { timeout: longMs / 2 }).toBe(true)
      child.kill('SIGINT')
      await saidStopping
      child.kill('SIGINT')
      const ran = await done
      expect(ran.exitCode, ran.stderr + ran.stdout).toBe(130)
      const { result, types } = linesOf(ran)
      expect(types).toEqual([...begun, 'fix_session_parked'])
      isOver()
      const resumed = await project.run('resume', result.session_id, '--yes', '--json')
      expect(resumed.exitCode, resumed.stderr + resumed.stdout).toBe(0)
      expect(resumed.json<Result>().results).toMatchObject([{ outcome: 'fixed', rounds: [{}] }])
      isOver()
    })
  },
)
