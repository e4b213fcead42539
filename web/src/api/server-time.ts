/** An answer may be this long under way, and tells whole seconds: clocks that differ by less are taken as equal. */
const toleranceMs = 30_000
let aheadMs = 0

/** Takes note of the time at which the server gave an answer, as its `Date` header tells it. */
export function noteServerTime(header: string | null): void {
  const differenceMs = Date.parse(header ?? '') - Date.now()
  if (!Number.isNaN(differenceMs)) aheadMs = Math.abs(differenceMs) < toleranceMs ? 0 : differenceMs
}

/** The current time by the clock of the server, whose times the pages compare with it. */
export const serverNow = (): number => Date.now() + aheadMs
