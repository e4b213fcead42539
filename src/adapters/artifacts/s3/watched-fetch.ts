export interface WatchTerms {
  /** How long until the answer begins. */
  readonly beginMs: number
  /** How long nothing more of it may come. Whoever reads it may take all the time. */
  readonly silentMs: number
  /** What a reader is told when the rest does not come. */
  readonly faultOf: (error: Error) => Error
}

/** Sends a request that ends when the other side falls silent, and not because its answer is long. */
export async function watchedFetch(
  send: (signal: AbortSignal) => Promise<Response>,
  { beginMs, silentMs, faultOf }: WatchTerms,
): Promise<Response> {
  const silence = new AbortController()
  const within = async <Value>(work: Promise<Value>, ms: number): Promise<Value> => {
    const timer = setTimeout(() => silence.abort(new Error(`nothing came for ${ms / 1_000} s`)), ms)
    return work.finally(() => clearTimeout(timer))
  }
  const response = await within(send(silence.signal), beginMs)
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader()
  if (!reader) return response
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        try {
          const { done, value } = await within(reader.read(), silentMs)
          if (done) stream.close()
          else stream.enqueue(value)
        } catch (error) {
          stream.error(faultOf(error instanceof Error ? error : new Error(String(error))))
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is asked for before somebody reads it, so that the time of a slow reader is not counted.
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}
