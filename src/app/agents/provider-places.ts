import { setTimeout as delay } from 'node:timers/promises'
import { createRunMark } from '../../adapters/process/run-mark.ts'
import type { Store } from '../../adapters/store/index.ts'
import type { Agent, Agents, Clock, ProviderPause } from '../../loop/ports.ts'
import type { AgentRun } from '../../model/agent/agent.ts'

export interface ProviderPlaces {
  readonly providers: Store['providers']
  /** How many agents of each family may run at once, in all processes; without a number, any. */
  readonly most: Readonly<Record<string, number>>
  readonly home: string
  readonly clock: Pick<Clock, 'now'>
}

/**
 * The same agents, with limits that all processes share: a limit that one process learns holds for all, and no family
 * runs more often than it may.
 */
export const shareProviders = (agents: Agents, places: ProviderPlaces): Agents => ({
  forRole: (role) =>
    agents.forRole(role).map(({ agent, ...rest }) => ({ ...rest, agent: shareProvider(agent, places) })),
})

function shareProvider(agent: Agent, { providers, most, home, clock }: ProviderPlaces): Agent {
  // Only families have a service behind them that others ask too.
  const provider = agent.family
  if (provider === null) return agent
  return {
    ...agent,
    async run(request) {
      const paused = await providers.paused(provider)
      if (paused) return notAsked(agent, paused)
      const run = await holding(
        { providers, provider, most: most[provider], home, signal: request.signal },
        () => agent.run(request),
      )
      const pause = pauseAfter(run, clock.now())
      if (pause) await providers.pause(provider, pause)
      return run
    },
  }
}

/** Reported as the provider itself would report it: the caller waits, tries again or takes another agent. */
const notAsked = ({ name }: Agent, { kind, reason, untilMs }: ProviderPause): AgentRun => ({
  agent: name,
  model: null,
  ending: {
    ended: 'failed',
    kind,
    message: `${reason} (another session was told so)`,
    reset_at: new Date(untilMs).toISOString(),
  },
  text: '',
  tokens: 0,
  cost_usd: 0,
  conversation_id: null,
  duration_ms: 0,
})

/** A provider that names no time is left alone for a moment, and no provider for longer than a person may need to change the key. */
const shortMs = 2_000
const longMs = 60_000

/** A quota belongs to an account, which the next session may not use: that session asks for itself and learns it at once. */
function pauseAfter({ ending }: AgentRun, nowMs: number): ProviderPause | null {
  if (ending.ended === 'finished') return null
  const { kind } = ending
  if (kind !== 'rate_limited' && kind !== 'overloaded') return null
  const named = ending.reset_at === null ? Number.NaN : Date.parse(ending.reset_at)
  const untilMs = Number.isNaN(named) ? nowMs + shortMs : Math.min(named, nowMs + longMs)
  return { untilMs, kind, reason: ending.message.slice(0, 300) }
}

interface Holding extends Pick<ProviderPlaces, 'providers' | 'home'> {
  readonly provider: string
  readonly most: number | undefined
  readonly signal: AbortSignal
}

const lookAgainMs = 500
const stayEveryMs = 5_000

/** Waits for a place, and keeps it while the work runs; a caller that is told to stop meanwhile works without one, and ends at once. */
async function holding<Value>(
  { providers, provider, most, home, signal }: Holding,
  work: () => Promise<Value>,
): Promise<Value> {
  if (most === undefined) return work()
  const holder = createRunMark(home)
  let place = await providers.enter(provider, most, holder)
  while (place === null && !signal.aborted) {
    await delay(lookAgainMs * (0.75 + Math.random() / 2))
    place = await providers.enter(provider, most, holder)
  }
  if (place === null) return work()
  const taken = place
  // A database that cannot be reached now is asked again: a place is lost only after several failures.
  const timer = setInterval(
    () => void providers.stay(provider, taken, holder).catch(() => undefined),
    stayEveryMs,
  )
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await providers.leave(provider, taken, holder).catch(() => undefined)
  }
}
