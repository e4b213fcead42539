import type { NextStep } from '../agent/agent.ts'
import type { Gate } from '../proof/gate.ts'
import type { AttemptAt } from './attempt.ts'
import type { Round } from './round.ts'

/** What the fixer is told of a gate that refused. */
export const gateFeedback = ({ reason, paths }: Gate): string =>
  paths ? `${reason}. Those changes were taken back.` : reason

/** What the fixer has to do about gates that refused, beside their reasons. */
export const nextStepAfter = (gates: readonly Gate[]): NextStep | undefined =>
  gates.some(({ paths, asks }) => paths && asks?.whom === 'fixer_first') ? 'leave_or_explain' : undefined

/** Whether a refusal waits for a person now. */
export const isAsked = (
  { name, status, asks }: Gate,
  { policy, feedback, round }: Pick<AttemptAt<'verifying'>, 'policy' | 'feedback' | 'round'>,
): boolean => {
  if (status !== 'failed' || asks === undefined) return false
  const wasTold = feedback.some(({ stage }) => stage === name) || round >= policy.max_rounds
  if (policy.attended === true) return asks.whom !== 'fixer_once' || wasTold
  return policy.unattended === 'hold' && (asks.whom === 'person' || wasTold)
}

/** Whether the fixer changed the same files again although it was told to leave them alone or to say why. A person who refused is not asked again. */
export const insists = (attempt: Omit<AttemptAt<'verifying'>, 'stage'>, { gates, refusal }: Round): boolean =>
  !refusal?.includes('rejected by a person') &&
  gates.some((told) => {
    if (told.status !== 'failed' || !told.asks || told.asks.whom === 'person') return false
    // A gate that needs the commands has not been asked again yet.
    const now = attempt.gates.find(({ name }) => name === told.name) ?? told
    return isAsked(now, attempt)
  })

/** A change that a person allowed stays recorded, with the gate's later verdict. */
export function withGrade(gate: Gate, now: readonly Gate[]): Gate {
  const grade = now.find(({ name, status }) => name === gate.name && status === 'passed')?.grade
  return gate.approved_by && grade ? { ...gate, grade } : gate
}
