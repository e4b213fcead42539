import { diffArrays } from 'diff'
import type { OriginFinding } from '../ports.ts'
import type { JudgedIssue } from './gate-definition.ts'

/** What a tool finds in one file before and after a patch, with the file's lines. */
export interface FileFindings {
  readonly before: Side
  readonly after: Side
}

interface Side {
  readonly lines: readonly string[]
  readonly found: readonly OriginFinding[]
}

/** Beyond this many edits a file counts as rewritten: one stretch from its first line to its last. */
const mostEdits = 2_000

/** A finding with the stretch of the file that it stands in, the same on both sides where nothing was edited. */
interface Placed {
  readonly finding: OriginFinding
  readonly key: string
  readonly text: string
  /** Its line as it stands, for its column. */
  readonly line: string
}

/** Findings of the base that the issue holds and that are still there, and findings that were not there before. */
export function compareFindings(
  files: readonly FileFindings[],
  held: ReadonlySet<OriginFinding>,
): { readonly left: readonly OriginFinding[]; readonly fresh: readonly OriginFinding[] } {
  const sides = files.map(placeFindings)
  const before = Map.groupBy(
    sides.flatMap((side) => side.before),
    ({ key }) => key,
  )
  const after = Map.groupBy(
    sides.flatMap((side) => side.after),
    ({ key }) => key,
  )
  const left: OriginFinding[] = []
  const fresh: OriginFinding[] = []
  for (const [key, now] of after) {
    const was = before.get(key) ?? []
    const others = was.filter(({ finding }) => !held.has(finding))
    if (now.length > was.length) fresh.push(...now.slice(was.length).map(({ finding }) => finding))
    else if (others.length < was.length && !areOthers(now, others))
      left.push(...now.map(({ finding }) => finding))
  }
  return { left, fresh }
}

/** Whether the present findings can only be those that the issue does not hold, unchanged. */
function areOthers(now: readonly Placed[], others: readonly Placed[]): boolean {
  const left = [...others]
  return now.every((one) => {
    const at = left.findIndex((other) => other.text === one.text || isInPlace(one, other))
    if (at !== -1) left.splice(at, 1)
    return at !== -1
  })
}

/** A finding begins with at least as many letters that its line must have kept. */
const keptLetters = 6

/** Whether a finding stands in the part of its line, before or behind what was edited, in which another one stood. */
function isInPlace(now: Placed, was: Placed): boolean {
  const [column, old] = [now.finding.column, was.finding.column]
  if (column === undefined || old === undefined) return false
  const isBefore = column === old && now.line.startsWith(was.line.slice(0, old - 1 + keptLetters))
  const isBehind = now.line.slice(column - 1) === was.line.slice(old - 1)
  return isBefore || isBehind
}

function placeFindings({ before, after }: FileFindings, index: number) {
  const [stretchBefore, stretchAfter] = stretchesOf(before.lines, after.lines)
  const place = ({ lines, found }: Side, stretch: (line: number) => string): readonly Placed[] =>
    found.map((finding) => ({
      finding,
      key: [index, claimOf(finding), finding.line === null ? 'file' : stretch(finding.line)].join('\0'),
      line: finding.line === null ? '' : (lines[finding.line - 1] ?? ''),
      text: finding.line === null ? '' : (lines[finding.line - 1] ?? '').replaceAll(/\s+/g, ' ').trim(),
    }))
  return { before: place(before, stretchBefore), after: place(after, stretchAfter) }
}

/** Names the stretch of each line: an untouched line is its own, all lines of an edit are one. */
function stretchesOf(before: readonly string[], after: readonly string[]) {
  const names: readonly [string[], string[]] = [[], []]
  const parts = diffArrays([...before], [...after], { maxEditLength: mostEdits }) ?? []
  let edit = 0
  let isEdit = false
  for (const { value, added, removed } of parts) {
    const isSame = !added && !removed
    if (!isSame && !isEdit) edit += 1
    isEdit = !isSame
    value.forEach(() => {
      const name = isSame ? `line ${names[1].length}` : `edit ${edit}`
      if (!added) names[0].push(name)
      if (!removed) names[1].push(name)
    })
  }
  return names.map((of) => (line: number) => of[line - 1] ?? 'elsewhere') as [
    (line: number) => string,
    (line: number) => string,
  ]
}

const claimOf = ({ rule, title }: Pick<OriginFinding, 'rule' | 'title'>): string => rule ?? `title ${title}`

/** The findings on the base that the issue is about: those in its own column, or else all that the rule finds in its lines. */
export function findHeld(
  found: readonly OriginFinding[],
  issue: JudgedIssue,
  lines: readonly string[],
): ReadonlySet<OriginFinding> {
  const alike = found.filter((finding) => claimOf(finding) === claimOf(issue) && finding.file === issue.file)
  const { line = null, end_line = null, current_code = null } = issue
  if (line === null) return new Set(alike)
  const cited = current_code?.split('\n')[0]?.trim()
  const isCited = (finding: OriginFinding): boolean =>
    finding.line !== null && lines[finding.line - 1]?.trim() === cited
  const distance = (finding: OriginFinding): number => Math.abs((finding.line ?? line) - line)
  const [nearest] = alike.toSorted(
    (a, b) => Number(isCited(b)) - Number(isCited(a)) || distance(a) - distance(b),
  )
  if (!nearest) return new Set()
  const from = nearest.line ?? line
  const to = Math.max(nearest.end_line ?? from, from + ((end_line ?? line) - line))
  const there = alike.filter(
    (finding) => finding.line === null || (finding.line <= to && (finding.end_line ?? finding.line) >= from),
  )
  // Findings of one tool in columns of their own are issues of their own.
  const own = there.filter(
    ({ line: row, column }) => row === from && column !== undefined && column === issue.column,
  )
  return new Set(own.length > 0 && issue.flagged_by.length === 1 ? own : there)
}
