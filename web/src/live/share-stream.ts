/** A stream that several pages of one browser listen to. */
export interface SharedStream<Message> {
  /** Pages with the same name share one connection: browsers open only six to one server. */
  readonly name: string
  /** Reads the stream until the signal is aborted; only one page reads at a time. */
  readonly lead: (signal: AbortSignal, emit: (message: Message) => void) => Promise<void>
  readonly onMessage: (message: Message) => void
}

/** Joins a stream that one page reads for all; another page takes over when that page is closed. Gives a function that ends it. */
export function shareStream<Message>({ name, lead, onMessage }: SharedStream<Message>): () => void {
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
  const emit = (message: Message) => {
    if (signal.aborted) return
    onMessage(message)
    channel.postMessage(message)
  }
  locks
    .request(name, { signal }, () => lead(signal, emit))
    .catch((error: unknown) => {
      // It is no error when a page leaves while another page leads.
      if (!signal.aborted) throw error
    })
  return () => {
    leaving.abort()
    channel.close()
  }
}
