import type { QueryClient } from '@tanstack/react-query'
import type { SessionDetail } from '../../../src/model/api/sessions.ts'
import { sessionQuery } from '../api/queries.ts'

/** Values that only the server can count, such as cost, are read again this long after an event. */
const [soonestMs, spreadMs] = [400, 400]

/**
 * Reads a session again after an event, for all pages of the browser that show it: each page waits a little, and
 * the first page that has read it tells the others.
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
  /** Reads the data that only this page shows, such as the rounds of an open lane. */
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
