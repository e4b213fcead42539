import type { BaseMoved } from '../../model/session/session.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import type { SessionContext } from '../context/session-context.ts'

type BaseContext = Pick<SessionContext, 'recorder' | 'ports' | 'verifier' | 'endNow'>

/**
 * Reports when the branch that the session started from has moved meanwhile, and whether the landed fixes are green
 * together with the new commits. Information only: the session's branch stays as it was verified.
 */
export async function noticeBaseMove(context: BaseContext): Promise<void> {
  const { recorder, ports } = context
  const { base, base_branch: branch, base_moved: before } = recorder.session()
  if (!branch) return
  const now = await ports.trees.resolve(branch)
  if (!now || now.commit === base.commit || now.commit === before?.to) return
  const moved: BaseMoved = {
    branch: branch.replace(/^refs\/(heads|remotes)\//, ''),
    from: base.commit,
    to: now.commit,
    ...(await tryTogether(now, context)),
  }
  await recorder.recordTogether({
    session: { type: 'base_moved', moved },
    events: [
      {
        type: 'fix_landing_result',
        message: `${moved.branch} moved from ${short(moved.from)} to ${short(moved.to)} meanwhile; ${moved.reason}`,
        details: { base_moved: moved },
      },
    ],
  })
}

const short = (commit: string): string => commit.slice(0, 10)

type Together = Pick<BaseMoved, 'together' | 'reason'>

async function tryTogether(
  now: Revision,
  { recorder, ports, verifier, endNow }: BaseContext,
): Promise<Together> {
  const { base, tip, branch_made } = recorder.session()
  if (!branch_made || tip.tree === base.tree) return { together: null, reason: 'nothing landed' }
  const composed = await ports.composer.compose(now.tree, { base_tree: base.tree, tree: tip.tree })
  if ('conflicts' in composed)
    return { together: 'conflicts', reason: `together they conflict in ${composed.conflicts.join(', ')}` }
  const verification = await verifier.verify({
    revision: { commit: now.commit, tree: composed.tree },
    against: now,
    changed: [...(await ports.trees.list(tip.tree))],
    signal: endNow,
  })
  const { status } = verification
  const together = status === 'passed' ? 'green' : status === 'failed' ? 'red' : 'not_evaluated'
  return { together, reason: `verified together: ${together} (${verification.reason})` }
}
