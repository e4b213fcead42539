import { expect, test } from 'vitest'
import { sampleRun, sampleTask } from '../../../../test/fixtures/attempt-samples.ts'
import { own } from '../../../loop/own-text.ts'
import type { AgentRequest } from '../../../loop/ports.ts'
import type { AgentRun } from '../../../model/agent/agent.ts'
import { defineOwnAgent, type OwnAgent, type OwnRun } from './index.ts'

const task = sampleTask({ workspace: '/nowhere' })

const requestOf = (given: Partial<AgentRequest> = {}): AgentRequest => ({
  task,
  prompt: own`fix it`,
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  onUpdate: () => undefined,
  ...given,
})

async function runOf(run: OwnAgent['run'], request = requestOf()): Promise<AgentRun> {
  const { create } = defineOwnAgent('mine', { run })
  const agent = await create({} as Parameters<typeof create>[0])
  return { ...(await agent.run(request)), duration_ms: 0 }
}

const ended = (ending: AgentRun['ending']): AgentRun => sampleRun({ agent: 'mine', ending })

test('an answer is enough; what an agent says beside it is kept, but for its name', async () => {
  expect(await runOf(async () => ({ text: 'done' }))).toEqual({
    ...ended({ ended: 'finished' }),
    text: 'done',
  })
  const said = { text: 'done', model: 'm', tokens: 7, cost_usd: 0.5, agent: 'another' }
  expect(await runOf(async () => said)).toMatchObject({ ...said, agent: 'mine' })
})

test('an agent that throws has crashed, in its own words', async () => {
  const run = await runOf(() => Promise.reject(new Error('no model')))
  expect(run).toEqual(ended({ ended: 'failed', kind: 'crashed', message: 'no model', reset_at: null }))
})

test('what is no run is malformed', async () => {
  const { ending } = await runOf(async () => ({ answer: 'done' }) as unknown as OwnRun)
  expect(ending).toMatchObject({ ended: 'failed', kind: 'malformed' })
})

test('a run that goes on beyond its time or its caller is ended, and learns of it', async () => {
  const told: boolean[] = []
  const hangs: OwnAgent['run'] = ({ signal }) =>
    new Promise(() => signal.addEventListener('abort', () => told.push(true)))
  expect((await runOf(hangs, requestOf({ timeoutMs: 1 }))).ending).toMatchObject({ kind: 'timeout' })
  const caller = new AbortController()
  const running = runOf(
    (request) => {
      setImmediate(() => caller.abort())
      return hangs(request)
    },
    requestOf({ signal: caller.signal }),
  )
  expect((await running).ending).toMatchObject({ kind: 'cancelled' })
  expect(told).toEqual([true, true])
})

test('a run that was cancelled before it began does not begin', async () => {
  const run = await runOf(
    () => Promise.reject(new Error('it began')),
    requestOf({ signal: AbortSignal.abort() }),
  )
  expect(run.ending).toMatchObject({ kind: 'cancelled' })
})
