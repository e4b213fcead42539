import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { FollowState } from '../../../src/client/index.ts'
import type { Pulse } from '../../../src/model/api/overview.ts'
import { api } from '../api/client.ts'
import { refreshLists } from './refresh-lists.ts'
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

/** Listens as long as the page is open, and reads changed data again. */
export function useListening(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const lists = refreshLists(queries)
    const stop = shareStream<Heard>({
      name: 'fixpoint-overview',
      greet: () => queries.getQueryData(heardQuery.queryKey) ?? silent,
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
        lists.take(heard.pulse.version)
      },
    })
    return () => {
      stop()
      lists.stop()
    }
  }, [queries])
}
