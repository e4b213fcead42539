import type { AgentEnding, FailureKind } from '../../model/agent/agent.ts'

export type Failed = Extract<AgentEnding, { ended: 'failed' }>

export const failed = (kind: FailureKind, message: string, reset_at: string | null = null): Failed => ({
  ended: 'failed',
  kind,
  message,
  reset_at,
})

/** The kind of a failure that the HTTP status of a service tells. */
export function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 403) return 'auth'
  if (status === 402) return 'billing'
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'overloaded' : 'crashed'
}
