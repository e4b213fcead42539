import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, it, vi } from 'vitest'
import { readTogether } from './read-together.ts'

// The page of these tests has no locks; those of Node are the same.
const { locks } = await vi.importActual<{ readonly locks: LockManager }>('node:worker_threads')
Object.defineProperty(navigator, 'locks', { value: locks, configurable: true })

const queryKey = ['session', 'ses_1']
const pages: { readonly queries: QueryClient; readonly close: () => void }[] = []
afterEach(() => pages.splice(0).forEach(({ close }) => close()))

/** A page that shows a session. */
function openPage(ask: () => Promise<number>) {
  const queries = new QueryClient()
  queries.setQueryData(queryKey, 0)
  const observer = new QueryObserver(queries, { queryKey, queryFn: ask, staleTime: Infinity, retry: false })
  const reading = readTogether(queries)
  const leave = observer.subscribe(() => undefined)
  const close = () => {
    reading.stop()
    leave()
    queries.clear()
  }
  pages.push({ queries, close })
  return { queries, reading }
}

it('an event makes one of many pages ask the server, and all of them show the answer', async () => {
  let asked = 0
  const ask = async () => {
    asked += 1
    // Longer than the pages are spread: each of them is due before the answer is there.
    await new Promise((resolve) => setTimeout(resolve, 600))
    return 1
  }
  for (let count = 0; count < 20; count += 1) openPage(ask).reading.soon(['session'], 0)
  await expect
    .poll(() => pages.map(({ queries }) => queries.getQueryData(queryKey)), { timeout: 4_000 })
    .toEqual(Array.from({ length: 20 }, () => 1))
  expect(asked).toBe(1)
})

it('a page reads for itself when the page that was to read for it fails', async () => {
  const failing = openPage(
    () => new Promise((_, reject) => setTimeout(() => reject(new Error('gone')), 1_000)),
  )
  const patient = openPage(async () => 2)
  failing.reading.soon(queryKey, 0)
  patient.reading.soon(queryKey, 450)
  await expect.poll(() => patient.queries.getQueryData(queryKey), { timeout: 5_000 }).toBe(2)
})
