import type { FixEvent } from '../../model/session/event.ts'
import { oneLine } from '../../client/printable.ts'

/** One event on one line, for people. */
export function eventLine(event: FixEvent): string {
  const who = event.issue_code ? `  ${event.issue_code}` : ''
  const round = event.round === null ? '' : ` round ${event.round}`
  return `${event.timestamp}  ${event.type}${who}${round}  ${oneLine(event.message, 300)}`
}
