/** How long something takes, as the end of a sentence, where earlier runs tell and it is worth saying. */
export function aboutTime(ms: number | null): string {
  if (ms === null || ms < 1000) return ''
  return `, about ${ms < 100_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`}`
}
