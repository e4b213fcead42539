import type { SessionRow } from '../model/api/sessions.ts'

/** How a session stands: its own word for it, and `stopped` where it should be at work and nobody drives it. */
export const standingOf = ({ status, driven }: Pick<SessionRow, 'status' | 'driven'>): string =>
  !driven && ['running', 'validating'].includes(status) ? 'stopped' : status
