import type { FixEvent } from '../../../src/model/session/event.ts'
import { formatTime } from '../ui/format.ts'
import { Card } from '../ui/layout.tsx'

/** Every step of putting accepted patches on the branch: what was tried together, and what came of it. */
export function LandingTrain({ landings }: { readonly landings: readonly FixEvent[] }) {
  if (landings.length === 0) return null
  return (
    <Card title="Landing">
      <ol className="flex flex-col gap-2 border-l pl-4">
        {landings.map((event) => (
          <li key={event.seq} className="relative">
            <span
              aria-hidden
              className={`absolute top-1.5 -left-[1.28rem] size-2 rounded-full ${event.type === 'fix_landing_started' ? 'bg-accent' : 'bg-ok'}`}
            />
            <span className="wrap-anywhere">{event.message}</span>
            <time dateTime={event.timestamp} className="ml-3 text-xs text-muted">
              {formatTime(event.timestamp)}
            </time>
          </li>
        ))}
      </ol>
    </Card>
  )
}
