import { groupTitles, type GroupName, type LaneGroups } from './lane-groups.ts'

const fills: Readonly<Record<GroupName, string>> = {
  landed: 'bg-ok-fill',
  refused: 'bg-bad-fill',
  skipped: 'bg-muted',
  waiting: 'bg-warn-fill',
  working: 'bg-accent',
  stopped: 'bg-muted',
  queued: 'bg-line',
}

const order: readonly GroupName[] = [
  'landed',
  'refused',
  'skipped',
  'waiting',
  'working',
  'stopped',
  'queued',
]

/** The progress of a session: one part per group, with the counts in words below. */
export function ProgressBar({ groups, total }: { readonly groups: LaneGroups; readonly total: number }) {
  const countOf = (name: GroupName): number => groups.get(name)?.length ?? 0
  const open = ['waiting', 'working', 'stopped', 'queued'] as const
  const done = total - open.reduce((sum, name) => sum + countOf(name), 0)
  return (
    <section aria-label="Progress" className="flex flex-col gap-2 rounded-lg border bg-surface px-4 py-3">
      <div
        role="progressbar"
        aria-label="Issues that came to an end"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
        className="flex h-2 gap-0.5 overflow-hidden rounded-full bg-sunken"
      >
        {order
          .filter((name) => countOf(name) > 0)
          .map((name) => (
            <span
              key={name}
              className={`${fills[name]} ${name === 'working' ? 'animate-pulse' : ''}`}
              style={{ flexGrow: countOf(name) }}
            />
          ))}
      </div>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
        {order
          .filter((name) => countOf(name) > 0)
          .map((name) => (
            <li key={name} className="flex items-center gap-1.5">
              <span aria-hidden className={`size-2 rounded-full ${fills[name]}`} />
              <span className="font-medium">{countOf(name)}</span>
              <span className="text-muted">{groupTitles[name].toLowerCase()}</span>
            </li>
          ))}
      </ul>
    </section>
  )
}
