import { z } from 'zod'
import type { Gate } from './gate.ts'
import type { Verification } from './verification.ts'

/** How well a fix is proven, weakest first. */
export const EvidenceGrade = z.enum(['E0', 'E1', 'E2', 'E3'])
export type EvidenceGrade = z.infer<typeof EvidenceGrade>

/**
 * E1: checks green. E2: and the tool that raised it is now silent. E3: and a test fails without the fix. Without green
 * checks it is E0, whatever else holds.
 */
export function gradeEvidence(verification: Verification, gates: readonly Gate[]): EvidenceGrade {
  if (verification.status !== 'passed') return 'E0'
  if (verification.proof) return 'E3'
  const origin = gates.find((gate) => gate.name === 'origin')
  return origin?.status === 'passed' ? 'E2' : 'E1'
}

export const meetsEvidence = (grade: EvidenceGrade, least: EvidenceGrade): boolean =>
  EvidenceGrade.options.indexOf(grade) >= EvidenceGrade.options.indexOf(least)
