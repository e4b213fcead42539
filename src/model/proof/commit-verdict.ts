import type { GateStatus } from './gate.ts'
import { meetsEvidence, type EvidenceGrade } from './evidence.ts'

/** One thing that a commit claims or must have, looked at again: its shape, its note, or what a gate says. */
export interface CommitCheck {
  readonly name: string
  readonly status: GateStatus
  readonly reason: string
}

/** What became of a fix's claim when it was checked again, as `fixpoint.verify.v1`. */
export interface CommitVerdict {
  readonly schema: 'fixpoint.verify.v1'
  readonly commit: string
  readonly issue_code: string
  readonly claimed: EvidenceGrade
  /** The grade that could be seen again; null when the claim is refuted. */
  readonly confirmed: EvidenceGrade | null
  readonly status: 'confirmed' | 'refuted' | 'not_evaluated'
  readonly checks: readonly CommitCheck[]
}

/** What was seen of a commit: its grade, and whether it could be told that it is what was verified. */
export interface SeenCommit {
  readonly grade: EvidenceGrade
  readonly isTied: boolean
}

/** One failed check refutes; a grade below the claimed one, without any failure, could not be evaluated. */
export function judgeCommit(
  claim: { readonly commit: string; readonly issueCode: string; readonly claimed: EvidenceGrade },
  { grade: seen, isTied }: SeenCommit,
  checks: readonly CommitCheck[],
): CommitVerdict {
  const isRefuted = checks.some(({ status }) => status === 'failed')
  const isSeen = isTied && meetsEvidence(seen, claim.claimed)
  return {
    schema: 'fixpoint.verify.v1',
    commit: claim.commit,
    issue_code: claim.issueCode,
    claimed: claim.claimed,
    confirmed: isRefuted ? null : seen,
    status: isRefuted ? 'refuted' : isSeen ? 'confirmed' : 'not_evaluated',
    checks,
  }
}

const exits = { confirmed: 0, refuted: 1, not_evaluated: 3 } as const

/** Of several verdicts, "not evaluated" weighs more than "refuted". */
export const exitCodeOfVerdicts = (verdicts: readonly Pick<CommitVerdict, 'status'>[]): number =>
  Math.max(0, ...verdicts.map(({ status }) => exits[status]))
