import { readTexts } from '../read-code.ts'
import type { Approval, Attempt, Revision } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Patch } from '../../model/proof/patch.ts'
import type { Session } from '../../model/session/session.ts'
import type { JudgedPatch, PatchLimits } from './gate-definition.ts'
import type { FileChange, Trees } from '../ports.ts'

export interface PatchInSession {
  readonly patch: Patch
  readonly base: Revision
  readonly issue: Issue
  /** The issues that the patch stands for beside it. */
  readonly others?: readonly Issue[]
  readonly session: Session
  /** The other issues that the patch stands for. */
  readonly bundle?: Attempt['bundle']
  readonly approved?: Approval | undefined
  readonly signal: AbortSignal
}

/** A patch of a session with everything that its gates may have to know. */
export async function readJudgedPatch(
  { patch, base, issue, others = [], session, bundle, approved, signal }: PatchInSession,
  ports: JudgedPatch['ports'],
): Promise<JudgedPatch> {
  return {
    patch,
    base,
    changes: await readChanges(patch, ports.trees),
    issue,
    others,
    limits: limitsOf(bundle ?? [], issue, session),
    approved: approved ?? null,
    ports,
    signal,
  }
}

function limitsOf(
  bundle: NonNullable<Attempt['bundle']>,
  issue: Issue,
  { plan, options }: Session,
): PatchLimits {
  const own = new Set([issue.id, ...bundle.map(({ issue_id }) => issue_id)])
  const planned = plan.execution_steps.flatMap((step) => step.issues)
  const ownFiles = new Set(planned.filter(({ issue_id }) => own.has(issue_id)).map(({ file }) => file))
  const others = planned.flatMap(({ file }) => (file !== null && !ownFiles.has(file) ? [file] : []))
  return {
    ...options.scope,
    cited: [...ownFiles].filter((file) => file !== null),
    foreign: new Set(others.filter((file) => file !== issue.file)),
    protected: options.protected,
    commands: options.commands,
  }
}

/** Every file of a patch with its text on both sides. */
export async function readChanges(
  { base_tree, tree, files }: Patch,
  trees: Trees,
): Promise<readonly FileChange[]> {
  const before = await readTexts(
    trees,
    base_tree,
    files.map(({ path, old_path }) => old_path ?? path),
  )
  const after = await readTexts(
    trees,
    tree,
    files.map(({ path }) => path),
  )
  return files.map(({ path, old_path, status, binary }) => ({
    path,
    oldPath: old_path,
    status,
    before: before.get(old_path ?? path) ?? null,
    after: after.get(path) ?? null,
    isBinary: binary,
  }))
}
