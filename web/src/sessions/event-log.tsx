import type { FixEvent } from '../../../src/model/event.ts'
import { formatTime, plural } from '../format.ts'
import { Card } from '../ui/layout.tsx'
import { Empty } from '../ui/states.tsx'

/** Every durable event as it was recorded. */
export function EventLog({ events }: { readonly events: readonly FixEvent[] }) {
  if (events.length === 0) return <Empty title="Nothing has happened yet" />
  return (
    <Card title="Log" note={plural(events.length, 'event')} padded={false}>
      <ol className="divide-y">
        {events.map((event) => (
          <li
            key={event.seq}
            data-seq={event.seq}
            className="grid grid-cols-[3rem_5rem_5rem_1fr] gap-x-3 px-4 py-1.5 max-sm:grid-cols-[3rem_5rem_1fr]"
          >
            <span className="text-right text-xs leading-5 text-muted">{event.seq}</span>
            <time dateTime={event.timestamp} className="text-xs leading-5 text-muted">
              {formatTime(event.timestamp)}
            </time>
            <span className="font-mono text-xs leading-5 text-muted max-sm:hidden">{event.issue_code}</span>
            <span className="min-w-0 wrap-anywhere">
              {event.message}
              <span className="ml-2 text-xs text-muted">
                {event.type.replace(/^fix_/, '').replaceAll('_', ' ')}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}
