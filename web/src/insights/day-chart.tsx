import type { Insights } from '../../../src/model/api/system.ts'
import { useWidth } from '../ui/use-width.ts'
import { niceCeiling, spread, ticksOf } from './scale.ts'

type Day = Insights['by_day'][number]

const [height, left, bottom, top] = [140, 36, 22, 8]
const parts = [
  ['fixed', 'fill-ok-fill', 'bg-ok-fill'],
  ['failed', 'fill-bad-fill', 'bg-bad-fill'],
  ['skipped', 'fill-muted', 'bg-muted'],
] as const

/** How many attempts of each day were fixed, failed and skipped, one on the other. */
export function DayChart({ days }: { readonly days: readonly Day[] }) {
  const [box, width] = useWidth<HTMLDivElement>()
  const sum = ({ fixed, failed, skipped }: Day): number => fixed + failed + skipped
  const most = niceCeiling(Math.max(1, ...days.map(sum)))
  const room = Math.max(0, width - left - 8) / Math.max(1, days.length)
  const bar = Math.min(28, room * 0.7)
  const tall = (count: number): number => (count / most) * (height - top - bottom)
  const x = (index: number): number => left + 4 + room * index + (room - bar) / 2
  return (
    <div ref={box}>
      <svg aria-hidden width={width} height={height} className="text-[11px]">
        {ticksOf(most, 'count').map((tick) => {
          const y = height - bottom - tall(tick)
          return (
            <g key={tick}>
              <line x1={left} x2={width} y1={y} y2={y} className="stroke-line" />
              <text x={left - 8} y={y + 3} textAnchor="end" className="fill-muted">
                {tick}
              </text>
            </g>
          )
        })}
        {days.map((day, index) => {
          let below = 0
          return parts.map(([kind, fill]) => {
            below += day[kind]
            return (
              <rect
                key={`${day.day} ${kind}`}
                x={x(index)}
                y={height - bottom - tall(below)}
                width={bar}
                height={tall(day[kind])}
                className={fill}
              />
            )
          })
        })}
        {spread(days.length, 5).map((index) => (
          <text key={index} x={x(index) + bar / 2} y={height - 6} textAnchor="middle" className="fill-muted">
            {days[index]?.day.slice(5)}
          </text>
        ))}
      </svg>
      <Legend days={days} />
    </div>
  )
}

/** What the colours mean, each with its sum; screen readers get only this. */
const Legend = ({ days }: { readonly days: readonly Day[] }) => (
  <p className="flex gap-4 text-xs text-muted">
    {parts.map(([kind, , dot]) => (
      <span key={kind} className="flex items-center gap-1.5">
        <span aria-hidden className={`size-2 rounded-sm ${dot}`} />
        {kind} {days.reduce((total, day) => total + day[kind], 0)}
      </span>
    ))}
  </p>
)
