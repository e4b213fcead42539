import { usePulse } from '../live/use-pulse.ts'

/** Tells the person while the server is away; every page goes on by itself when it is back. */
export function Connection() {
  const state = usePulse((heard) => heard.state)
  if (state !== 'waiting') return null
  return (
    <div role="status" className="border-b bg-sunken px-4 py-1.5 text-center text-warn">
      The server is not reachable. What you see may be old; it is tried again every few seconds.
    </div>
  )
}
