import { formatDay } from '../ui/format.ts'
import { useWidth } from './use-width.ts'
import { halfLabel, niceCeiling, spread, ticksOf } from './scale.ts'

interface Props {
  readonly label: string
  readonly points: readonly { readonly name: string; readonly value: number }[]
  readonly kind: 'count' | 'amount'
  readonly format: (value: number) => string
}

const [height, left, bottom, top] = [160, 52, 22, 8]

/** Values over days; a single day is a bar. A list holds the numbers for people who cannot see the line. */
export function LineChart({ label, points, kind, format }: Props) {
  const [box, width] = useWidth<HTMLDivElement>()
  if (points.length === 0) return <p className="text-muted">Nothing yet.</p>
  const most = niceCeiling(Math.max(...points.map(({ value }) => value)))
  const x = (index: number): number =>
    points.length === 1 ? (left + width) / 2 : left + 8 + (index * (width - left - 24)) / (points.length - 1)
  const y = (value: number): number => top + (1 - value / most) * (height - top - bottom)
  const path = points.map(({ value }, index) => `${index === 0 ? 'M' : 'L'}${x(index)} ${y(value)}`).join('')
  const area = `${path}L${x(points.length - 1)} ${y(0)}L${x(0)} ${y(0)}Z`
  return (
    <div ref={box}>
      <svg aria-hidden width={width} height={height} className="text-[11px]">
        {ticksOf(most, kind).map((tick) => (
          <g key={tick}>
            <line x1={left} x2={width} y1={y(tick)} y2={y(tick)} className="stroke-line" />
            <text x={left - 8} y={y(tick) + 3} textAnchor="end" className="fill-muted">
              {format(tick)}
            </text>
          </g>
        ))}
        <path d={area} className="fill-accent opacity-10" />
        <path d={path} fill="none" strokeWidth="2" strokeLinejoin="round" className="stroke-accent" />
        {points.map(({ name, value }, index) =>
          points.length === 1 ? (
            <g key={name}>
              <rect x={x(0) - 14} y={y(value)} width="28" height={y(0) - y(value)} className="fill-accent" />
              <text x={x(0) + 22} y={Math.min(y(value) + 10, y(0) - 4)} className="fill-fg font-semibold">
                {format(value)}
              </text>
            </g>
          ) : (
            <circle key={name} cx={x(index)} cy={y(value)} r="3" className="fill-accent">
              <title>{`${formatDay(name)}: ${format(value)}`}</title>
            </circle>
          ),
        )}
        {spread(points.length, 6).map((index) => (
          <text
            key={index}
            x={Math.min(x(index), width - halfLabel)}
            y={height - 6}
            textAnchor="middle"
            className="fill-muted"
          >
            {formatDay(points[index]?.name ?? '')}
          </text>
        ))}
      </svg>
      <ul className="sr-only" aria-label={label}>
        {points.map(({ name, value }) => (
          <li key={name}>{`${name}: ${format(value)}`}</li>
        ))}
      </ul>
    </div>
  )
}
