import { memo, useState } from 'react'
import type { FixEvent } from '../../../src/model/session/event.ts'
import { isEcho } from '../rounds/is-echo.ts'
import { SaidByEvent } from '../rounds/said-by-event.tsx'
import { formatTime, plural } from '../ui/format.ts'
import { Card } from '../ui/layout.tsx'
import { Empty } from '../ui/states.tsx'

/** The log without repetitions; on request, every event as it was recorded. */
export function EventLog({ events }: { readonly events: readonly FixEvent[] }) {
  const [isWhole, setIsWhole] = useState(false)
  if (events.length === 0) return <Empty title="Nothing has happened yet" />
  const shown = isWhole ? events : events.filter((event) => !isEcho(event))
  return (
    <Card
      title="Log"
      note={
        <label className="flex items-center gap-2">
          {plural(shown.length, 'event')}
          <input
            type="checkbox"
            className="ml-2 accent-solid"
            checked={isWhole}
            onChange={({ target }) => setIsWhole(target.checked)}
          />
          Show every one
        </label>
      }
      padded={false}
    >
      <ol className="divide-y">
        {shown.map((event) => (
          <EventRow key={event.seq} event={event} />
        ))}
      </ol>
    </Card>
  )
}

/** An event never changes, so only new events are drawn. */
const EventRow = memo(function EventRow({ event }: { readonly event: FixEvent }) {
  return (
    <li
      data-seq={event.seq}
      className="grid grid-cols-[3rem_5rem_5rem_1fr] gap-x-3 px-4 py-1.5 max-sm:grid-cols-[2rem_4rem_1fr]"
    >
      <span className="text-right text-xs leading-5 text-muted">{event.seq}</span>
      <time dateTime={event.timestamp} className="text-xs leading-5 text-muted">
        {formatTime(event.timestamp)}
      </time>
      <span className="font-mono text-xs leading-5 text-muted max-sm:sr-only">{event.issue_code}</span>
      <span className="min-w-0 wrap-anywhere">
        {event.issue_code !== null && (
          <span aria-hidden className="mr-2 font-mono text-xs text-muted sm:hidden">
            {event.issue_code}
          </span>
        )}
        <SaidByEvent event={event} />
      </span>
    </li>
  )
})
