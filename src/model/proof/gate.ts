import { z } from 'zod'
import { EvidenceGrade } from './evidence.ts'

export const GateStatus = z.enum(['passed', 'failed', 'not_evaluated', 'not_applicable'])
export type GateStatus = z.infer<typeof GateStatus>

/**
 * Who decides about a refusal: a person at once; the fixer once where no person is there, and then a person; or the
 * fixer once and then a person in any case.
 */
export const GateAsks = z.preprocess(
  // What older records call it.
  (value) => (value === 'present_person' ? 'fixer_first' : value),
  z.enum(['person', 'fixer_first', 'fixer_once']),
)
export type GateAsks = z.infer<typeof GateAsks>

/** A gate's answer about a patch, with its reason. The gates themselves are defined in `loop/gates`. */
export const Gate = z.object({
  name: z.string(),
  status: GateStatus,
  reason: z.string(),
  /** The paths that a refusal is about; they are put back before the next round. */
  paths: z.array(z.string()).readonly().optional(),
  /** Set on a refusal that a person may allow, with what they are asked. */
  asks: z.object({ whom: GateAsks, question: z.string() }).optional(),
  /** The person who allowed what the gate had refused. */
  approved_by: z.string().optional(),
  /** The configuration lets fixes land without it, so it blocks nothing whatever it says. */
  is_waived: z.boolean().optional(),
  /** The evidence that a pass of this gate is. */
  grade: EvidenceGrade.optional(),
})
export type Gate = z.infer<typeof Gate>

/** The first gate that stands in the way; `not_evaluated` blocks like `failed`. */
export const blockingGate = (gates: readonly Gate[]): Gate | undefined =>
  gates.find(({ status, is_waived }) => !is_waived && (status === 'failed' || status === 'not_evaluated'))
