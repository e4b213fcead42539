import { formatDay } from '../ui/format.ts'
import { useWidth } from './use-width.ts'
import { halfLabel, niceCeiling, spread, ticksOf } from './scale.ts'

interface Day {
  readonly day: string
  readonly counts: Readonly<Record<string, number>>
}

export interface ChartPart {
  readonly key: string
  readonly label: string
  /** The classes of its bar and of its dot in the legend. */
  readonly fill: string
  readonly dot: string
}

interface Props {
  readonly days: readonly Day[]
  /** The parts of a bar, from the bottom to the top. */
  readonly parts: readonly ChartPart[]
  readonly onOpen: (day: string) => void
}

const [height, left, bottom, top] = [140, 36, 22, 8]

/** The counts of each day as stacked bars; a click on a day shows what it counts. */
export function DayChart({ days, parts, onOpen }: Props) {
  const [box, width] = useWidth<HTMLDivElement>()
  const countOf = ({ counts }: Day, { key }: ChartPart): number => counts[key] ?? 0
  const sum = (day: Day): number => parts.reduce((total, part) => total + countOf(day, part), 0)
  const total = days.reduce((all, day) => all + sum(day), 0)
  const most = niceCeiling(Math.max(1, ...days.map(sum)))
  const room = Math.max(0, width - left - 8) / Math.max(1, days.length)
  const bar = Math.min(28, room * 0.7)
  const tall = (count: number): number => (count / most) * (height - top - bottom)
  const x = (index: number): number => left + 4 + room * index + (room - bar) / 2
  return (
    <div ref={box}>
      {total === 0 && <p className="text-muted">Nothing yet.</p>}
      {total > 0 && (
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
            return (
              <g key={day.day} className="cursor-pointer" onClick={() => onOpen(day.day)}>
                <title>{`${formatDay(day.day)}: ${sum(day)}`}</title>
                {parts.map((part) => {
                  below += countOf(day, part)
                  return (
                    <rect
                      key={part.key}
                      x={x(index)}
                      y={height - bottom - tall(below)}
                      width={bar}
                      height={tall(countOf(day, part))}
                      className={part.fill}
                    />
                  )
                })}
              </g>
            )
          })}
          {spread(days.length, 5).map((index) => (
            <text
              key={index}
              x={Math.min(x(index) + bar / 2, width - halfLabel)}
              y={height - 6}
              textAnchor="middle"
              className="fill-muted"
            >
              {formatDay(days[index]?.day ?? '')}
            </text>
          ))}
        </svg>
      )}
      {total > 0 && <Legend parts={parts} days={days} />}
    </div>
  )
}

/** The meaning of the colours, each with its sum; screen readers get only this. */
const Legend = ({ parts, days }: Pick<Props, 'parts' | 'days'>) => (
  <p className="flex flex-wrap gap-x-4 text-xs text-muted">
    {parts.map(({ key, label, dot }) => (
      <span key={key} className="flex items-center gap-1.5">
        <span aria-hidden className={`size-2 rounded-sm ${dot}`} />
        {label} {days.reduce((total, { counts }) => total + (counts[key] ?? 0), 0)}
      </span>
    ))}
  </p>
)
