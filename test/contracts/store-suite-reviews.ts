import { describe, expect, it } from 'vitest'
import { CommitId, ReviewId, TreeId } from '../../src/model/id.ts'
import type { Review } from '../../src/model/issue/review.ts'
import type { NewReviewEvent, ReviewOrder } from '../../src/model/review/review-order.ts'
import { setScene, type Scene, type TestDatabase } from './store-scene.ts'

const commit = CommitId.parse('a'.repeat(40))
const tree = TreeId.parse('b'.repeat(40))

const event = (type: NewReviewEvent['type']): NewReviewEvent => ({
  type,
  timestamp: '2030-01-01T00:00:00.000Z',
  agent: null,
  message: type,
  details: {},
})

async function asked(scene: Scene, name: string) {
  const repositoryId = (await scene.issue()).repository_id
  const id = ReviewId.parse(`rev_${name}`)
  const order: ReviewOrder = {
    review_id: id,
    repository_id: repositoryId,
    commit,
    scope: { paths: ['src'] },
    settings: [],
    wish: 'go_on',
    deaths: 0,
    progress: 0,
    created: 0,
    changed: 0,
  }
  const running = { owner: null, tree, is_committed: true }
  const about = { id, repository_id: repositoryId, kind: 'review', commit, scope: 'src' } as const
  const created_at = '2030-01-01T00:00:00.000Z'
  const review: Review = { ...about, state: 'failed', reviewers: [], created_at, running }
  await scene.store.reviewOrders.add(order, review, null)
  return { id, order, review, offered: { reviewId: id, number: 0 } }
}

export function describeReviewOrders(makeDatabase: () => Promise<TestDatabase>): void {
  describe('a review that somebody asked for', () => {
    const scene = setScene(makeDatabase)

    it('is taken by one of all who know of it, and written to by that one only', async () => {
      const { id, review, offered } = await asked(scene, 'one')
      const { reviewOrders, issues, reviews } = scene.store
      const taken = await reviewOrders.take(offered, 'worker')
      expect(taken).toMatchObject({ owner: 'worker', number: 1, lastSeq: 0, order: { deaths: 0 } })
      expect(await reviewOrders.take(offered, 'late')).toBeNull()
      const held = taken?.held ?? offered
      await reviewOrders.report(held, event('review_started'))
      await expect(reviewOrders.report(offered, event('review_result'))).rejects.toMatchObject({
        code: 'busy',
      })
      const { running: _, ...done } = { ...review, state: 'complete' as const }
      const stored = { review: done, count: 0, parts: [] }
      await expect(issues.triage({ ...stored, held: offered })).rejects.toMatchObject({ code: 'busy' })
      expect(await reviews.get(id)).toEqual(review)
      await issues.triage({ ...stored, held })
      expect(await reviews.get(id)).toEqual({ ...review, state: 'complete' })
      await expect(reviewOrders.end(offered, { event: event('review_completed') })).rejects.toMatchObject({
        code: 'busy',
      })
      await reviewOrders.end(held, { event: event('review_completed') })
      expect(await reviews.get(id)).toEqual(done)
      expect(await reviewOrders.read(id)).toBeNull()
      expect((await reviewOrders.events(id)).map(({ seq, type }) => [seq, type])).toEqual([
        [1, 'review_started'],
        [2, 'review_completed'],
      ])
      await expect(reviewOrders.report(held, event('review_result'))).rejects.toMatchObject({ code: 'busy' })
    })

    it('counts who ended while they ran it, until it gets further', async () => {
      const { id, offered } = await asked(scene, 'two')
      const { reviewOrders } = scene.store
      const take = async () => {
        const known = await reviewOrders.read(id)
        return reviewOrders.take({ reviewId: id, number: known?.number ?? 0 }, 'worker')
      }
      expect((await take())?.order.deaths).toBe(0)
      expect((await take())?.order.deaths).toBe(1)
      const third = await take()
      expect(third?.order.deaths).toBe(2)
      await reviewOrders.report(third?.held ?? offered, event('review_started'))
      const fourth = await take()
      expect(fourth?.order.deaths).toBe(1)
      await reviewOrders.giveBack(fourth?.held ?? offered)
      expect(await take()).toMatchObject({ owner: 'worker', lastSeq: 1, order: { deaths: 1, progress: 1 } })
    })

    it('is asked to end, whoever has it, and is listed until it is over', async () => {
      const { id, order, offered } = await asked(scene, 'three')
      const { reviewOrders } = scene.store
      const openIds = async () => (await reviewOrders.open()).map(({ order: open }) => open.review_id)
      expect(await openIds()).toContain(id)
      const held = (await reviewOrders.take(offered, 'worker'))?.held ?? offered
      expect(await reviewOrders.requestEnd(id)).toBe(true)
      expect((await reviewOrders.read(id))?.order).toEqual({ ...order, wish: 'end' })
      await reviewOrders.end(held, { event: event('review_error') })
      expect(await reviewOrders.requestEnd(id)).toBe(false)
      expect(await openIds()).not.toContain(id)
    })
  })
}
