import type { ServerResponse } from 'node:http'
import type { FixEvent } from '../../model/session/event.ts'
import { emptyBatch } from './event-batch.ts'

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
