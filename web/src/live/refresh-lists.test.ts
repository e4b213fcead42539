import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, it } from 'vitest'
import { refreshLists } from './refresh-lists.ts'

let isHidden = false
Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden })
afterEach(() => {
  isHidden = false
})

it('a hidden page reads no list again until somebody looks at it, and then once for all that happened', async () => {
  isHidden = true
  let asked = 0
  const queries = new QueryClient()
  queries.setQueryData(['sessions'], 0)
  const observer = new QueryObserver(queries, {
    queryKey: ['sessions'],
    queryFn: () => (asked += 1),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  })
  const leave = observer.subscribe(() => undefined)
  const lists = refreshLists(queries)
  for (const version of ['1', '2', '3']) lists.take(version)
  expect(queries.getQueryState(['sessions'])?.isInvalidated).toBe(false)
  isHidden = false
  document.dispatchEvent(new Event('visibilitychange'))
  await expect.poll(() => asked, { timeout: 60_000 }).toBe(1)
  document.dispatchEvent(new Event('visibilitychange'))
  expect(queries.getQueryState(['sessions'])?.isInvalidated).toBe(false)
  lists.stop()
  leave()
})
