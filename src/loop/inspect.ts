import type { AttemptAt, AttemptEvent } from '../model/attempt.ts'
import { blockingGate } from '../model/gate.ts'
import type { TreeId } from '../model/id.ts'
import type { Issue } from '../model/issue.ts'
import type { Patch } from '../model/patch.ts'
import type { Session } from '../model/session.ts'
import { flawGates } from './flaws.ts'
import { filesOutsideFinding, runGates, type Scope } from './gate.ts'
import type { Ports } from './ports.ts'

/** How much of a diff is kept with the round; the whole patch is an artifact. */
const keptDiff = 65_536
const wholeDiff = 16 * 1024 * 1024

type Inspected = Extract<AttemptEvent, { type: 'inspected' }>

/** Captures what the agent changed and puts it through the gates that need no command. */
export async function inspectPatch(
  attempt: AttemptAt<'inspecting'>,
  issue: Issue,
  session: Session,
  ports: Ports,
): Promise<Inspected | { readonly type: 'workspace_lost' }> {
  const workspace = await ports.workspaces.find(attempt.id)
  if (!workspace) return { type: 'workspace_lost' }
  const patch = await ports.workspaces.capture(workspace, attempt.base.tree)
  const diff = await ports.trees.diff(patch.base_tree, patch.tree, wholeDiff)
  await ports.artifacts.write(session.id, `${issue.code}/round-${attempt.round}/patch.diff`, diff)
  const first = runGates(attempt.run, attempt.report, patch, scopeOf(attempt, issue, session))
  const options = { protectedGlobs: session.options.protected, findingFile: issue.file }
  // Asked even behind a closed scope gate: a person who opens that one must know what else there is.
  const isLookedInto = first.every(({ name, status }) => status === 'passed' || name === 'scope')
  const flaws = isLookedInto ? await flawGates(patch, { ...options, approved: attempt.approved }, ports) : []
  const gates = [...first, ...flaws]
  return {
    type: 'inspected',
    patch,
    diff:
      diff.length > keptDiff
        ? `${diff.slice(0, keptDiff)}\n… cut here; the whole patch is an artifact\n`
        : diff,
    gates,
    next_tree: await nextTree(attempt, patch, ports, gates),
    files_outside_finding: filesOutsideFinding(patch, issue.file),
  }
}

/** What a patch for an issue of the session may touch. */
export function scopeOf(
  attempt: Pick<AttemptAt<'inspecting'>, 'approved'>,
  issue: Issue,
  session: Session,
): Scope {
  const files = session.plan.execution_steps.flatMap((step) => step.issues.map((planned) => planned.file))
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
