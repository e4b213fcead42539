import type { QueryClient } from '@tanstack/react-query'
import type { SessionDetail } from '../../../src/model/api/sessions.ts'
import { sessionQuery } from '../api/queries.ts'

/** What only the server can count, such as cost, is read again so long after something happened. */
const [soonestMs, spreadMs] = [400, 400]

/**
 * Reads a session again after something happened, for all pages of the browser that show it: each waits a little, and
 * the first one that has read it tells the others.
 */
export function readTogether(sessionId: string, queries: QueryClient) {
  const { queryKey } = sessionQuery(sessionId)
  const channel =
    typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(`fixpoint-read-${sessionId}`)
  let timer: ReturnType<typeof setTimeout> | undefined
  const cancel = () => {
    clearTimeout(timer)
    timer = undefined
  }
  /** What is open in this page only, such as the rounds of a lane. */
  const readRest = () =>
    void queries.invalidateQueries({
      queryKey,
      predicate: (query) => query.queryKey.length > queryKey.length,
    })
  const read = async () => {
    timer = undefined
    readRest()
    await queries.invalidateQueries({ queryKey, exact: true })
    const detail = queries.getQueryData(queryKey)
    if (detail) channel?.postMessage(detail)
  }
  channel?.addEventListener('message', ({ data }: MessageEvent<SessionDetail>) => {
    if (timer !== undefined) readRest()
    cancel()
    queries.setQueryData(queryKey, data)
  })
  return {
    soon: () => {
      timer ??= setTimeout(() => void read(), soonestMs + Math.random() * spreadMs)
    },
    stop: () => {
      cancel()
      channel?.close()
    },
  }
}
