import { Fault } from './fault.ts'

const unitsMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const

/** One or more amounts with units, largest unit first: `15m`, `90s`, `1h30m`, `10d`, `500ms`. */
const pattern = /^(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/

/** Timers of the runtime hold no more than this; a longer wait would end at once. */
export const longestTimerMs = 2 ** 31 - 1

/** A written duration in milliseconds, or null when it is none or is zero. */
export function parseDuration(text: string): number | null {
  const parts = pattern.exec(text)
  if (!parts) return null
  const total = Object.values(unitsMs).reduce(
    (sum, unit, index) => sum + Number(parts[index + 1] ?? 0) * unit,
    0,
  )
  return total > 0 && Number.isSafeInteger(total) ? total : null
}

/** The shortest way to write a duration: 5400000 → `1h30m`. */
export function formatDuration(durationMs: number): string {
  let rest = durationMs
  let text = ''
  for (const [unit, size] of Object.entries(unitsMs)) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) text += `${count}${unit}`
  }
  return text || '0s'
}

/** The time that a day such as 2030-12-31, a moment or an age such as 7d means, as records write it. */
export function readSince(text: string, nowMs: number): string {
  const ageMs = parseDuration(text)
  const atMs = ageMs === null ? Date.parse(text) : nowMs - ageMs
  if (/^\d/.test(text) && Number.isFinite(atMs)) return new Date(atMs).toISOString()
  throw new Fault('usage', `since ${text}: a day such as 2030-12-31 or an age such as 7d is expected`)
}
