import type { AttemptAt, AttemptEvent } from '../../model/attempt/attempt.ts'
import { blockingGate } from '../../model/proof/gate.ts'
import type { TreeId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Patch } from '../../model/proof/patch.ts'
import type { Session } from '../../model/session/session.ts'
import { changesBlanksOnly, isAboutBlanks } from './blanks.ts'
import { findCheckFiles } from './check-files.ts'
import { flawGates } from './flaws.ts'
import { filesOutsideFinding, runGates, type Scope } from './run-gates.ts'
import { issueOf, type SessionContext } from '../context/session-context.ts'
import type { Ports } from '../ports.ts'
import { readChanges } from './read-changes.ts'

/** How much of a diff is kept with the round; the whole patch is an artifact. */
const keptDiff = 65_536
const wholeDiff = 16 * 1024 * 1024

type Inspected = Extract<AttemptEvent, { type: 'inspected' }>

/** Captures what the agent changed and puts it through the gates that need no command. */
export async function inspectPatch(
  attempt: AttemptAt<'inspecting'>,
  context: Pick<SessionContext, 'issues' | 'recorder' | 'ports'>,
): Promise<Inspected | { readonly type: 'workspace_lost' }> {
  const { ports, recorder } = context
  const issue = issueOf(context, attempt)
  const session = recorder.session()
  const patch = await readPatch(attempt, ports)
  if (!patch) return { type: 'workspace_lost' }
  const diff = await ports.trees.diff(patch.base_tree, patch.tree, wholeDiff)
  await ports.artifacts.write(session.id, `${issue.code}/round-${attempt.round}/patch.diff`, diff)
  const changes = await readChanges(patch, ports.trees)
  const isBlank = changesBlanksOnly(patch, changes) && !isAboutBlanks(issue)
  const first = runGates(attempt, { patch, isBlank }, scopeOf(attempt, issue, session))
  const { protected: protectedGlobs, commands } = session.options
  const checkFiles = await findCheckFiles(commands, attempt.base.tree, ports.trees)
  const options = { protectedGlobs, checkFiles, findingFile: issue.file }
  // Asked even behind a closed scope gate: a person who opens that one must know what else there is.
  const isLookedInto = first.every(({ name, status }) => status === 'passed' || name === 'scope')
  const flaws = isLookedInto
    ? await flawGates(changes, { ...options, approved: attempt.approved }, ports)
    : []
  const gates = [...first, ...flaws]
  return {
    type: 'inspected',
    patch,
    diff: cutDiff(diff),
    gates,
    next_tree: await nextTree(attempt, patch, ports, gates),
    files_outside_finding: filesOutsideFinding(patch, issue.file),
  }
}

const cutDiff = (diff: string): string =>
  diff.length > keptDiff ? `${diff.slice(0, keptDiff)}\n… cut here; the whole patch is an artifact\n` : diff

/** What the agent changed for this issue: all of its workspace, or this issue's part of a common one. */
async function readPatch(
  { id, base, divided }: AttemptAt<'inspecting'>,
  { workspaces, trees }: Ports,
): Promise<Patch | null> {
  if (divided) {
    const { tree, refused } = divided
    return { base_tree: base.tree, tree, files: [...(await trees.changes(base.tree, tree))], refused }
  }
  const workspace = await workspaces.find(id)
  return workspace && workspaces.capture(workspace, base.tree)
}

/** What a patch for an issue of the session may touch. */
export function scopeOf(
  attempt: Pick<AttemptAt<'inspecting'>, 'approved' | 'bundle'>,
  issue: Issue,
  session: Session,
): Scope {
  const own = new Set([issue.id, ...(attempt.bundle ?? []).map(({ issue_id }) => issue_id)])
  const planned = session.plan.execution_steps.flatMap((step) => step.issues)
  const ownFiles = new Set(planned.filter(({ issue_id }) => own.has(issue_id)).map(({ file }) => file))
  const files = planned.map(({ file }) => file).filter((file) => !ownFiles.has(file))
  return {
    ...session.options.scope,
    file: issue.file,
    foreign: new Set(files.filter((file) => file !== null && file !== issue.file)) as ReadonlySet<string>,
    approved: new Set(attempt.approved?.paths),
  }
}

/** A crashed agent's edits are dropped; what scope, tamper or secrets refused is put back; else the next round goes on from the patch. */
async function nextTree(
  attempt: AttemptAt<'inspecting'>,
  patch: Patch,
  ports: Ports,
  gates: Inspected['gates'],
): Promise<TreeId> {
  if (blockingGate(gates)?.name === 'ran') return attempt.from_tree
  const refused = gates.flatMap((gate) => (gate.status === 'failed' ? (gate.paths ?? []) : []))
  return refused.length > 0
    ? ports.composer.restore(patch.tree, patch.base_tree, [...new Set(refused)])
    : patch.tree
}
