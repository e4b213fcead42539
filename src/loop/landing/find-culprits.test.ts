import { expect, it } from 'vitest'
import { findCulprits } from './find-culprits.ts'

const train = (length: number) => Array.from({ length }, (_, index) => index)

/** Red as soon as one of the bad ones is in, and `named` is what the red answer speaks of. */
async function search(length: number, bad: readonly number[], named: readonly number[] = []) {
  const tried: string[] = []
  const sorted = await findCulprits(train(length), {
    tryTogether: async (wagons) => {
      tried.push(wagons.toSorted((a, b) => a - b).join(' '))
      const culprit = wagons.filter((wagon) => bad.includes(wagon))
      return culprit.length === 0 ? { green: true } : { green: false, why: culprit }
    },
    suspects: () => new Set(named),
  })
  return { sorted, tries: tried.length, distinct: new Set(tried).size }
}

it('the search for culprits tries a good train once', async () => {
  expect(await search(64, [])).toEqual({ sorted: { good: train(64), culprits: [] }, tries: 1, distinct: 1 })
  expect((await search(0, [])).tries).toBe(0)
})

it('the search for culprits finds every one, two and three culprits of 32, in few tries, and none of them twice', async () => {
  const most = [0, 0, 0, 0]
  const check = async (bad: readonly number[]) => {
    const { sorted, tries, distinct } = await search(32, bad)
    expect(sorted?.culprits.map(({ wagon }) => wagon)).toEqual(bad)
    expect(sorted?.good).toEqual(train(32).filter((wagon) => !bad.includes(wagon)))
    expect(distinct).toBe(tries)
    most[bad.length] = Math.max(most[bad.length] ?? 0, tries)
  }
  for (const a of train(32)) {
    await check([a])
    for (const b of train(32).slice(a + 1)) {
      await check([a, b])
      for (const c of train(32).slice(b + 1)) if ((a + b + c) % 3 === 0) await check([a, b, c])
    }
  }
  expect(most).toEqual([0, 7, 13, 19])
})

it('the search for culprits blames everyone when everyone is bad', async () => {
  const { sorted } = await search(5, train(5))
  expect(sorted).toMatchObject({ good: [], culprits: train(5).map((wagon) => ({ wagon })) })
})

it('the search for culprits looks at those first that the failing output speaks of', async () => {
  expect(await search(32, [7], [7])).toMatchObject({ tries: 2 })
  expect(await search(32, [3, 17, 30], [3, 17, 30])).toMatchObject({
    tries: 6,
    sorted: { good: train(32).filter((wagon) => ![3, 17, 30].includes(wagon)) },
  })
})

it('the search for culprits is not misled by what the output speaks of', async () => {
  const { sorted, tries } = await search(32, [5, 20], [9, 10])
  expect(sorted?.culprits.map(({ wagon }) => wagon)).toEqual([5, 20])
  expect(sorted?.good.toSorted((a, b) => a - b)).toEqual(
    train(32).filter((wagon) => wagon !== 5 && wagon !== 20),
  )
  expect(tries).toBeLessThanOrEqual(14)
})

it('the search for culprits stops when a try was stopped', async () => {
  const stopped = await findCulprits(train(4), { tryTogether: async () => null, suspects: () => new Set() })
  expect(stopped).toBeNull()
})
