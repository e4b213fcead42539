/** A stream that several pages of one browser listen to. */
export interface SharedStream<Message> {
  /** Pages with the same name share one connection: browsers open only six to one server. */
  readonly name: string
  /** Reads the stream until the signal; only one page does so at a time. */
  readonly lead: (signal: AbortSignal, emit: (message: Message) => void) => Promise<void>
  readonly onMessage: (message: Message) => void
}

/** Takes part in a stream that one page reads for all; the next one goes on when that page is closed. Gives what ends it. */
export function shareStream<Message>({ name, lead, onMessage }: SharedStream<Message>): () => void {
  const leaving = new AbortController()
  const { signal } = leaving
  // Pages that are not on this machine and not encrypted have no locks: each reads for itself.
  const locks = navigator.locks as LockManager | null | undefined
  if (!locks || typeof BroadcastChannel === 'undefined') {
    void lead(signal, onMessage)
    return () => leaving.abort()
  }
  const channel = new BroadcastChannel(name)
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => onMessage(data))
  const emit = (message: Message) => {
    if (signal.aborted) return
    onMessage(message)
    channel.postMessage(message)
  }
  locks
    .request(name, { signal }, () => lead(signal, emit))
    .catch((error: unknown) => {
      // Leaving while another page leads is no error.
      if (!signal.aborted) throw error
    })
  return () => {
    leaving.abort()
    channel.close()
  }
}
