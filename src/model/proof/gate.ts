import { z } from 'zod'

export const GateName = z.enum(['ran', 'changed', 'scope', 'tamper', 'secrets', 'verification', 'origin'])
export type GateName = z.infer<typeof GateName>

export const GateStatus = z.enum(['passed', 'failed', 'not_evaluated', 'not_applicable'])
export type GateStatus = z.infer<typeof GateStatus>

/** A deterministic check that a patch must pass, with why it said what it said. */
export const Gate = z.object({
  name: GateName,
  status: GateStatus,
  reason: z.string(),
  /** The paths that a failed scope gate is about; they are put back before the next round. */
  paths: z.array(z.string()).readonly().optional(),
  /** Nobody may allow it: a way out of the repository, or into git itself. */
  is_final: z.boolean().optional(),
})
export type Gate = z.infer<typeof Gate>

/** The first gate that stands in the way; `not_evaluated` blocks like `failed`. */
export const blockingGate = (gates: readonly Gate[]): Gate | undefined =>
  gates.find((gate) => gate.status === 'failed' || gate.status === 'not_evaluated')
