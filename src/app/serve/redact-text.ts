import type { FixEvent } from '../../model/session/event.ts'
import type { Listener } from '../publisher.ts'

const mostWaiting = 200

/** Passes events on, live text without its secrets. Text that comes faster than it can be looked at is left out. */
export function redactText(publish: Listener, redact: (text: string) => Promise<string>): Listener {
  let waiting = 0
  let turn: Promise<void> = Promise.resolve()
  return (event) => {
    if (event.seq !== null) return publish(event)
    if (waiting >= mostWaiting) return
    waiting += 1
    turn = turn
      .then(() => redact(JSON.stringify(event)))
      .then((text) => publish(JSON.parse(text) as FixEvent))
      // What could not be looked at is not shown.
      .catch(() => undefined)
      .finally(() => (waiting -= 1))
  }
}
