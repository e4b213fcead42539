import type { Approval, AttemptAt, Revision } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { EvidenceGrade } from '../../model/proof/evidence.ts'
import type { Gate, GateAsks } from '../../model/proof/gate.ts'
import type { Patch } from '../../model/proof/patch.ts'
import type { CheckCommand, Verification } from '../../model/proof/verification.ts'
import type { FileChange, Ports } from '../ports.ts'

/** One gate: all that is known of it. A new one is its own file, its test, and one line in `gates.ts`. */
export type GateDefinition = Described & Judge

interface Described {
  readonly name: string
  /** What it asks of a patch, as tables show it. */
  readonly description: string
  /** The question to the person who may allow what the gate refuses; null where nobody may. */
  readonly asks: { readonly whom: GateAsks; readonly question: string } | null
  /** The grade of evidence that a pass is. */
  readonly grade?: EvidenceGrade
}

/** What a gate needs decides when it is asked: it is left out where that does not exist. */
type Judge =
  | { readonly needs: 'run'; judge(patch: JudgedPatch, run: JudgedRun): Answer }
  | { readonly needs: 'patch'; judge(patch: JudgedPatch): Answer }
  | { readonly needs: 'verification'; judge(patch: JudgedPatch, verified: VerifiedPatch): Answer }

type Answer = GateVerdict | Promise<GateVerdict>

export interface GateVerdict extends Pick<Gate, 'status' | 'reason' | 'paths' | 'is_waived'> {
  /** Nobody may allow this one, whatever the definition says. */
  readonly isFinal?: boolean
}

/** How the agent that made a patch ended. */
export type JudgedRun = Pick<AttemptAt<'inspecting'>, 'run' | 'report'>

/** A patch with everything that a gate may have to know about it. */
export interface JudgedPatch {
  readonly patch: Patch
  readonly base: Revision
  readonly changes: readonly FileChange[]
  /** What it is meant to fix; null where nothing says it. */
  readonly issue: JudgedIssue | null
  /** The other issues that the same patch is meant to fix. */
  readonly others?: readonly JudgedIssue[]
  readonly limits: PatchLimits
  /** A change that a person allowed counts as the base's: only further changes are looked at. */
  readonly approved: Approval | null
  readonly ports: Pick<Ports, 'trees' | 'inspector' | 'origins' | 'imports'>
  readonly signal: AbortSignal
}

export type JudgedIssue = Pick<Issue, 'file' | 'rule' | 'title' | 'flagged_by'> &
  Partial<Pick<Issue, 'category' | 'line' | 'end_line' | 'column' | 'current_code'>>

/** What a patch may change, and what judges it. */
export interface PatchLimits {
  /** The only folder that may change, or null for the whole repository. */
  readonly path: string | null
  readonly extra: readonly string[]
  /** Without such a folder: everything, or only files that the cited ones have to do with. */
  readonly reach: 'related' | 'repository'
  /** The files that are named by the other findings of the patch. */
  readonly cited?: readonly string[]
  /** Files of the session's other issues. */
  readonly foreign: ReadonlySet<string>
  readonly protected: readonly string[]
  readonly commands: readonly CheckCommand[]
}

/** A patch after its commands ran. */
export interface VerifiedPatch {
  readonly verification: Verification
  /** The least grade that lands. */
  readonly minEvidence: EvidenceGrade
  /** Nothing lands without a test that another agent wrote before the fix. */
  readonly requiresReproduction?: boolean
  /** What a landed commit says of itself; null for a patch that has not landed. */
  readonly claim: EvidenceClaim | null
  /** The names of the tests that passed on the patched tree; left out where nobody can tell. */
  readonly passed?: () => Promise<readonly string[]>
}

export interface EvidenceClaim {
  readonly grade: EvidenceGrade
  /** Whether the output of the commands names every test. */
  readonly namesTests: () => Promise<boolean>
}
