const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const wording =
  /try again at (?:([a-z]{3})[a-z]* (\d{1,2})(?:st|nd|rd|th)?, (\d{4}) )?(\d{1,2}):(\d{2}) ([ap])m/i

/**
 * When a used-up limit is refilled, from the CLI's own wording: `try again at 5:03 AM`, or with a day before it, both in
 * local time. A time alone is the next time that the clock shows it.
 */
export function resetTimeIn(message: string, now: Date): string | null {
  const [, month, day, year, hour, minute, half] = wording.exec(message) ?? []
  if (hour === undefined || minute === undefined || half === undefined) return null
  const hours = (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  const reset = new Date(now)
  if (month !== undefined) reset.setFullYear(Number(year), months.indexOf(month.toLowerCase()), Number(day))
  reset.setHours(hours, Number(minute), 0, 0)
  if (month === undefined && reset <= now) reset.setDate(reset.getDate() + 1)
  return Number.isNaN(reset.getTime()) ? null : reset.toISOString()
}
