import { describe, expect, it } from 'vitest'
import { advance } from '../../src/model/attempt/advance-attempt.ts'
import type { Attempt } from '../../src/model/attempt/attempt.ts'
import type { AttemptLease } from '../../src/model/session/attempt-lease.ts'
import { sampleAttempt, sampleEvent, sampleSession } from '../fixtures/store/samples.ts'
import { setScene, type Scene, type TestDatabase } from './store-scene.ts'

const terms: AttemptLease = {
  share_usd: 2,
  wish: 'go_on',
  spent_before: { usd: 0, tokens: 0 },
  spent: { usd: 0, tokens: 0 },
  deaths: 0,
  progress: 'queued, 0 rounds',
  ended: null,
}

const settled = (attempt: Attempt): Attempt =>
  advance(attempt, { type: 'stopped', outcome: 'cancelled', reason: 'why' })

async function given(scene: Scene, id: string) {
  const issues = [await scene.issue(), await scene.issue()]
  const session = sampleSession(
    id,
    issues.map((issue) => issue.id),
  )
  const [attempt, other] = issues.map((issue, index) =>
    sampleAttempt(`att_${id.slice(4)}${index}`, session, issue, index),
  )
  if (!attempt || !other) throw new Error('two issues have two attempts')
  const attempts = [attempt, other]
  await scene.store.sessions.create({ session, attempts, events: [sampleEvent(id)] })
  const whose = { sessionId: session.id, attemptId: attempt.id, owner: 'one' }
  const offered = await scene.store.leases.offer({ ...whose, lease: terms })
  return { session, attempt, other, whose, offered }
}

export function describeLeases(makeDatabase: () => Promise<TestDatabase>): void {
  describe('an attempt that is given out', () => {
    const scene = setScene(makeDatabase)

    it('is taken by one of all who know of it, and written to by that one only', async () => {
      const { session, attempt, other, offered } = await given(scene, 'ses_lease')
      const { leases, sessions } = scene.store
      const taken = await leases.take(offered, 'worker')
      expect(taken).toMatchObject({ session: { id: session.id }, attempts: [attempt, other] })
      expect(await leases.take(offered, 'late')).toBeNull()
      const held = taken?.held ?? offered
      const write = { sessionId: session.id, attempts: [attempt], events: [sampleEvent(session.id)] }
      await expect(sessions.record({ ...write, lease: offered })).rejects.toMatchObject({ code: 'busy' })
      await sessions.record({ ...write, lease: held })
      expect(await sessions.lastSeq(session.id)).toBe(2)
      await expect(sessions.record({ ...write, attempts: [other], lease: held })).rejects.toMatchObject({
        code: 'internal',
      })
      await expect(sessions.record({ ...write, session, lease: held })).rejects.toMatchObject({
        code: 'internal',
      })
      expect(await leases.ofSession(session.id)).toEqual([
        { attemptId: attempt.id, number: held.number, owner: 'worker', lease: terms },
      ])
    })

    it('goes on when another process takes its session over, and is taken back by what the driver writes', async () => {
      const { session, attempt, offered, whose } = await given(scene, 'ses_moved')
      const { leases, sessions } = scene.store
      const held = (await leases.take(offered, 'worker'))?.held ?? offered
      await sessions.take(session.id, { expectedOwner: 'one', owner: 'two' })
      await expect(leases.offer({ ...whose, lease: terms })).rejects.toMatchObject({ code: 'busy' })
      const write = { sessionId: session.id, attempts: [attempt], events: [] }
      await sessions.record({ ...write, lease: held })
      await sessions.record({
        sessionId: session.id,
        owner: 'two',
        attempts: [settled(attempt)],
        issues: [{ id: attempt.issue_id, edit: (issue) => ({ ...issue, status: 'open' }) }],
        events: [],
      })
      await expect(sessions.record({ ...write, lease: held })).rejects.toMatchObject({ code: 'busy' })
      expect(await leases.change(held, (lease) => lease)).toBe(false)
      expect(await leases.read(attempt.id)).toBeNull()
    })

    it('is changed under its newest number only, and is over once it is given back', async () => {
      const { attempt, offered, whose } = await given(scene, 'ses_back')
      const { leases } = scene.store
      expect(await leases.change(offered, (lease) => ({ ...lease, wish: 'stop' }))).toBe(true)
      const held = (await leases.take(offered, 'worker'))?.held ?? offered
      expect(await leases.change(offered, (lease) => lease)).toBe(false)
      const ended = { halt: null, refusal: 'it has no such program', fixer: null }
      expect(await leases.change(held, (lease) => ({ ...lease, ended }))).toBe(true)
      expect(await leases.read(attempt.id)).toMatchObject({ lease: { wish: 'stop', ended } })
      expect(await leases.take(held, 'late')).toBeNull()
      const again = await leases.offer({ ...whose, lease: terms })
      expect(again.number).toBeGreaterThan(held.number)
      expect(await leases.read(attempt.id)).toMatchObject({ owner: null, lease: terms })
    })

    it('counts for the figures of a shared database by the workers that ended with it, until it is over', async () => {
      const { whose } = await given(scene, 'ses_figure')
      const { leases, figures } = scene.store
      const deaths = async () => (await figures?.())?.deaths
      expect(await deaths()).toBe(figures ? 0 : undefined)
      const offered = await leases.offer({ ...whose, lease: { ...terms, deaths: 2 } })
      expect(await deaths()).toBe(figures ? 2 : undefined)
      const ended = { halt: null, refusal: null, fixer: null }
      await leases.change(offered, (lease) => ({ ...lease, ended }))
      expect(await deaths()).toBe(figures ? 0 : undefined)
    })
  })
}
