import type { AgentRun } from '../../model/agent/agent.ts'
import { nothingSpent, spentBy, withSpent, type Spent } from '../../model/attempt/spending.ts'
import type { Agent, Clock } from '../ports.ts'
import { watchOwnWaits, type OwnWait, type WatchedRun } from './own-waits.ts'
import type { Rest } from './slots.ts'

/** How a run waits for its provider. */
export interface Waiting {
  /** Ends the waiting. */
  readonly signal: AbortSignal
  readonly rest?: Rest
  /** By what name its use is noted while it runs. */
  readonly key?: string
  /** Called for each wait, also for those that the agent makes by itself. */
  readonly onWait?: (wait: ProviderWait) => Promise<void>
}

/** A wait that begins now. */
export interface ProviderWait extends OwnWait {
  readonly agent: string
}

/** The providers' limits: when a provider sends one attempt away, all others wait as well. */
export interface ProviderWaits {
  /** Tries until the run gets through, waiting would not help, `mayTryAgain` says no, or patience ends. */
  run(agent: Agent, work: ProviderWork, waiting: Waiting): Promise<AgentRun>
  /** Whether the session gave up on this agent's provider a moment ago. */
  isGivenUp(agent: Agent): boolean
  /** When a provider that is given up now is asked again. */
  askedAgainAt(): number
}

interface ProviderWork {
  readonly start: (watched: WatchedRun) => Promise<AgentRun>
  /** Asked after each try, with the usage of that try. */
  readonly mayTryAgain: (used: Spent) => boolean
}

const firstWaitMs = 2_000
const longestWaitMs = 60_000
/** A provider that was given up is asked again after this many times the patience. */
const pausesAfterPatience = 5

export function createProviderWaits(clock: Clock, patienceMs: number): ProviderWaits {
  const freeAt = new Map<string, number>()
  const givenUpUntil = new Map<string, number>()
  const refusals = new Map<string, Refusal>()
  const pauseMs = pausesAfterPatience * patienceMs
  return {
    askedAgainAt: () => clock.now() + pauseMs,
    isGivenUp: (agent) => (givenUpUntil.get(providerOf(agent)) ?? 0) > clock.now(),
    async run(agent, work, { signal, rest = (wait) => wait(), onWait = async () => undefined }) {
      const provider = providerOf(agent)
      let waited = 0
      let tried: Spent = nothingSpent
      const waitFor = async ({ kind, reason }: Refusal): Promise<void> => {
        const [now, until] = [clock.now(), freeAt.get(provider) ?? 0]
        if (until <= now) return
        const givesUpAt = now + patienceMs - waited
        await onWait({ agent: agent.name, kind, reason, now, until, givesUpAt })
        waited += await rest(() => waitUntil(until, clock, { signal, mostMs: patienceMs }))
      }
      await waitFor(refusals.get(provider) ?? unknownRefusal)
      for (let tries = 0; ; tries += 1) {
        const begunAt = clock.now()
        const onOwnWait = (wait: OwnWait): Promise<void> => onWait({ ...wait, agent: agent.name })
        const own = watchOwnWaits({ clock, signal, patienceMs: patienceMs - waited, onWait: onOwnWait })
        const { run: last, waitedMs } = await own.end(await work.start(own))
        const mayTryAgain = work.mayTryAgain(spentBy(last))
        const run = { ...withSpent(last, tried), ...(waited > 0 && { waited_ms: Math.round(waited) }) }
        const wait = mayTryAgain && !signal.aborted ? waitAfter(run, tries, clock.now()) : null
        if (wait === null) return run
        // A run that never got through was nothing but waiting, inside of the agent. A clock may have been set back.
        waited += last.tokens === 0 ? Math.max(0, clock.now() - begunAt) : waitedMs
        if (waited + wait > patienceMs) {
          givenUpUntil.set(provider, clock.now() + Math.max(wait, pauseMs))
          return run
        }
        tried = spentBy(run)
        freeAt.set(provider, Math.max(freeAt.get(provider) ?? 0, clock.now() + wait))
        const refusal = refusalOf(run)
        refusals.set(provider, refusal)
        await waitFor(refusal)
      }
    },
  }
}

const providerOf = ({ family, name }: Agent): string => family ?? name

/** Why a provider refused everybody the last time. */
type Refusal = Pick<ProviderWait, 'kind' | 'reason'>
const unknownRefusal: Refusal = { kind: 'rate_limited', reason: 'it let nobody in a moment ago' }
const refusalOf = ({ ending }: AgentRun): Refusal =>
  ending.ended === 'failed' ? { kind: ending.kind, reason: ending.message } : unknownRefusal

/** How long to wait before the same run is tried again; null when waiting would not help. */
function waitAfter({ ending }: AgentRun, tries: number, now: number): number | null {
  if (ending.ended === 'finished') return null
  if (!['rate_limited', 'overloaded', 'quota'].includes(ending.kind)) return null
  const pause = Math.min(longestWaitMs, firstWaitMs * 2 ** tries)
  const resetAt = ending.reset_at === null ? Number.NaN : Date.parse(ending.reset_at)
  if (Number.isNaN(resetAt)) return ending.kind === 'quota' ? null : pause
  // A provider that named a time and refuses again at that time has named nothing to rely on: the pause counts as well.
  return Math.max(tries === 0 ? 0 : pause, resetAt - now)
}

async function waitUntil(
  at: number,
  clock: Clock,
  { signal, mostMs }: { readonly signal: AbortSignal; readonly mostMs: number },
): Promise<number> {
  // Nothing is ever put off for longer than this, even when a clock is set back.
  const ms = Math.min(at - clock.now(), mostMs)
  if (ms <= 0) return 0
  await clock.wait(ms, signal)
  return ms
}
