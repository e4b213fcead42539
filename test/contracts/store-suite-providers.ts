import { describe, expect, it } from 'vitest'
import { recordedAt, setScene, type TestDatabase } from './store-scene.ts'

const startMs = Date.parse(recordedAt)

export function describeProviders(makeDatabase: () => Promise<TestDatabase>): void {
  describe('providers', () => {
    const scene = setScene(makeDatabase)

    it('have as many places as were asked for, however many ask at once', async () => {
      const { providers } = scene.store
      const holders = Array.from({ length: 8 }, (_, index) => `holder-${index}`)
      const places = await Promise.all(holders.map((holder) => providers.enter('claude', 3, holder)))
      expect(places.filter((place) => place !== null).toSorted((a, b) => a - b)).toEqual([1, 2, 3])
      const [held] = holders.filter((_, index) => places[index] === 2)
      await providers.leave('claude', 2, 'somebody else')
      expect(await providers.enter('claude', 3, 'late')).toBeNull()
      await providers.leave('claude', 2, held ?? '')
      expect(await providers.enter('claude', 3, 'late')).toBe(2)
      expect(await providers.enter('gemini', 1, 'late')).toBe(1)
    })

    it('get a place back from a holder that says nothing any more', async () => {
      const later = await scene.database.open(() => startMs + 60_000)
      const { providers } = scene.store
      expect(await providers.enter('codex', 1, 'frozen')).toBe(1)
      expect(await providers.enter('codex', 1, 'next')).toBeNull()
      await later.providers.stay('codex', 1, 'frozen')
      expect(await later.providers.enter('codex', 1, 'next')).toBeNull()
      await providers.stay('codex', 1, 'frozen')
      expect(await later.providers.enter('codex', 1, 'next')).toBe(1)
      await later.close()
    })

    it('are left alone by everybody until the latest time that anybody was told', async () => {
      const { providers } = scene.store
      const pause = { untilMs: startMs + 5_000, kind: 'rate_limited', reason: 'slow down' } as const
      expect(await providers.paused('claude')).toBeNull()
      await providers.pause('claude', pause)
      await providers.pause('claude', { ...pause, untilMs: startMs + 1_000, reason: 'earlier' })
      expect(await providers.paused('claude')).toEqual(pause)
      const later = await scene.database.open(() => startMs + 5_001)
      expect(await later.providers.paused('claude')).toBeNull()
      await later.close()
    })
  })
}
