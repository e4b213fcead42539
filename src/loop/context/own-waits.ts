import type { AgentRun, AgentUpdate, FailureKind } from '../../model/agent/agent.ts'
import { formatDuration } from '../../model/duration.ts'
import type { Clock } from '../ports.ts'

/** The handles of a run that ends when its agent waits for a service for longer than patience lasts. */
export interface WatchedRun {
  /** Ends the run: from outside, or because patience is over. */
  readonly signal: AbortSignal
  /** Must hear every update of the run. */
  readonly hear: (update: AgentUpdate) => void
}

/** One wait of an agent that asks its service again by itself. */
export interface OwnWait {
  readonly kind: FailureKind
  readonly reason: string
  readonly now: number
  readonly until: number
  readonly givesUpAt: number
}

interface OwnWaitsOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly patienceMs: number
  /** Called for each wait. */
  readonly onWait: (wait: OwnWait) => Promise<void>
}

export interface OwnWaits extends WatchedRun {
  /** The run as it counts: a run that was ended for lack of patience has failed for the reason of its wait. */
  end(run: AgentRun): Promise<{ readonly run: AgentRun; readonly waitedMs: number }>
}

type Waiting = Extract<AgentUpdate, { type: 'waiting' }>

/** Asking again helps in time against these; a refused login is at best renewed within seconds. */
const passing: readonly FailureKind[] = ['rate_limited', 'overloaded', 'quota']
const shortPatienceMs = 10_000

/** Watches an agent that waits for its service by itself, tells each wait, and ends the run when patience is over. */
export function watchOwnWaits({ clock, signal, patienceMs, onWait }: OwnWaitsOptions): OwnWaits {
  const over = new AbortController()
  let stretch: Stretch | null = null
  let givenUp: { readonly wait: Waiting; readonly waitedMs: number } | null = null
  const reports: Promise<void>[] = []
  const giveUp = ({ since, last }: Stretch): void => {
    givenUp ??= { wait: last, waitedMs: Math.max(0, clock.now() - since) }
    over.abort()
  }
  const goOn = (): void => {
    stretch?.ended.abort()
    stretch = null
  }
  const hearWait = (wait: Waiting): void => {
    const now = clock.now()
    const isNew = stretch === null
    stretch = { since: now, ended: new AbortController(), ...stretch, last: wait }
    const patience = passing.includes(wait.kind) ? patienceMs : Math.min(patienceMs, shortPatienceMs)
    const [until, givesUpAt] = [now + wait.ms, stretch.since + patience]
    const reported = onWait({ kind: wait.kind, reason: wait.reason, now, until, givesUpAt })
    // It is looked at when the run has ended.
    reported.catch(() => undefined)
    reports.push(reported)
    if (until > givesUpAt) giveUp(stretch)
    else if (isNew) void watchStretch(givesUpAt - now, stretch.ended.signal)
  }
  const watchStretch = async (ms: number, ended: AbortSignal): Promise<void> => {
    await clock.wait(ms, ended)
    if (!ended.aborted && stretch) giveUp(stretch)
  }
  return {
    signal: AbortSignal.any([signal, over.signal]),
    hear(update) {
      if (update.type === 'waiting') hearWait(update)
      else if (update.type !== 'refused_host') goOn()
    },
    async end(run) {
      goOn()
      await Promise.all(reports)
      if (!givenUp || signal.aborted || run.ending.ended === 'finished') return { run, waitedMs: 0 }
      return { run: { ...run, ending: endingOf(givenUp, clock.now()) }, waitedMs: givenUp.waitedMs }
    },
  }
}

/** From the first wait to the next sign of work. */
interface Stretch {
  readonly since: number
  readonly last: Waiting
  readonly ended: AbortController
}

function endingOf(
  { wait, waitedMs }: { readonly wait: Waiting; readonly waitedMs: number },
  now: number,
): AgentRun['ending'] {
  const seconds = Math.round(waitedMs / 1000) * 1000
  const length = seconds > 0 ? `, and asked again by itself for ${formatDuration(seconds)}` : ''
  const reset_at = wait.ms > 0 ? new Date(now + wait.ms).toISOString() : null
  return { ended: 'failed', kind: wait.kind, message: `${wait.reason}${length}`, reset_at }
}
