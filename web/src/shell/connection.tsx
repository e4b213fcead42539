import { useQuery } from '@tanstack/react-query'
import { repositoriesQuery } from '../api/queries.ts'
import { ApiError } from '../../../src/client/index.ts'

const intervalMs = 3_000

/** Says so while the server is away; every page goes on by itself when it is back. */
export function Connection() {
  const { error, isError } = useQuery({
    ...repositoriesQuery,
    refetchInterval: ({ state }) => (state.status === 'error' ? intervalMs : intervalMs * 5),
  })
  if (!isError || error instanceof ApiError) return null
  return (
    <div role="status" className="border-b bg-sunken px-4 py-1.5 text-center text-warn">
      The server is not reachable. What you see may be old; it is tried again every few seconds.
    </div>
  )
}
