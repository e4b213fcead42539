import type { ServerResponse } from 'node:http'
import type { FixEvent } from '../../model/session/event.ts'

export type EventWriter = ReturnType<typeof createWriter>

/** Writes events in batches; a client that is cut off comes back with its last event. */
export function createWriter(response: ServerResponse, onCut: () => void) {
  let batch = emptyBatch
  const isClosed = (): boolean => response.destroyed || response.writableEnded
  const flush = (): void => {
    if (batch.size > 0 && !isClosed()) response.write(batch.bytes())
    batch = emptyBatch
  }
  return {
    isClosed,
    flush,
    waitingBytes: (): number => response.writableLength + batch.size,
    append: (event: FixEvent): void => {
      batch = batch.append(event)
    },
    end: (): void => {
      flush()
      if (!isClosed()) response.end()
    },
    cutOff: (): void => {
      if (isClosed()) return
      onCut()
      response.destroy()
    },
  }
}

/** Events that are on their way to a client, as one piece of bytes. */
interface EventBatch {
  readonly size: number
  readonly bytes: () => Buffer
  readonly append: (event: FixEvent) => EventBatch
}

/** The empty batch. Appending the same events to it gives the same batch, so the bytes are made once for all clients. */
const emptyBatch: EventBatch = createBatch([], 0)

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
