import { asFault, Fault } from '../../model/fault.ts'

interface Calls {
  /** Does the work of one call. Its signal is aborted when the caller gives it up, or when everything is closed. */
  call<Result>(work: (ended: AbortSignal) => Promise<Result>, signal?: AbortSignal): Promise<Result>
  /** Ends every call that still runs, then does the last thing; once, however often it is asked for. */
  endAll(last: () => Promise<void>): Promise<void>
}

/** The calls of one user of the library: none begins after the end, and whatever fails is a fault. */
export function createCalls(): Calls {
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  let closed: Promise<void> | null = null
  return {
    async call(work, signal) {
      if (closing.signal.aborted)
        throw new Fault('usage', 'this Fixpoint was closed: open the repository again with openFixpoint')
      if (signal?.aborted) throw new Fault('usage', 'the call was given up before it began')
      const working = work(AbortSignal.any([closing.signal, ...(signal ? [signal] : [])]))
      running.add(working)
      try {
        return await working
      } catch (error) {
        throw asFault(error)
      } finally {
        running.delete(working)
      }
    },
    endAll(last) {
      closing.abort('closed')
      return (closed ??= Promise.allSettled(running).then(last))
    },
  }
}
