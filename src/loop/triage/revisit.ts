import { moveIssue, type Issue } from '../../model/issue/issue.ts'
import { foldSpace } from './matching/words.ts'

const stalePrefix = 'stale: '

/** The file of an issue at a later revision. */
export interface RevisitedCode {
  /** The file's lines; null when the file is not there any more. */
  readonly lines: readonly string[] | null
  readonly commit: string
  /** Lines that belong to other issues, because a copy of the same problem stands there. */
  readonly taken?: ReadonlySet<number>
}

/**
 * The issue as it is at a later revision; null when nothing changed. An issue whose code is gone becomes stale and says so,
 * since it is not fixed; one whose code moved follows it; one whose code is back is no longer stale.
 */
export function revisitCode(issue: Issue, { lines, commit, taken }: RevisitedCode): Issue | null {
  if (issue.file === null || issue.anchor === 'unanchored' || issue.anchor === 'uncommitted') return null
  if (lines === null) return toStale(issue, `${issue.file} is not there at ${commit.slice(0, 12)}`)
  if (issue.line === null || issue.current_code === null)
    return issue.anchor === 'stale' ? { ...issue, ...unstale(issue), anchor: 'exact' } : null
  const line = locateCode(issue.current_code, issue.line, { lines, taken })
  if (line === null) return toStale(issue, `its code is not in ${issue.file} at ${commit.slice(0, 12)}`)
  if (line === issue.line && issue.anchor !== 'stale') return null
  const length = (issue.end_line ?? issue.line) - issue.line
  const anchor = line === issue.line ? 'exact' : 'moved'
  return {
    ...issue,
    ...unstale(issue),
    anchor,
    line,
    end_line: issue.end_line === null ? null : line + length,
  }
}

/** An ignored issue comes back by itself when its time is over. */
export function wakeIgnored(issue: Issue, now: string): Issue | null {
  const until = issue.ignored?.until ?? null
  if (issue.status !== 'ignored' || until === null || !(Date.parse(until) <= Date.parse(now))) return null
  return { ...moveIssue(issue, 'open', 'engine'), ignored: null }
}

const toStale = (issue: Issue, why: string): Issue | null =>
  issue.anchor === 'stale' ? null : { ...issue, anchor: 'stale', resolution_note: `${stalePrefix}${why}` }

const unstale = ({ resolution_note: note }: Issue): Partial<Issue> =>
  note?.startsWith(stalePrefix) ? { resolution_note: null } : {}

/** Revisits all issues of one file, each with a place of its own: an issue whose copy is gone never moves onto another's. */
export function revisitFile(issues: readonly Issue[], code: RevisitedCode): readonly Issue[] {
  const ofClaims = Map.groupBy(issues, ({ rule, title }) => rule ?? title)
  return [...ofClaims.values()].flatMap((copies) => {
    const taken = new Set(copies.flatMap((issue) => (standsStill(issue, code) ? [issue.line ?? 0] : [])))
    return copies.flatMap((issue) => {
      const after = revisitCode(issue, { ...code, taken })
      if (after?.anchor === 'moved' && after.line !== null) taken.add(after.line)
      return after ? [after] : []
    })
  })
}

const standsStill = ({ line, current_code }: Issue, { lines }: RevisitedCode): boolean =>
  lines !== null &&
  line !== null &&
  current_code !== null &&
  locateCode(current_code, line, { lines }) === line

interface Searched {
  readonly lines: readonly string[]
  readonly taken?: ReadonlySet<number> | undefined
}

/** Stands in stored code for a secret, which may have had several lines: only the code before it can be compared. */
const redactionMark = /\[redacted: [^\]\n]{1,80}\]/

/** The line where the code stands now: the one nearest to `from` that is not taken. White space does not count. */
export function locateCode(code: string, from: number, { lines, taken }: Searched): number | null {
  const [shown = '', hidden] = code.split(redactionMark, 2)
  const wanted = shown.split('\n').map(foldSpace)
  const first = wanted.findIndex((line) => line !== '')
  if (first === -1) return from <= lines.length ? from : null
  const isSame = (text: string, index: number): boolean =>
    hidden !== undefined && index === wanted.length - 1
      ? text.startsWith(wanted[index] ?? '')
      : text === wanted[index]
  const isAt = (line: number): boolean =>
    wanted.every((_, index) => isSame(foldSpace(lines[line - 1 + index] ?? ''), index))
  if (isAt(from)) return from
  let nearest: number | null = null
  for (const [index, text] of lines.entries()) {
    const line = index + 1 - first
    if (!isSame(foldSpace(text), first) || line < 1 || taken?.has(line) || !isAt(line)) continue
    if (nearest === null || Math.abs(line - from) < Math.abs(nearest - from)) nearest = line
  }
  return nearest
}
