import { splitLines } from '../../loop/triage/anchor.ts'
import type { Trees } from '../../loop/ports.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import type { IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { lineFixesOf, type LineFix } from './line-fix.ts'

const maxDiffBytes = 200_000
/** Each needs the objects of a commit; a report with more fixes names their commits only. */
const maxFixes = 500

/** What was changed to fix issues, where the code of `head` still is as the fix found it. */
export async function readFixes(
  trees: Trees,
  head: Revision,
  issues: readonly Issue[],
): Promise<ReadonlyMap<IssueId, readonly LineFix[]>> {
  const fixes = new Map<IssueId, readonly LineFix[]>()
  for (const issue of issues.filter(({ fix_commit_sha: commit }) => commit !== null).slice(0, maxFixes)) {
    const diff = await diffOf(trees, issue.fix_commit_sha ?? '')
    if (diff === null) continue
    const files = await trees.readMany(head.tree, issue.fix_files_modified)
    const linesOf = (file: string) => {
      const bytes = files.get(file)
      return bytes === undefined ? null : splitLines(new TextDecoder().decode(bytes))
    }
    const found = lineFixesOf(diff, linesOf)
    if (found) fixes.set(issue.id, found)
  }
  return fixes
}

/** Null when the commit is gone, has no parent, or changes too much to be shown. */
async function diffOf(trees: Trees, commit: string): Promise<string | null> {
  const [fixed, before] = [await trees.resolve(commit), await trees.resolve(`${commit}^`)]
  if (!fixed || !before) return null
  const diff = await trees.diff(before.tree, fixed.tree, maxDiffBytes)
  return diff.length < maxDiffBytes ? diff : null
}
