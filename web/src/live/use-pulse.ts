import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { FollowState } from '../../../src/client/index.ts'
import type { Pulse } from '../../../src/model/api/overview.ts'
import { api } from '../api/client.ts'
import { readTogether } from './read-together.ts'
import { shareStream } from './share-stream.ts'

interface Heard {
  readonly pulse: Pulse
  readonly state: FollowState
}

const silent: Heard = { pulse: { repositories: [] }, state: 'connecting' }

const heardQuery = queryOptions({
  queryKey: ['pulse'],
  queryFn: () => silent,
  initialData: silent,
  staleTime: Infinity,
})

/** A part of what the server pushes (running and waiting work, the state of the connection); a change of that part draws again. */
export const usePulse = <Part>(select: (heard: Heard) => Part): Part =>
  useQuery({ ...heardQuery, select }).data

/** How much work runs and waits in one repository. */
export const useStanding = (repositoryId: string): { readonly running: number; readonly waiting: number } =>
  usePulse(({ pulse }) => {
    const { running = 0, waiting = 0 } = pulse.repositories.find(({ id }) => id === repositoryId) ?? {}
    return { running, waiting }
  })

/** Lists that somebody's work may have changed are read again this long after it, and at most this often. */
const soonMs = 1_500
const laterMs = 8_000

/** Listens as long as the page is open, and reads changed data again. */
export function useListening(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const refresh = createRefresh(queries)
    const stop = shareStream<Heard>({
      name: 'fixpoint-overview',
      lead: (signal, emit) => {
        let pulse = silent.pulse
        return api
          .followOverview({
            signal,
            onPulse: (next) => emit({ pulse: (pulse = next), state: 'live' }),
            onState: (state) => emit({ pulse, state }),
          })
          .catch(() => undefined) // A page that is not logged in shows that at its other reads.
      },
      onMessage: (heard) => {
        queries.setQueryData(heardQuery.queryKey, heard)
        refresh(heard.pulse.version)
      },
    })
    return () => {
      stop()
      refresh.cancel()
    }
  }, [queries])
}

/** Reads lists again when somebody wrote anything: those about sessions soon, the long ones later. */
function createRefresh(queries: QueryClient) {
  let seen: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const reading = readTogether(queries)
  const readLong = () => {
    timer = undefined
    // Thousands of rows may be loaded: each page reads its own, because copying them costs as much.
    for (const key of ['issues', 'facets']) void queries.invalidateQueries({ queryKey: [key] })
  }
  const refresh = (version: string | undefined) => {
    if (version === undefined || version === seen) return
    const isFirst = seen === undefined
    seen = version
    if (isFirst) return
    for (const key of ['approvals', 'sessions', 'overview', 'reviews']) reading.soon([key], soonMs)
    reading.soon(['session'], laterMs)
    timer ??= setTimeout(readLong, laterMs + Math.random() * soonMs)
  }
  const cancel = () => {
    clearTimeout(timer)
    reading.stop()
  }
  return Object.assign(refresh, { cancel })
}
