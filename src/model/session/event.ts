import { z } from 'zod'

export const EventType = z.enum([
  'fix_session_started',
  'fix_issue_started',
  'fix_issue_validating',
  'fix_issue_generating',
  'fix_issue_streaming',
  'fix_verification_started',
  'fix_verification_result',
  'fix_challenger_evaluating',
  'fix_challenger_result',
  'fix_issue_committed',
  'fix_issue_completed',
  'fix_cycle_started',
  'fix_cycle_completed',
  'fix_agent_invoked',
  'fix_gate_result',
  'fix_scope_violation',
  'fix_approval_needed',
  'fix_clarification_needed',
  'fix_landing_started',
  'fix_landing_result',
  'fix_session_warning',
  'fix_session_parked',
  'fix_agent_waiting',
  'fix_network_refused',
  'fix_billing_error',
  'fix_session_completed',
  'fix_session_error',
])
export type EventType = z.infer<typeof EventType>

/** What happened in a session, as every face of Fixpoint shows it. Durable events carry a gap-free `seq` per session. */
export const FixEvent = z.object({
  type: EventType,
  seq: z.number().int().nullable(),
  timestamp: z.string(),
  session_id: z.string(),
  issue_id: z.string().nullable(),
  issue_code: z.string().nullable(),
  issue_index: z.number().int().nullable(),
  total_issues: z.number().int(),
  round: z.number().int().nullable(),
  commit_sha: z.string().nullable(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()),
})
export type FixEvent = z.infer<typeof FixEvent>

/** An event before the store has given it its place in the sequence. */
export type NewEvent = Omit<FixEvent, 'seq'>

/** Exactly one of these is the last event of a session. */
export const isFinalEvent = ({ type }: Pick<FixEvent, 'type'>): boolean =>
  type === 'fix_session_completed' || type === 'fix_session_error'
