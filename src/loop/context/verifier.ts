import type { Revision } from '../../model/attempt/attempt.ts'
import type { TreeId } from '../../model/id.ts'
import type { CheckRequest } from '../ports.ts'
import type { CheckCommand, CommandRun, Proof, Verification } from '../../model/proof/verification.ts'

/** Verifies trees against the one they are built on. No tree is verified twice; `count` says how many were. */
export interface Verifier {
  verify(request: VerifierRequest): Promise<Verification>
  /** Tests that fail by name on the tree as it is. */
  findFailing(
    request: Pick<VerifierRequest, 'revision' | 'changed' | 'commandsOn' | 'signal'>,
  ): Promise<readonly string[]>
  /** The commands on one tree as it is, nothing judged. */
  run(
    revision: Revision,
    commands: readonly CheckCommand[],
    signal: AbortSignal,
  ): Promise<readonly CommandRun[]>
  /** The commands that care for a change of these paths. */
  commandsFor(changed: readonly string[]): readonly CheckCommand[]
  /** How long these commands take on a tree, as far as earlier runs tell. */
  expectedMs(commands: readonly CheckCommand[]): Promise<number | null>
  count(): number
}

/** What runs on a tree. */
export type CommandsOn = (tree: TreeId) => Promise<readonly CheckCommand[]>

export interface VerifierRequest {
  /** The tree that would be committed. */
  readonly revision: Revision
  /** What it is compared with, and where existing tests come from. */
  readonly against: Revision
  /** Every path that differs, to choose the commands that care. */
  readonly changed: readonly string[]
  /** Those commands for a part of the tests; all tests when it is not given. */
  readonly commandsOn?: CommandsOn
  /** Tests and configuration that count as another tree's: the result must be green with those as well. */
  readonly restore?: readonly PathsOf[]
  /** Like `restore`, for changes that a person allowed: they count for the compared tree as well. */
  readonly approved?: PathsOf
  /** Changed paths that have nothing to do with the fix: a result that is green only with them proves nothing. */
  readonly borrowed?: readonly string[]
  /** What makes up the fix: asks for tests that fail once it is taken away. */
  readonly fix?: readonly string[]
  /** Tests that the fix brings: an old test must turn green by the fix, and not by these. */
  readonly newTests?: readonly string[]
  /** The tests that proved earlier fixes in this tree: they may not be red in it, whatever they were on the base. */
  readonly proofs?: readonly Proof[]
  readonly signal: AbortSignal
  /** Hears what the commands print, where they run for this. */
  readonly onOutput?: NonNullable<CheckRequest['onOutput']>
}

/** Paths as a tree has them. */
export interface PathsOf {
  readonly tree: TreeId
  readonly paths: readonly string[]
}
