import { z } from 'zod'
import type { Verification } from './verification.ts'
import { isUnopposed } from './judge-verification.ts'

/** How well a fix is proven, weakest first. */
export const EvidenceGrade = z.enum(['E0', 'E1', 'E2', 'E3', 'E4'])
export type EvidenceGrade = z.infer<typeof EvidenceGrade>

/** A gate's answer, and the evidence that it is when the gate is passed. */
interface Graded {
  readonly status: string
  readonly grade?: EvidenceGrade | undefined
}

/**
 * E1: checks green. E2: and the tool that raised it is now silent. E3: and a test fails without the fix. E4: and so does
 * one that another agent wrote before the fix. Without green checks it is E0, whatever else holds;
 * those of an attempt may still have to run, on the train, and without them nothing lands.
 */
export function gradeEvidence(verification: Verification, gates: readonly Graded[]): EvidenceGrade {
  if (!isUnopposed(verification)) return 'E0'
  const grades = gates.flatMap(({ status, grade }) => (status === 'passed' && grade ? [grade] : []))
  return grades.reduce(betterOf, verification.proof ? 'E3' : 'E1')
}

const betterOf = (a: EvidenceGrade, b: EvidenceGrade): EvidenceGrade => (meetsEvidence(a, b) ? a : b)

export const meetsEvidence = (grade: EvidenceGrade, least: EvidenceGrade): boolean =>
  EvidenceGrade.options.indexOf(grade) >= EvidenceGrade.options.indexOf(least)

/** What decides whether a fix could ever land: the bar, and whether there is anything to run. */
export interface Bar {
  readonly min_evidence: EvidenceGrade
  readonly commands: readonly unknown[]
}

/** The one way to land unverified: `land.min_evidence: E0`, and no command to run at all. */
export const mayLandUnverified = ({ min_evidence, commands }: Bar): boolean =>
  min_evidence === 'E0' && commands.length === 0

/** Why no fix could ever land, where that is known in advance: then no agent is asked, and nothing is spent. */
export const whyUnprovable = (bar: Bar): string | null =>
  bar.commands.length > 0 || mayLandUnverified(bar)
    ? null
    : 'verification: no verification command is configured, so no fix could be proven and no agent was asked'

/** What a person can do about that. */
export const howToProve =
  'Add verify.commands to fixpoint.yaml (fixpoint init helps), or allow unproven fixes with land.min_evidence: E0.'
