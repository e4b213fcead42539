/** The days that count: the last few, or those between two dates; all days without either. */
export interface DayRange {
  readonly days?: string
  readonly from?: string
  readonly to?: string
}

/** The range without its empty fields, so that the address stays short. */
export const rangeOf = ({
  from,
  to,
  days,
}: { [Name in keyof DayRange]: DayRange[Name] | undefined }): DayRange => ({
  ...(from && { from }),
  ...(to && { to }),
  ...(days && { days }),
})

interface Props {
  readonly range: DayRange
  readonly onChange: (range: DayRange) => void
}

export const RangeFields = ({ range: { days, from, to }, onChange }: Props) => (
  <div className="flex flex-wrap items-center gap-x-4 gap-y-2 max-sm:w-full">
    <DayField
      label="From"
      value={from}
      onChange={(day) => onChange(rangeOf({ from: day, to, days: undefined }))}
    />
    <DayField
      label="To"
      value={to}
      onChange={(day) => onChange(rangeOf({ from, to: day, days: undefined }))}
    />
    <select
      aria-label="Time"
      className="rounded-md border bg-surface px-2 py-1.5 text-xs"
      value={days ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? {} : { days: target.value })}
    >
      <option value="">All time</option>
      {['7', '30', '90', '365'].map((count) => (
        <option key={count} value={count}>
          Last {count} days
        </option>
      ))}
    </select>
  </div>
)

interface DayFieldProps {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (day: string) => void
}

const DayField = ({ label, value, onChange }: DayFieldProps) => (
  <label className="flex items-center gap-1.5 text-xs text-muted">
    {label}
    <input
      type="date"
      className="rounded-md border bg-surface px-2 py-1 text-xs text-fg"
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value)}
    />
  </label>
)
