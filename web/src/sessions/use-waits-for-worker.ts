import { useQuery } from '@tanstack/react-query'
import type { SessionDetail } from '../../../src/model/api/sessions.ts'
import { workersQuery } from '../api/queries.ts'

/** Whether the session is in the queue and no worker has taken it yet. */
export function useWaitsForWorker({ status, driven }: SessionDetail): boolean {
  const { data } = useQuery(workersQuery)
  return data?.shared === true && status === 'pending' && !driven
}
