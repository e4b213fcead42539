import { hasReported, type AttemptAt, type AttemptEvent } from '../../model/attempt/attempt.ts'
import type { TreeId } from '../../model/id.ts'
import type { Gate } from '../../model/proof/gate.ts'
import { filesOutsideFinding, type Patch } from '../../model/proof/patch.ts'
import { issueOf, type SessionContext } from '../context/session-context.ts'
import { readJudgedPatch } from '../gates/read-patch.ts'
import { runGates } from '../gates/run-gates.ts'
import type { Ports } from '../ports.ts'

/** How much of a diff is kept with the round; the whole patch is an artifact. */
const keptDiff = 65_536
const wholeDiff = 16 * 1024 * 1024

type Inspected = Extract<AttemptEvent, { type: 'inspected' }>

/** Captures what the agent changed and puts it through the gates that need no command. */
export async function inspectAttempt(
  attempt: AttemptAt<'inspecting'>,
  context: Pick<SessionContext, 'issues' | 'recorder' | 'ports' | 'endNow'>,
): Promise<Inspected | { readonly type: 'workspace_lost' }> {
  const { ports, recorder, endNow: signal } = context
  const issue = issueOf(context, attempt)
  const session = recorder.session()
  const patch = await readPatch(attempt, ports)
  if (!patch) return { type: 'workspace_lost' }
  const diff = await ports.trees.diff(patch.base_tree, patch.tree, wholeDiff)
  await ports.artifacts.write(session.id, `${issue.code}/round-${attempt.round}/patch.diff`, diff)
  const { base, bundle, approved } = attempt
  const judged = await readJudgedPatch({ patch, base, issue, session, bundle, approved, signal }, ports)
  const gates = await runGates({ patch: judged, run: attempt })
  return {
    type: 'inspected',
    patch,
    diff: cutDiff(diff),
    gates,
    next_tree: await nextTree(attempt, { patch, gates }, ports.composer),
    files_outside_finding: filesOutsideFinding(patch, issue.file),
  }
}

const cutDiff = (diff: string): string =>
  diff.length > keptDiff ? `${diff.slice(0, keptDiff)}\n… cut here; the whole patch is an artifact\n` : diff

/** The agent's changes for this issue: all of its workspace, or this issue's part of a common one. */
async function readPatch(
  { id, base, divided }: AttemptAt<'inspecting'>,
  { workspaces, trees }: Pick<Ports, 'workspaces' | 'trees'>,
): Promise<Patch | null> {
  if (divided) {
    const { tree, refused } = divided
    return { base_tree: base.tree, tree, files: [...(await trees.changes(base.tree, tree))], refused }
  }
  const workspace = await workspaces.find(id)
  return workspace && workspaces.capture(workspace, base.tree)
}

/** The edits of an agent that crashed are dropped, and edits that a gate refused are undone; otherwise the next round goes on from the patch. */
async function nextTree(
  attempt: AttemptAt<'inspecting'>,
  { patch, gates }: { readonly patch: Patch; readonly gates: readonly Gate[] },
  composer: Ports['composer'],
): Promise<TreeId> {
  if (!hasReported(attempt)) return attempt.from_tree
  const refused = gates.flatMap((gate) => (gate.status === 'failed' ? (gate.paths ?? []) : []))
  return refused.length > 0
    ? composer.restore(patch.tree, patch.base_tree, [...new Set(refused)])
    : patch.tree
}
