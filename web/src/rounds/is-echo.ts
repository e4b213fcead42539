import type { FixEvent } from '../../../src/model/session/event.ts'

/** Whether an event only repeats the event before or after it. */
export function isEcho({ type, details }: FixEvent): boolean {
  if (type === 'fix_agent_invoked' || type === 'fix_scope_violation') return true
  if (type === 'fix_issue_generating') return details['agent'] === undefined
  const gate = details['gate'] as { readonly name?: string; readonly status?: string } | undefined
  return type === 'fix_gate_result' && (gate?.name === 'verification' || gate?.status === 'not_applicable')
}
