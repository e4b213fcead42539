import { describe, expect, it } from 'vitest'
import { finished, sampleRound, sampleRun } from '../../../test/fixtures/attempt-samples.ts'
import type { AgentEnding, AgentRun } from '../../model/agent/agent.ts'
import type { Attempt } from '../../model/attempt/attempt.ts'
import type { Spent } from '../../model/attempt/spending.ts'
import type { AttemptId, IssueId, SessionId } from '../../model/id.ts'
import { createLimits } from './limits.ts'
import type { ProviderWait } from './provider-waits.ts'
import { noPowers, type Agent, type Clock } from '../ports.ts'
import { runRole } from './run-role.ts'

const unbounded = { session: { usd: null, tokens: null }, issue: { usd: null, tokens: null } }
const never = new AbortController().signal

/** A clock that jumps: waiting takes no time, and is written down. */
function jumpingClock(): Clock & { readonly waits: readonly number[] } {
  const waits: number[] = []
  let now = 0
  return {
    waits,
    now: () => now,
    wait(ms) {
      waits.push(ms)
      now += ms
      return Promise.resolve()
    },
  }
}

const runOf = (ending: AgentEnding, agent = 'a', cost = 0): AgentRun =>
  sampleRun({ agent, ending, cost_usd: cost })
const failed = (kind: Extract<AgentEnding, { ended: 'failed' }>['kind'], reset_at: string | null = null) =>
  ({ ended: 'failed', kind, message: `it ${kind}`, reset_at }) as const

const agentOf = (name: string, family: string | null = null): Agent => ({
  name,
  family,
  can: noPowers,
  run: () => Promise.reject(new Error('not asked')),
})
const attemptOf = (code: string, cost = 0): Attempt => ({
  stage: 'settled',
  id: `att_${code}` as AttemptId,
  session_id: 'ses_1' as SessionId,
  issue_id: `iss_${code}` as IssueId,
  issue_code: code,
  position: 0,
  files: [],
  after: [],
  policy: { max_rounds: 3, threshold: 90, challenge: true, min_evidence: 'E1', unattended: 'hold' },
  deferrals: 0,
  outcome: 'failed',
  reason: '',
  commit_sha: null,
  commit_message: null,
  evidence: null,
  rounds: [sampleRound({ run: runOf(finished, 'a', cost) })],
})

describe('rate limits', () => {
  it('are waited out with growing pauses, then the run is tried again', async () => {
    const clock = jumpingClock()
    const endings = [failed('rate_limited'), failed('overloaded'), finished]
    const run = await createLimits(unbounded, clock).run(
      agentOf('a'),
      () => Promise.resolve(runOf(endings.shift() ?? finished)),
      { signal: never },
    )
    expect(run).toMatchObject({ ending: finished, waited_ms: 6_000 })
    expect(clock.waits).toEqual([2_000, 4_000])
  })

  it('are waited out until the time that the provider names, by all who use it', async () => {
    const clock = jumpingClock()
    const limits = createLimits(unbounded, clock)
    const endings = [failed('quota', new Date(90_000).toISOString()), finished]
    const work = () => Promise.resolve(runOf(endings.shift() ?? finished))
    const first = limits.run(agentOf('claude-a', 'claude'), work, { signal: never })
    await first
    expect(clock.waits).toEqual([90_000])
    await limits.run(agentOf('claude-b', 'claude'), work, { signal: never })
    expect(clock.waits).toEqual([90_000])
  })

  it('lend the place of who waits for them, and of nobody else', async () => {
    const endings = [failed('rate_limited'), finished]
    const told: string[] = []
    const work = () => {
      told.push('work')
      return Promise.resolve(runOf(endings.shift() ?? finished))
    }
    await createLimits(unbounded, jumpingClock()).run(agentOf('a'), work, {
      signal: never,
      rest: (wait) => {
        told.push('rest')
        return wait()
      },
    })
    expect(told).toEqual(['work', 'rest', 'work'])
  })

  it('are given up when they last longer than anyone waits', async () => {
    const clock = jumpingClock()
    const run = await createLimits(unbounded, clock).run(
      agentOf('a'),
      () => Promise.resolve(runOf(failed('rate_limited'))),
      { signal: never },
    )
    expect(run.ending).toMatchObject({ kind: 'rate_limited' })
    expect(clock.waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(120_000)
  })

  it('are told before each wait: who waits, why, until when, and when that is given up', async () => {
    const clock = jumpingClock()
    const endings = [failed('overloaded'), failed('rate_limited'), finished]
    const told: ProviderWait[] = []
    await createLimits(unbounded, clock).run(
      agentOf('a'),
      () => Promise.resolve(runOf(endings.shift() ?? finished)),
      { signal: never, onWait: async (wait) => void told.push(wait) },
    )
    expect(told).toEqual([
      { agent: 'a', kind: 'overloaded', reason: 'it overloaded', now: 0, until: 2_000, givesUpAt: 120_000 },
      {
        agent: 'a',
        kind: 'rate_limited',
        reason: 'it rate_limited',
        now: 2_000,
        until: 6_000,
        givesUpAt: 120_000,
      },
    ])
  })

  it('are told to those also who come while another one waits', async () => {
    const clock = jumpingClock()
    const limits = createLimits(unbounded, { ...clock, wait: async () => undefined })
    const endings = [failed('overloaded'), finished]
    const work = () => Promise.resolve(runOf(endings.shift() ?? finished))
    await limits.run(agentOf('a'), work, { signal: never })
    const told: ProviderWait[] = []
    await limits.run(agentOf('a'), work, { signal: never, onWait: async (wait) => void told.push(wait) })
    expect(told).toMatchObject([{ kind: 'overloaded', reason: 'it overloaded', until: 2_000 }])
  })

  it('are waited for no longer than patience lasts, with the time that runs took which never got through', async () => {
    const clock = jumpingClock()
    let runs = 0
    const limits = createLimits(unbounded, clock, { patienceMs: 60_000 })
    const run = await limits.run(
      agentOf('a'),
      async () => {
        runs += 1
        await clock.wait(20_000, never)
        return runOf(failed('overloaded'))
      },
      { signal: never },
    )
    expect(run.ending).toMatchObject({ kind: 'overloaded' })
    expect([runs, clock.now()]).toEqual([3, 66_000])
  })

  it('cost what all tries together cost, also where another agent takes over', async () => {
    const limits = createLimits(unbounded, jumpingClock(), { before: { usd: 10, tokens: 0 } })
    const endings = [failed('rate_limited'), failed('billing'), finished]
    const role = (name: string) => ({ agent: agentOf(name), timeoutMs: 1 })
    const ask = ({ agent }: { readonly agent: Agent }) =>
      Promise.resolve(runOf(endings.shift() ?? finished, agent.name, 2))
    expect(await runRole([role('a'), role('b')], ask, { limits, signal: never })).toMatchObject({
      agent: 'b',
      cost_usd: 6,
    })
    expect(limits.spent()).toEqual({ usd: 16, tokens: 0 })
  })

  it.each([
    ['a time that is over', new Date(0).toISOString()],
    ['no time at all', 'soon'],
  ])('are given up also where the provider names %s again and again', async (_, resetAt) => {
    const clock = jumpingClock()
    await clock.wait(1, never)
    let runs = 0
    const run = await createLimits(unbounded, clock).run(
      agentOf('a'),
      () => {
        runs += 1
        return runs > 100
          ? Promise.reject(new Error('endless'))
          : Promise.resolve(runOf(failed('rate_limited', resetAt)))
      },
      { signal: never },
    )
    expect(run.ending).toMatchObject({ kind: 'rate_limited' })
    expect(runs).toBeLessThan(30)
  })

  it('waits no longer for a provider because the clock was set back', async () => {
    const clock = jumpingClock()
    let setBackMs = 0
    const limits = createLimits(unbounded, { ...clock, now: () => clock.now() - setBackMs })
    const endings = [failed('rate_limited'), finished]
    const work = () => {
      setBackMs = 10 * 365 * 86_400_000
      return Promise.resolve(runOf(endings.shift() ?? finished))
    }
    await limits.run(agentOf('a'), work, { signal: never })
    setBackMs *= 2
    await limits.run(agentOf('a'), work, { signal: never })
    expect(Math.max(...clock.waits)).toBeLessThanOrEqual(2 * 60_000)
  })
})

describe('a role', () => {
  const role = (name: string) => ({ agent: agentOf(name), timeoutMs: 1 })

  it('goes to its fallback when the provider of the first lets nobody in', async () => {
    const limits = createLimits(unbounded, jumpingClock())
    const run = await runRole(
      [role('a'), role('b')],
      ({ agent }) => Promise.resolve(runOf(agent.name === 'a' ? failed('billing') : finished, agent.name)),
      { limits, signal: never },
    )
    expect(run).toMatchObject({ agent: 'b' })
    expect(limits.halted()).toBeNull()
  })

  it.each([
    ['billing', 'billing'],
    ['quota', 'quota'],
    ['auth', 'auth'],
    ['overloaded', 'overloaded'],
    ['rate_limited', 'rate_limited'],
    ['model_not_found', 'model_not_found'],
    ['tools_unavailable', 'tools_unavailable'],
  ] as const)('halts the session when no provider is left: %s', async (kind, halt) => {
    const limits = createLimits(unbounded, jumpingClock())
    const run = await runRole([role('a')], () => Promise.resolve(runOf(failed(kind))), {
      limits,
      signal: never,
    })
    expect(run).toBeNull()
    expect(limits.halted()).toMatchObject({ kind: halt, reason: `a: it ${kind}` })
    expect(limits.haltSignal.aborted).toBe(true)
  })

  it('asks the fallback at once as long as patience with the first is lost, and the first again later', async () => {
    const clock = jumpingClock()
    const limits = createLimits(unbounded, clock)
    const asked: string[] = []
    const ask = ({ agent }: { readonly agent: Agent }) => {
      asked.push(agent.name)
      return Promise.resolve(runOf(agent.name === 'a' ? failed('overloaded') : finished, agent.name))
    }
    const run = () => runRole([role('a'), role('b')], ask, { limits, signal: never })
    expect(await run()).toMatchObject({ agent: 'b' })
    expect(clock.now()).toBeLessThanOrEqual(120_000)
    asked.length = 0
    expect(await run()).toMatchObject({ agent: 'b' })
    expect(asked).toEqual(['b'])
    await clock.wait(600_000, never)
    await run()
    expect(asked).toContain('a')
  })

  it('whose last agent is overloaded says when to come back', async () => {
    const limits = createLimits(unbounded, jumpingClock())
    await runRole([role('a')], () => Promise.resolve(runOf(failed('overloaded'))), { limits, signal: never })
    expect(Date.parse(limits.halted()?.until ?? '')).toBeGreaterThan(600_000)
  })

  it('gives a prompt that is too long to the fallback, once; it is the issue’s own failure', async () => {
    const limits = createLimits(unbounded, jumpingClock())
    const asked: string[] = []
    const ask = ({ agent }: { readonly agent: Agent }) => {
      asked.push(agent.name)
      return Promise.resolve(runOf(failed('too_long'), agent.name, 1))
    }
    const run = await runRole([role('a'), role('b')], ask, { limits, signal: never })
    expect(run).toMatchObject({ agent: 'a', ending: { kind: 'too_long' }, cost_usd: 2 })
    expect([asked, limits.halted()]).toEqual([['a', 'b'], null])
  })

  it('keeps a failure that is the issue’s own', async () => {
    const limits = createLimits(unbounded, jumpingClock())
    const run = await runRole([role('a')], () => Promise.resolve(runOf(failed('timeout'))), {
      limits,
      signal: never,
    })
    expect(run?.ending).toMatchObject({ kind: 'timeout' })
    expect(limits.halted()).toBeNull()
  })
})

describe('the circuit breaker', () => {
  it('opens when five issues fail in the same way and none has come through', () => {
    const limits = createLimits(unbounded, jumpingClock())
    for (const code of ['A', 'B', 'B', 'C', 'D']) limits.noteEnding(attemptOf(code), runOf(failed('crashed')))
    expect(limits.halted()).toBeNull()
    limits.noteEnding(attemptOf('E'), runOf(failed('crashed')))
    expect(limits.halted()).toMatchObject({ kind: 'breaker' })
  })
  it('stays closed once a run has finished', () => {
    const limits = createLimits(unbounded, jumpingClock())
    limits.noteEnding(attemptOf('Z'), runOf(finished))
    for (const code of ['A', 'B', 'C', 'D', 'E', 'F'])
      limits.noteEnding(attemptOf(code), runOf(failed('crashed')))
    expect(limits.halted()).toBeNull()
  })
})

describe('budgets', () => {
  const budget = { session: { usd: 10, tokens: null }, issue: { usd: 4, tokens: null } }
  it('leave what is left', () => {
    const limits = createLimits(budget, jumpingClock())
    expect(limits.allowance([attemptOf('A', 1)], [attemptOf('A', 1), attemptOf('B', 8)])).toEqual({
      allowed: true,
      budgetUsd: 1,
    })
  })
  it('of issues that share a run are put together, within what the session has left', () => {
    const limits = createLimits(budget, jumpingClock())
    const pair = [attemptOf('A', 1), attemptOf('B', 1)]
    expect(limits.allowance(pair, pair)).toEqual({ allowed: true, budgetUsd: 6 })
    expect(limits.allowance(pair, [...pair, attemptOf('C', 5)])).toEqual({ allowed: true, budgetUsd: 3 })
  })
  describe('of runs that are under way together', () => {
    const openAttempts = (count: number): readonly Attempt[] =>
      Array.from(
        { length: count },
        (_, at) => ({ ...attemptOf(`${at}`), stage: 'fixing' }) as unknown as Attempt,
      )

    it('are promised once, in equal parts', async () => {
      const limits = createLimits(budget, jumpingClock(), { places: 4 })
      const all = openAttempts(6)
      const share = (at: number) => limits.share(all.slice(at, at + 1), all)
      const shares = [0, 1, 2, 3].map(share)
      expect(shares.map(({ usd }) => usd)).toEqual([2.5, 2.5, 2.5, 2.5])
      shares[0]?.release()
      await limits.run(agentOf('a'), () => Promise.resolve(runOf(finished, 'a', 1)), { signal: never })
      expect(share(4).usd).toBe(1.5)
    })

    it('are not kept for runs that will not be', () => {
      const limits = createLimits(budget, jumpingClock(), { places: 4 })
      const all = [...openAttempts(2), attemptOf('over')]
      const shares = [0, 1].map((at) => limits.share(all.slice(at, at + 1), all).usd)
      expect(shares).toEqual([4, 4])
    })

    it('need no promise where only the issue has one, or nobody', () => {
      const all = openAttempts(8)
      const ofIssues = createLimits({ ...unbounded, issue: { usd: 4, tokens: null } }, jumpingClock(), {
        places: 8,
      })
      expect(all.map((one) => ofIssues.share([one], all).usd)).toEqual(all.map(() => 4))
      expect(createLimits(unbounded, jumpingClock()).share(all.slice(0, 1), all).usd).toBeNull()
    })
  })

  describe('let as many attempts begin as can be paid to their end', () => {
    const limits = () =>
      createLimits({ ...unbounded, session: { usd: 5, tokens: null } }, jumpingClock(), { places: 4 })
    const at = (stage: string, code: string, given: object = {}) =>
      ({ ...attemptOf(code), rounds: [], stage, ...given }) as unknown as Attempt
    const queued = ['P', 'Q', 'R', 'S'].map((code) => at('queued', code))
    /** One that has cost a dollar and a half, and half a dollar for its challenge. */
    const done = {
      ...attemptOf('A', 1.5),
      rounds: attemptOf('A', 1.5).rounds.map((one) => ({ ...one, challenge: { cost_usd: 0.5 } })),
    } as unknown as Attempt
    const fixing = at('fixing', 'B')
    const begun = (...attempts: readonly Attempt[]) => new Set(attempts.map(({ id }) => id))

    it('two at first, of a budget of five: what one costs is not known yet', () => {
      expect(limits().affordable(queued, begun())).toBe(2)
    })
    it('those that run come first, with their challenges', () => {
      expect(limits().affordable([done, ...queued], begun())).toBe(1)
      expect(limits().affordable([done, fixing, ...queued], begun(fixing))).toBe(0)
    })
    it('and one where nobody knows whether it can be paid', () => {
      const small = createLimits({ ...unbounded, session: { usd: 1, tokens: null } }, jumpingClock())
      expect([small.affordable(queued, begun()), small.halted()]).toEqual([1, null])
    })
    it('and the session waits for more money when nothing runs and the rest pays for no other', () => {
      const spent = limits()
      const two = { ...done, id: 'att_A2' } as Attempt
      expect(spent.affordable([done, two, ...queued], begun())).toBe(0)
      expect(spent.halted()).toMatchObject({
        kind: 'budget',
        reason: '$1.00 of $5.00 left, and another fix costs about $2.00 with its challenge',
      })
    })
    it('and all of them without a budget, or where they cost nothing', () => {
      const free = [attemptOf('A', 0), ...queued]
      expect(createLimits(unbounded, jumpingClock()).affordable(queued, begun())).toBe(Infinity)
      expect(limits().affordable(free, begun())).toBe(Infinity)
    })
  })

  it('are told as they are used, with what runs have used that are still under way', async () => {
    const told: Spent[] = []
    const limits = createLimits(unbounded, jumpingClock(), {
      before: { usd: 1, tokens: 0 },
      onSpent: (spent) => void told.push(spent),
    })
    await limits.run(
      agentOf('a'),
      async () => {
        limits.noteUsage('att_1', { usd: 2, tokens: 20 })
        limits.noteUsage('att_1', { usd: 3, tokens: 30 })
        return runOf(finished, 'a', 2.5)
      },
      { signal: never, key: 'att_1' },
    )
    expect(told).toEqual([
      { usd: 3, tokens: 20 },
      { usd: 4, tokens: 30 },
      { usd: 3.5, tokens: 0 },
    ])
  })

  it('of one issue end that issue only', () => {
    const limits = createLimits(budget, jumpingClock())
    expect(limits.allowance([attemptOf('A', 4)], [attemptOf('A', 4)])).toMatchObject({ allowed: false })
    expect(limits.halted()).toBeNull()
  })
  it('of the session halt it with the run that uses them up: nothing is tried again, nobody takes over', async () => {
    const limits = createLimits({ ...unbounded, session: { usd: 4, tokens: null } }, jumpingClock())
    const asked: string[] = []
    const role = (name: string) => ({ agent: agentOf(name), timeoutMs: 1 })
    const ask = ({ agent }: { readonly agent: Agent }) => {
      asked.push(agent.name)
      return Promise.resolve(runOf(failed('rate_limited'), agent.name, 5))
    }
    expect(await runRole([role('a'), role('b')], ask, { limits, signal: never })).toBeNull()
    expect([asked, limits.halted()?.kind, limits.haltSignal.aborted]).toEqual([['a'], 'budget', true])
  })

  it('of the session halt it', () => {
    const limits = createLimits(budget, jumpingClock())
    limits.allowance([attemptOf('A', 1)], [attemptOf('A', 1), attemptOf('B', 9)])
    expect(limits.halted()).toMatchObject({
      kind: 'budget',
      reason: 'the session has used $10.00 of its $10.00',
    })
  })
})
