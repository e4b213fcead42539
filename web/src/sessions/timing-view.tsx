import { useQuery } from '@tanstack/react-query'
import { timedParts, type Timing } from '../../../src/model/session/timing.ts'
import { timingQuery } from '../api/queries.ts'
import { formatDuration } from '../ui/format.ts'
import { Card } from '../ui/layout.tsx'
import { Empty, Shown } from '../ui/states.tsx'

const fills: Readonly<Record<(typeof timedParts)[number]['name'], string>> = {
  setup: 'bg-info-fill',
  agents: 'bg-accent',
  checks: 'bg-ok-fill',
  places: 'bg-warn-fill',
  git: 'bg-info',
  resting: 'bg-muted',
  other: 'bg-line',
}

/** What would be shown as no time at all is left out. */
const leastMs = 50

/** Tenths matter below ten seconds. */
const formatSpan = (ms: number): string => (ms < 10_000 ? `${(ms / 1_000).toFixed(1)}s` : formatDuration(ms))

/** The distribution of a session's time: all bars together are as long as its clock ran. */
export function TimingView({ sessionId }: { readonly sessionId: string }) {
  const query = useQuery(timingQuery(sessionId))
  return (
    <Shown query={query}>
      {(timing) =>
        timing.wall_ms === 0 ? <Empty title="Nothing has taken time yet" /> : <Bars {...timing} />
      }
    </Shown>
  )
}

function Bars({ wall_ms: wallMs, parts, store_ms: storeMs }: Timing) {
  const shown = timedParts.flatMap(({ name, text }) => {
    const part = parts.find((one) => one.name === name)
    return part && part.wall_ms >= leastMs ? [{ ...part, text, share: (part.wall_ms / wallMs) * 100 }] : []
  })
  return (
    <Card title="Where the time went" note={`${formatSpan(wallMs)} by the clock`}>
      <div aria-hidden className="mb-4 flex h-3 gap-0.5 overflow-hidden rounded-full">
        {shown.map(({ name, wall_ms }) => (
          <span key={name} className={fills[name]} style={{ flexGrow: wall_ms }} />
        ))}
      </div>
      <dl className="flex flex-col gap-3">
        {shown.map(({ name, text, share, wall_ms, busy_ms }) => (
          <div
            key={name}
            className="grid grid-cols-[13rem_1fr_10rem] items-center gap-x-4 max-md:grid-cols-[1fr_auto]"
          >
            <dt className="first-letter:uppercase">{text}</dt>
            <dd className="contents">
              <span
                aria-hidden
                className="h-2 overflow-hidden rounded-full bg-sunken max-md:order-last max-md:col-span-2"
              >
                <span className={`block h-full rounded-full ${fills[name]}`} style={{ width: `${share}%` }} />
              </span>
              <span className="text-right whitespace-nowrap">
                <span className="font-medium">{Math.round(share)} %</span>{' '}
                <span className="text-muted">{formatSpan(wall_ms)}</span>
                {busy_ms > wall_ms * 1.05 && (
                  <span className="block text-xs text-muted">{formatSpan(busy_ms)} side by side</span>
                )}
              </span>
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-4 text-xs text-muted">
        What goes on at the same time shares the clock.
        {storeMs !== null &&
          ` Inside of that, records took ${storeMs < 100 ? 'less than 0.1s' : formatSpan(storeMs)} to be written.`}
      </p>
    </Card>
  )
}
