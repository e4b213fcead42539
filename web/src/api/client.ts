import { MutationCache, QueryClient } from '@tanstack/react-query'
import { ApiError, createClient } from '../../../src/client/index.ts'
import { noteServerTime } from './server-time.ts'

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

export const api = createClient({
  baseUrl: '',
  async fetch(url, init) {
    const response = await fetch(url, init)
    noteServerTime(response.headers.get('date'))
    return response
  },
  wait,
})

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
  mutationCache: new MutationCache({
    onSuccess(_data, _variables, _result, { meta }) {
      const reading = queries.invalidateQueries()
      // What leads to another page does not wait for what the page that is left shows.
      return meta?.['leavesPage'] ? undefined : reading
    },
  }),
})
