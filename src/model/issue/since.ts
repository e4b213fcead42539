import { parseDuration } from '../duration.ts'
import { Fault } from '../fault.ts'

/** The time that a day such as 2030-12-31, a moment or an age such as 7d means, as records write it. */
export function readSince(text: string, nowMs: number): string {
  const ageMs = parseDuration(text)
  const atMs = ageMs === null ? Date.parse(text) : nowMs - ageMs
  if (/^\d/.test(text) && Number.isFinite(atMs)) return new Date(atMs).toISOString()
  throw new Fault('usage', `since ${text}: a day such as 2030-12-31 or an age such as 7d is expected`)
}
