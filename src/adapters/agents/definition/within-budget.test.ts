import { expect, it } from 'vitest'
import { sampleRun } from '../../../../test/fixtures/attempt-samples.ts'
import { noPowers, type Agent, type AgentRequest } from '../../../loop/ports.ts'
import type { AgentRun } from '../../../model/agent/agent.ts'
import { runWithinBudget } from './within-budget.ts'

const cancelled = { ended: 'failed', kind: 'cancelled', message: 'it was cancelled', reset_at: null } as const

const agentOf = (run: Agent['run']): Agent => ({ name: 'a', family: null, can: noPowers, run })
const requestOf = (given: Partial<AgentRequest> = {}): AgentRequest =>
  ({
    onUpdate: () => undefined,
    signal: new AbortController().signal,
    timeoutMs: 1_000,
    ...given,
  }) as AgentRequest

/** Tells that it has used so much, and works until it is stopped. */
const spends = (usd: number) =>
  agentOf(async ({ onUpdate, signal }): Promise<AgentRun> => {
    onUpdate({ type: 'usage', tokens: 1_000, cost_usd: usd })
    return sampleRun({ ending: signal.aborted ? cancelled : { ended: 'finished' } })
  })

it('the guard of a budget stops a run that tells that it has used more than it may, and calls that its budget', async () => {
  expect(await runWithinBudget(spends(0.87), requestOf({ budgetUsd: 0.3 }))).toMatchObject({
    ending: { kind: 'budget', message: expect.stringContaining('$0.87 of the $0.30') },
    cost_usd: 0.87,
    tokens: 1_000,
  })
})

it('the guard of a budget lets others work on: those within their budget, without one, and who keep to it themselves', async () => {
  const finished = { ending: { ended: 'finished' } }
  expect(await runWithinBudget(spends(0.2), requestOf({ budgetUsd: 0.3 }))).toMatchObject(finished)
  expect(await runWithinBudget(spends(9), requestOf())).toMatchObject(finished)
  expect(
    await runWithinBudget(spends(9), requestOf({ budgetUsd: 0.3 }), { keepsBudget: true }),
  ).toMatchObject(finished)
})

it('the guard of a budget counts what a stopped run had told, and says that it is an estimate', async () => {
  const stopped = agentOf(async ({ onUpdate }) => {
    onUpdate({ type: 'usage', tokens: 500, cost_usd: 2 })
    return sampleRun({ ending: { ...cancelled, kind: 'timeout' } })
  })
  expect(await runWithinBudget(stopped, requestOf())).toMatchObject({
    ending: { kind: 'timeout' },
    tokens: 500,
    cost_usd: 2,
    cost_estimated: true,
  })
})

it('the guard of a budget believes what a run says at its end more than what it told on the way', async () => {
  const exact = agentOf(async ({ onUpdate }) => {
    onUpdate({ type: 'usage', tokens: 900, cost_usd: 3 })
    return sampleRun({ tokens: 800, cost_usd: 1 })
  })
  const run = await runWithinBudget(exact, requestOf())
  expect(run).toMatchObject({ tokens: 800, cost_usd: 1 })
  expect(run).not.toHaveProperty('cost_estimated')
})

it('the guard of a budget calls a run cancelled that somebody else stopped', async () => {
  const signal = AbortSignal.abort()
  expect(await runWithinBudget(spends(9), requestOf({ budgetUsd: 1, signal }))).toMatchObject({
    ending: { kind: 'cancelled' },
  })
})
