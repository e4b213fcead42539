import { memo, useState } from 'react'
import type { FixEvent } from '../../../src/model/session/event.ts'
import { isEcho } from '../rounds/is-echo.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { formatTime, plural } from '../ui/format.ts'
import { visible } from '../ui/visible.ts'
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

interface GateResult {
  readonly name: string
  readonly status: string
  readonly reason: string
}

/** The text of an event: the result and the reason of a gate, and the message of every other event. */
function Said({ event: { type, message, details } }: { readonly event: FixEvent }) {
  const gate = type === 'fix_gate_result' ? (details['gate'] as GateResult | undefined) : undefined
  // The line of the gate says why.
  if (type === 'fix_approval_needed') return 'waits for your answer'
  if (!gate)
    return visible(message.replace(/(?<=^the \w+ ended: )[a-z_]+$/, (word) => word.replaceAll('_', ' ')))
  return (
    <>
      <StatusBadge status={gate.status} /> {gate.name.replaceAll('_', ' ')}
      {gate.reason !== '' && <span className="text-muted">: {visible(gate.reason)}</span>}
    </>
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
        <Said event={event} />
      </span>
    </li>
  )
})
