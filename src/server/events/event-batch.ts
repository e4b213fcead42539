import type { FixEvent } from '../../model/session/event.ts'

/** Events that are on their way to a client, as one piece of bytes. */
export interface EventBatch {
  readonly size: number
  readonly bytes: () => Buffer
  readonly append: (event: FixEvent) => EventBatch
}

/** The empty batch. Appending the same events to it gives the same batch, so the bytes are made once for all clients. */
export const emptyBatch: EventBatch = createBatch([], 0)

function createBatch(frames: readonly Buffer[], size: number): EventBatch {
  const longer = new WeakMap<FixEvent, EventBatch>()
  let joined: Buffer | null = null
  return {
    size,
    bytes: () => (joined ??= frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames)),
    append(event) {
      const known = longer.get(event)
      if (known) return known
      const frame = frameOf(event)
      const batch = createBatch([...frames, frame], size + frame.length)
      longer.set(event, batch)
      return batch
    },
  }
}

const frames = new WeakMap<FixEvent, Buffer>()

/** One event as it stands on the wire. */
function frameOf(event: FixEvent): Buffer {
  const known = frames.get(event)
  if (known) return known
  const id = event.seq === null ? '' : `id: ${event.seq}\n`
  const frame = Buffer.from(`${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  frames.set(event, frame)
  return frame
}
