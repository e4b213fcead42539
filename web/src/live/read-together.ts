import type { QueryClient, QueryKey } from '@tanstack/react-query'

/** Pages do not all ask at the same moment: each waits up to this much longer. */
const spreadMs = 400
/** A page that lets another one read asks itself if it has heard nothing after this long. */
const patienceMs = 3_000

/**
 * Reads changed data again for all pages of the browser that show it: one page asks the server, and gives the others what
 * it got. Fifty pages of one session thus ask no more often than one.
 */
export function readTogether(queries: QueryClient) {
  const reads = new Map<string, ReturnType<typeof shareRead>>()
  return {
    /** Reads everything that begins with this key and is on the screen; anything else is read when somebody looks at it. */
    soon: (queryKey: QueryKey, afterMs: number) => {
      void queries.invalidateQueries({ queryKey, refetchType: 'none' })
      for (const query of queries.getQueryCache().findAll({ queryKey, type: 'active' })) {
        const read =
          reads.get(query.queryHash) ?? shareRead(queries, { key: query.queryKey, hash: query.queryHash })
        reads.set(query.queryHash, read)
        read.soon(afterMs)
      }
    },
    stop: () => reads.forEach((read) => read.stop()),
  }
}

interface SharedQuery {
  readonly key: QueryKey
  readonly hash: string
}

function shareRead(queries: QueryClient, { key, hash }: SharedQuery) {
  const name = `fixpoint-read-${hash}`
  const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(name)
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStopped = false
  const cancel = () => {
    clearTimeout(timer)
    timer = undefined
  }
  const readForAll = async () => {
    await queries.invalidateQueries({ queryKey: key, exact: true })
    const state = queries.getQueryState(key)
    // After a failed read the old data is still there, and stays invalid.
    if (!isStopped && state?.status === 'success' && !state.isInvalidated) channel?.postMessage(state.data)
  }
  const read = async () => {
    timer = undefined
    const hasRead = await runInOnePage(name, readForAll)
    if (!hasRead && !isStopped) timer ??= setTimeout(() => void read(), patienceMs)
  }
  channel?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    cancel()
    queries.setQueryData(key, data)
  })
  return {
    soon: (afterMs: number) => {
      timer ??= setTimeout(() => void read(), afterMs + Math.random() * spreadMs)
    },
    stop: () => {
      isStopped = true
      cancel()
      channel?.close()
    },
  }
}

/** Does the work unless another page is at it, and tells whether it did. */
async function runInOnePage(name: string, work: () => Promise<void>): Promise<boolean> {
  // Browsers give locks only to pages of this machine or over HTTPS: other pages each read for themselves.
  const locks = navigator.locks as LockManager | null | undefined
  if (!locks) {
    await work()
    return true
  }
  return locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock) await work()
    return lock !== null
  })
}
