/** A stream that several pages of one browser listen to. */
export interface SharedStream<Message> {
  /** Pages with the same name share one connection: browsers open only six to one server. */
  readonly name: string
  /** Reads the stream until the signal is aborted; only one page reads at a time. */
  readonly lead: (signal: AbortSignal, emit: (message: Message) => void) => Promise<void>
  readonly onMessage: (message: Message) => void
  /** What the reading page tells a page that joins, which has missed what came before. */
  readonly greet?: () => Message
}

/**
 * Joins a stream that one page reads for all. Another page takes over when that page is closed, and one in sight when it is
 * hidden: browsers let hidden pages act seldom, so that it would notice late that a lost server is back. Gives a function that
 * ends it.
 */
export function shareStream<Message>({ name, lead, onMessage, greet }: SharedStream<Message>): () => void {
  const leaving = new AbortController()
  const { signal } = leaving
  // Browsers give locks only to pages of this machine or over HTTPS: other pages each read for themselves.
  const locks = navigator.locks as LockManager | null | undefined
  if (!locks || typeof BroadcastChannel === 'undefined') {
    void lead(signal, onMessage)
    return () => leaving.abort()
  }
  const channel = new BroadcastChannel(name)
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => onMessage(data))
  const sight = new BroadcastChannel(`${name}-in-sight`)
  let turn = new AbortController()
  let isReading = false
  const takeTurns = async () => {
    for (;;) {
      turn = new AbortController()
      const over = AbortSignal.any([signal, turn.signal])
      const emit = (message: Message) => {
        if (over.aborted) return
        onMessage(message)
        channel.postMessage(message)
      }
      try {
        await locks.request(name, { signal: over }, () => {
          isReading = true
          return lead(over, emit)
        })
      } catch (error) {
        // It is no error when a page leaves, or lets others go first, while it waits.
        if (!over.aborted) throw error
      }
      isReading = false
      if (signal.aborted || !over.aborted) return
    }
  }
  // Hidden pages go to the end of the queue, so that the one in sight is the next.
  sight.addEventListener('message', () => {
    if (document.hidden) turn.abort()
    else if (isReading && greet) channel.postMessage(greet())
  })
  const publishSight = () => document.hidden || sight.postMessage(null)
  document.addEventListener('visibilitychange', publishSight, { signal })
  void takeTurns()
  publishSight()
  return () => {
    leaving.abort()
    channel.close()
    sight.close()
  }
}
