import { diffArrays } from 'diff'
import type { TreeId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { LineRange, Trees } from '../ports.ts'
import { readTexts } from '../read-code.ts'
import { splitLines } from '../triage/anchor.ts'
import { locateCode } from '../triage/revisit.ts'

/** An issue with its lines as they are in the code that is shown with it; null where there is no such file. */
export interface PlacedIssue {
  readonly issue: Issue
  readonly code: string | null
}

export interface ShownTrees {
  /** The commit that the session began with: the issues' lines are about it. */
  readonly base: TreeId
  /** What the agent finds in its workspace. */
  readonly now: TreeId
}

/** The issues with the code of their files, at the lines where their code stands there. */
export async function placeIssues(
  issues: readonly Issue[],
  { base, now }: ShownTrees,
  trees: Pick<Trees, 'readMany'>,
): Promise<readonly PlacedIssue[]> {
  const files = [...new Set(issues.flatMap(({ file }) => file ?? []))]
  const before = await readTexts(trees, base, files)
  const after = now === base ? before : await readTexts(trees, now, files)
  return issues.map((issue) => {
    const [was, is] = [before.get(issue.file ?? ''), after.get(issue.file ?? '')]
    return {
      issue: was === undefined || is === undefined ? issue : placeIssue(issue, was, is),
      code: is ?? null,
    }
  })
}

/** The issue with its lines as they are in the later text. */
export function placeIssue(issue: Issue, before: string, after: string): Issue {
  if (!issue.line) return issue
  const lines = splitLines(before)
  const { line, end_line: end, current_code: cited } = issue
  const first = cited === null ? line : (locateCode(cited, line, { lines }) ?? line)
  const range = { first, last: Math.max(first, first + (end ?? line) - line) }
  const placed = before === after ? range : followLines(lines, splitLines(after), range)
  return {
    ...issue,
    line: placed.first,
    end_line: end === null && placed.last === placed.first ? null : placed.last,
  }
}

/** Beyond this many edits a file counts as rewritten, and nothing in it can be followed. */
const mostEdits = 2_000

/** Where lines of a text are in a later one: the same lines, what replaced them, or the place where they were. */
function followLines(before: readonly string[], after: readonly string[], range: LineRange): LineRange {
  const parts = diffArrays([...before], [...after], { maxEditLength: mostEdits }) ?? []
  let [old, now] = [1, 1]
  let found: LineRange | null = null
  const take = (first: number, last: number): void => {
    if (last >= first) found = { first: found?.first ?? first, last }
  }
  let isReplaced = false
  for (const { value, added, removed } of parts) {
    const { length } = value
    if (added) {
      if (isReplaced) take(now, now + length - 1)
      now += length
      continue
    }
    const [from, to] = [Math.max(range.first, old), Math.min(range.last, old + length - 1)]
    isReplaced = removed === true && from <= to
    if (!removed) take(now + from - old, now + to - old)
    // Where all of it was taken away, the line that stands there now is the place.
    if (isReplaced) found ??= { first: Math.min(now, after.length), last: Math.min(now, after.length) }
    old += length
    if (!removed) now += length
  }
  return found ?? { first: Math.min(range.first, after.length), last: Math.min(range.last, after.length) }
}
