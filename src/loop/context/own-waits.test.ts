import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { finished, sampleRun } from '../../../test/fixtures/attempt-samples.ts'
import type { AgentRun, AgentUpdate, FailureKind } from '../../model/agent/agent.ts'
import type { Clock } from '../ports.ts'
import { watchOwnWaits, type OwnWait } from './own-waits.ts'

/** A clock that is moved by hand: who waits goes on when its time has come. */
function handClock(): Clock & { pass(ms: number): Promise<void> } {
  let now = 0
  let waiting: { readonly at: number; readonly goOn: () => void }[] = []
  return {
    now: () => now,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        waiting.push({ at: now + ms, goOn: resolve })
        signal.addEventListener('abort', () => resolve(), { once: true })
      }),
    async pass(ms) {
      now += ms
      waiting.filter(({ at }) => at <= now).forEach(({ goOn }) => goOn())
      waiting = waiting.filter(({ at }) => at > now)
      await setTimeout(0)
    },
  }
}

const waits = (kind: FailureKind = 'overloaded', ms = 0): AgentUpdate => ({
  type: 'waiting',
  kind,
  reason: '503 busy',
  ms,
})
const works: AgentUpdate = { type: 'text', text: 'hm' }
const cancelled: AgentRun = sampleRun({
  ending: { ended: 'failed', kind: 'cancelled', message: 'it was cancelled', reset_at: null },
})

function watch(signal = new AbortController().signal) {
  const clock = handClock()
  const told: OwnWait[] = []
  const watched = watchOwnWaits({
    clock,
    signal,
    patienceMs: 120_000,
    onWait: async (wait) => void told.push(wait),
  })
  return { clock, told, ...watched }
}

describe('an agent that waits for its service by itself', () => {
  it('is ended when patience is over, for the reason of its wait, and each wait was told', async () => {
    const { clock, told, hear, signal, end } = watch()
    hear(waits('overloaded', 5_000))
    await clock.pass(60_000)
    hear(waits('rate_limited', 7_000))
    expect(told).toEqual([
      { kind: 'overloaded', reason: '503 busy', now: 0, until: 5_000, givesUpAt: 120_000 },
      { kind: 'rate_limited', reason: '503 busy', now: 60_000, until: 67_000, givesUpAt: 120_000 },
    ])
    await clock.pass(59_999)
    expect(signal.aborted).toBe(false)
    await clock.pass(1)
    expect(signal.aborted).toBe(true)
    expect(await end(cancelled)).toMatchObject({
      waitedMs: 120_000,
      run: { ending: { kind: 'rate_limited', message: '503 busy, and asked again by itself for 2m' } },
    })
  })

  it('has all patience again when it worked in between, whatever it tried to reach', async () => {
    const { clock, hear, signal, end } = watch()
    hear(waits())
    await clock.pass(100_000)
    hear({ type: 'refused_host', host: 'example.com' })
    hear(works)
    await clock.pass(100_000)
    hear(waits())
    await clock.pass(119_000)
    expect(signal.aborted).toBe(false)
    expect(await end(sampleRun({ ending: finished }))).toMatchObject({
      waitedMs: 0,
      run: { ending: finished },
    })
  })

  it('is ended at once when it means to wait for longer than that, and says until when', async () => {
    const { hear, signal, end } = watch()
    hear(waits('rate_limited', 600_000))
    expect(signal.aborted).toBe(true)
    expect((await end(cancelled)).run.ending).toEqual({
      ended: 'failed',
      kind: 'rate_limited',
      message: '503 busy',
      reset_at: '1970-01-01T00:10:00.000Z',
    })
  })

  it('has seconds only to renew a login', async () => {
    const { clock, hear, signal } = watch()
    hear(waits('auth'))
    await clock.pass(10_000)
    expect(signal.aborted).toBe(true)
  })

  it('keeps its own end when it finished all the same, or when somebody else ended it', async () => {
    const stop = new AbortController()
    const { clock, hear, end } = watch(stop.signal)
    hear(waits())
    await clock.pass(120_000)
    expect((await end(sampleRun({ ending: finished }))).run.ending).toEqual(finished)
    stop.abort()
    expect((await end(cancelled)).run).toEqual(cancelled)
  })

  it('does not hide that a wait could not be told', async () => {
    const { hear, end } = watchOwnWaits({
      clock: handClock(),
      signal: new AbortController().signal,
      patienceMs: 1,
      onWait: () => Promise.reject(new Error('lost')),
    })
    hear(waits())
    await setTimeout(0)
    await expect(end(cancelled)).rejects.toThrow('lost')
  })
})
