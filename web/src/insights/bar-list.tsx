import { formatNumber } from '../ui/format.ts'

interface Props {
  readonly counts: Readonly<Record<string, number>>
  readonly name: (key: string) => string
  /** Shows the things that a bar counts. */
  readonly onOpen: (key: string) => void
}

/** Counts as bars, each with its number. */
export function BarList({ counts, name, onOpen }: Props) {
  const entries = Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const most = Math.max(1, ...entries.map(([, count]) => count))
  if (entries.length === 0) return <p className="text-muted">Nothing yet.</p>
  return (
    <dl className="flex flex-col gap-2">
      {entries.map(([key, count]) => (
        <div key={key} className="grid grid-cols-[10rem_1fr_3rem] items-center gap-3">
          <dt className="min-w-0 text-muted">
            <button
              type="button"
              className="max-w-full text-left leading-4.5 wrap-anywhere hover:text-accent hover:underline"
              onClick={() => onOpen(key)}
            >
              {name(key)}
            </button>
          </dt>
          <dd className="contents">
            <svg aria-hidden className="h-2 w-full" preserveAspectRatio="none" viewBox="0 0 100 8">
              <rect width="100" height="8" rx="1" className="fill-sunken" />
              <rect width={(count / most) * 100} height="8" rx="1" className="fill-accent" />
            </svg>
            <span className="text-right font-medium">{formatNumber(count)}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}
