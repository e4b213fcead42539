import { expect, test } from 'vitest'
import type { Agent, AgentRequest, ProviderPause, ProviderStore } from '../../loop/ports.ts'
import type { AgentRun } from '../../model/agent/agent.ts'
import { shareProviders } from './provider-places.ts'

/** Places in memory, as one process would see those of all. */
function createProviders(): ProviderStore & { readonly held: Set<number>; pauses: ProviderPause[] } {
  const held = new Set<number>()
  const pauses: ProviderPause[] = []
  return {
    held,
    pauses,
    async enter(_provider, most) {
      const place = Array.from({ length: most }, (_, index) => index + 1).find((one) => !held.has(one))
      if (place !== undefined) held.add(place)
      return place ?? null
    },
    stay: async () => undefined,
    leave: async (_provider, place) => void held.delete(place),
    pause: async (_provider, pause) => void pauses.push(pause),
    paused: async () => pauses.at(-1) ?? null,
  }
}

const finished: AgentRun = {
  agent: 'a',
  model: null,
  ending: { ended: 'finished' },
  text: '',
  tokens: 1,
  cost_usd: 0,
  conversation_id: null,
  duration_ms: 1,
}

const agentOf = (run: Agent['run'], family: string | null = 'claude'): Agent => ({
  name: 'a',
  family,
  can: { resume: false, fork: false, compact: false, subagents: false },
  run,
})

const shared = (agent: Agent, providers: ProviderStore, most: Readonly<Record<string, number>>): Agent => {
  const roles = shareProviders(
    { forRole: () => [{ agent, timeoutMs: 1_000 }] },
    { providers, most, home: '/home', clock: { now: () => 0 } },
  )
  const [first] = roles.forRole('fixer')
  if (!first) throw new Error('there is no agent')
  return first.agent
}

const request = { signal: new AbortController().signal } as AgentRequest

test('no more agents of a family run at once than its limit, and every place is given back', async () => {
  const providers = createProviders()
  let [running, most] = [0, 0]
  const agent = agentOf(async () => {
    most = Math.max(most, (running += 1))
    await new Promise((resolve) => setTimeout(resolve, 5))
    running -= 1
    return finished
  })
  const limited = shared(agent, providers, { claude: 2 })
  await Promise.all(Array.from({ length: 5 }, () => limited.run(request)))
  expect([most, providers.held.size]).toEqual([2, 0])
})

test('a place is given back when the agent throws', async () => {
  const providers = createProviders()
  const limited = shared(
    agentOf(async () => Promise.reject(new Error('no'))),
    providers,
    { claude: 1 },
  )
  await expect(limited.run(request)).rejects.toThrow('no')
  expect(providers.held.size).toBe(0)
})

test('what one session was told of a limit holds for the next one, which asks nobody for a minute at most', async () => {
  const providers = createProviders()
  const reset_at = '2031-01-01T00:00:00.000Z'
  let asked = 0
  const agent = agentOf(async () => {
    asked += 1
    return { ...finished, ending: { ended: 'failed', kind: 'rate_limited', message: 'slow down', reset_at } }
  })
  await shared(agent, providers, {}).run(request)
  const second = await shared(agent, providers, {}).run(request)
  expect([asked, second.ending]).toEqual([
    1,
    {
      ended: 'failed',
      kind: 'rate_limited',
      message: 'slow down (another session was told so)',
      reset_at: '1970-01-01T00:01:00.000Z',
    },
  ])
})

test('an agent without a service behind it, a quota and a failure of its own change nothing for others', async () => {
  const providers = createProviders()
  for (const kind of ['crashed', 'quota'] as const) {
    const broken = {
      ...finished,
      ending: { ended: 'failed', kind, message: 'x', reset_at: '2031-01-01T00:00:00.000Z' },
    } as const
    const agent = agentOf(async () => broken)
    await shared(agent, providers, {}).run(request)
  }
  const own = agentOf(async () => finished, null)
  expect([providers.pauses, shared(own, providers, { a: 1 })]).toEqual([[], own])
})
