const hourMs = 3_600_000
const inCalifornia = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hour: 'numeric',
  hourCycle: 'h23',
})

/** The next full hour at which it is midnight in California, also on the days when the clock is changed. */
export function nextPacificMidnight(now: Date): Date {
  let at = Math.floor(now.getTime() / hourMs) * hourMs
  do at += hourMs
  while (Number(inCalifornia.format(at)) !== 0)
  return new Date(at)
}
