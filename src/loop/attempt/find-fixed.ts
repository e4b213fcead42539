import { isSettled, type Attempt, type AttemptAt, type AttemptEvent } from '../../model/attempt/attempt.ts'
import type { TreeId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { meetsEvidence } from '../../model/proof/evidence.ts'
import { issueOf, type SessionContext } from '../context/session-context.ts'
import { askOrigins } from '../gates/origin.ts'
import { readJudgedPatch } from '../gates/read-patch.ts'

type FoundFixed = Extract<AttemptEvent, { type: 'found_fixed' }>
type Needed = Pick<SessionContext, 'issues' | 'recorder' | 'ports' | 'endNow'>

/** What the silence of the tool that raised an issue is worth, on a tree whose checks are green. */
const grade = 'E2'

/**
 * Whether a fix that landed earlier in the session has mended this issue too: the tool that raised it reported it on the
 * session's base, and no longer does. Null when none did, or when no tool can say so; then a fixer is asked.
 */
export async function findFixed(attempt: AttemptAt<'queued'>, context: Needed): Promise<FoundFixed | null> {
  const { ports, recorder } = context
  const issue = issueOf(context, attempt)
  if (!meetsEvidence(grade, attempt.policy.min_evidence) || attempt.policy.requires_reproduction) return null
  const earlier = recorder
    .attempts()
    .filter((one) => hasLandedIn(one, issue.file))
    .toSorted((a, b) => a.position - b.position)
  if (earlier.length === 0) return null
  if (!(await isSilentOn(recorder.session().tip.tree, issue, context))) return null
  for (const { issue_code: by_code, commit_sha, commit_message } of earlier) {
    const landed = commit_sha && (await ports.trees.resolve(commit_sha))
    if (landed && (await isSilentOn(landed.tree, issue, context)))
      return { type: 'found_fixed', by_code, commit_sha, commit_message, evidence: grade }
  }
  return null
}

const hasLandedIn = (attempt: Attempt, file: string | null): attempt is AttemptAt<'settled'> =>
  isSettled(attempt) &&
  attempt.outcome === 'fixed' &&
  file !== null &&
  (attempt.rounds.at(-1)?.files.includes(file) ?? false)

/** Whether every tool that raised the issue on the session's base is silent about it on this tree, and about nothing new. */
async function isSilentOn(tree: TreeId, issue: Issue, { ports, recorder, endNow }: Needed): Promise<boolean> {
  const session = recorder.session()
  const { base } = session
  const files = [...(await ports.trees.changes(base.tree, tree))]
  const patch = { base_tree: base.tree, tree, files, refused: [] }
  const judged = await readJudgedPatch({ patch, base, issue, session, signal: endNow }, ports)
  return (await askOrigins(judged, issue)).status === 'passed'
}
