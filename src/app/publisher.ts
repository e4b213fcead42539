import type { Publisher } from '../loop/ports.ts'
import type { FixEvent } from '../model/session/event.ts'

export type Listener = (event: FixEvent) => void

export interface Subscription {
  /** Listens to every event from now on; gives back what ends it. */
  readonly subscribe: (listener: Listener) => () => void
}

export function createPublisher(): Subscription & { readonly publisher: Publisher } {
  const listeners = new Set<Listener>()
  return {
    publisher: { publish: (event) => listeners.forEach((listener) => listener(event)) },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
