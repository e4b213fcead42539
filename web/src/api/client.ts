import { MutationCache, QueryClient } from '@tanstack/react-query'
import { ApiError, createClient } from '../../../src/client/index.ts'

/** Resolves after a while, or as soon as the signal is aborted. */
const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })

export const api = createClient({ baseUrl: '', fetch: (url, init) => fetch(url, init), wait })

export const queries: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      networkMode: 'always',
      // A refusal is final; a server that is away comes back.
      retry: (count, error) => !(error instanceof ApiError) && count < 2,
      retryDelay: 500,
    },
    mutations: { networkMode: 'always' },
  },
  mutationCache: new MutationCache({ onSuccess: () => queries.invalidateQueries() }),
})
