import type { QueryClient } from '@tanstack/react-query'
import { readTogether } from './read-together.ts'

/** Lists that somebody's work may have changed are read again this long after it, and at most this often. */
const soonMs = 1_500
const laterMs = 8_000

/**
 * Reads lists again when somebody wrote anything: those about sessions soon, the long ones later. A hidden page reads
 * nothing until somebody looks at it.
 */
export function refreshLists(queries: QueryClient) {
  let seen: string | undefined
  let isBehind = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const reading = readTogether(queries)
  const readLong = () => {
    timer = undefined
    // Thousands of rows may be loaded: each page reads its own, because copying them costs as much.
    for (const key of ['issues', 'facets']) void queries.invalidateQueries({ queryKey: [key] })
  }
  const read = (shortMs: number, longMs: number) => {
    for (const key of ['approvals', 'sessions', 'overview', 'reviews']) reading.soon([key], shortMs)
    reading.soon(['session'], longMs)
    timer ??= setTimeout(readLong, longMs + Math.random() * soonMs)
  }
  const onSeen = () => {
    if (document.hidden || !isBehind) return
    isBehind = false
    read(0, 0)
  }
  document.addEventListener('visibilitychange', onSeen)
  return {
    /** Takes the mark of what was written last, as the server pushes it. */
    take: (version: string | undefined) => {
      if (version === undefined || version === seen) return
      const isFirst = seen === undefined
      seen = version
      if (isFirst) return
      if (document.hidden) isBehind = true
      else read(soonMs, laterMs)
    },
    stop: () => {
      document.removeEventListener('visibilitychange', onSeen)
      clearTimeout(timer)
      reading.stop()
    },
  }
}
