import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'

/**
 * Hands updates to `onUpdate` and lets requests and awaited answers through. Everything else that an agent may send ends
 * here: the library would print it to our terminal.
 */
export function guardStream({ readable, writable }: Stream, onUpdate: (params: unknown) => void): Stream {
  const awaited = new Set<unknown>()
  const outgoing = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ('method' in message && 'id' in message) awaited.add(message.id)
      controller.enqueue(message)
    },
  })
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if (!('id' in message)) {
        if (message.method === 'session/update') onUpdate(message.params)
      } else if ('method' in message || awaited.delete(message.id)) controller.enqueue(message)
    },
  })
  // How it ends is what the other side of the pipe sees; here is nobody who could be told.
  outgoing.readable.pipeTo(writable).catch(() => undefined)
  return { readable: readable.pipeThrough(incoming), writable: outgoing.writable }
}
