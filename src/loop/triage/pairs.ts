import type { Issue } from '../../model/issue/issue.ts'
import type { FindingGroup } from './groups.ts'

type Pair = readonly [FindingGroup, Issue]

/** What has no counterpart yet. */
export interface Unpaired {
  readonly groups: readonly FindingGroup[]
  readonly issues: readonly Issue[]
}

/** Pairs groups and issues of one fingerprint: on the same line, then nearest in the same file, then across files that are gone. */
export function pairByPlace(
  groups: readonly FindingGroup[],
  issues: readonly Issue[],
  files: FilesNow,
): readonly Pair[] {
  const [group, issue] = [groups[0], issues[0]]
  if (group && issue && groups.length === 1 && issues.length === 1) {
    const isHere = group.lead.file === issue.file || hasMovedTo(issue, group.lead.file, files)
    return isHere ? [[group, issue]] : []
  }
  return pairMany(groups, issues, files)
}

/** What became of the files that issues lie in. */
export interface FilesNow {
  readonly fileExists: (path: string) => boolean
  /** The new names of files that are gone, as far as they are known. */
  readonly renamed: ReadonlyMap<string, string>
}

function hasMovedTo(issue: Issue, file: string | null, { fileExists, renamed }: FilesNow): boolean {
  if (issue.file === null || fileExists(issue.file)) return false
  return (renamed.get(issue.file) ?? file) === file
}

function pairMany(
  groups: readonly FindingGroup[],
  issues: readonly Issue[],
  files: FilesNow,
): readonly Pair[] {
  const pairs: Pair[] = []
  const place = (at: { readonly file: string | null; readonly line: number | null }) =>
    `${at.file}\0${at.line}`
  const fileOf = (group: FindingGroup) => `${group.lead.file}`
  let left = pairBy(
    { groups, issues },
    { keyOfGroup: (group) => place(group.lead), keyOfIssue: place, pair: pairInOrder },
    pairs,
  )
  left = pairBy(
    left,
    { keyOfGroup: fileOf, keyOfIssue: (issue) => `${issue.file}`, pair: pairNearest },
    pairs,
  )
  const moved = left.issues.filter((issue) => issue.file !== null && !files.fileExists(issue.file))
  const newName = (issue: Issue) => files.renamed.get(issue.file ?? '')
  left = pairBy(
    { groups: left.groups, issues: moved },
    { keyOfGroup: fileOf, keyOfIssue: (issue) => `${newName(issue)}`, pair: pairNearest },
    pairs,
  )
  const lost = left.issues.filter((issue) => newName(issue) === undefined)
  pairBy(
    { groups: left.groups, issues: lost },
    { keyOfGroup: () => '', keyOfIssue: () => '', pair: pairInOrder },
    pairs,
  )
  return pairs
}

interface PairRule {
  readonly keyOfGroup: (group: FindingGroup) => string
  readonly keyOfIssue: (issue: Issue) => string
  readonly pair: (groups: readonly FindingGroup[], issues: readonly Issue[]) => readonly Pair[]
}

/** Pairs what has the same key, adds it to `pairs`, and gives what is left over. */
function pairBy(from: Unpaired, { keyOfGroup, keyOfIssue, pair }: PairRule, pairs: Pair[]): Unpaired {
  if (from.groups.length === 0 || from.issues.length === 0) return from
  const issuesByKey = Map.groupBy(from.issues, keyOfIssue)
  const made = [...Map.groupBy(from.groups, keyOfGroup)].flatMap(([key, groups]) => {
    const issues = issuesByKey.get(key)
    return issues ? pair(groups, issues) : []
  })
  if (made.length === 0) return from
  for (const one of made) pairs.push(one)
  const takenGroups = new Set(made.map(([group]) => group))
  const takenIssues = new Set(made.map(([, issue]) => issue))
  return {
    groups: from.groups.filter((group) => !takenGroups.has(group)),
    issues: from.issues.filter((issue) => !takenIssues.has(issue)),
  }
}

/** First with first, and so on, by line. */
function pairInOrder(groups: readonly FindingGroup[], issues: readonly Issue[]): readonly Pair[] {
  const count = Math.min(groups.length, issues.length)
  const [sortedGroups, sortedIssues] = sortByLine(groups, issues)
  return Array.from({ length: count }, (_, at) => [sortedGroups[at], sortedIssues[at]] as unknown as Pair)
}

/** Pairs each member of the shorter list with the nearest of the longer one. Copies keep their order, so enough must stay for the rest. */
function pairNearest(groups: readonly FindingGroup[], issues: readonly Issue[]): readonly Pair[] {
  const [sortedGroups, sortedIssues] = sortByLine(groups, issues)
  const groupLines = sortedGroups.map((group) => group.lead.line ?? 0)
  const issueLines = sortedIssues.map((issue) => issue.line ?? 0)
  const isFewerGroups = groups.length <= issues.length
  const [few, many] = isFewerGroups ? [groupLines, issueLines] : [issueLines, groupLines]
  return nearestInOrder(few, many).map((other, at) => {
    const [group, issue] = isFewerGroups ? [at, other] : [other, at]
    return [sortedGroups[group], sortedIssues[issue]] as unknown as Pair
  })
}

/** For each of `few`, the index in `many`, ascending. */
function nearestInOrder(few: readonly number[], many: readonly number[]): readonly number[] {
  let at = 0
  return few.map((line, index) => {
    const last = many.length - (few.length - index)
    const distance = (position: number) => Math.abs((many[position] ?? 0) - line)
    while (at < last && distance(at + 1) < distance(at)) at += 1
    at += 1
    return at - 1
  })
}

interface Ordered {
  readonly line: number | null
  readonly end_line: number | null
  readonly title: string
}

const compare = (a: Ordered, b: Ordered): number =>
  (a.line ?? 0) - (b.line ?? 0) ||
  (a.end_line ?? 0) - (b.end_line ?? 0) ||
  (a.title < b.title ? -1 : Number(a.title > b.title))

const sortByLine = (
  groups: readonly FindingGroup[],
  issues: readonly Issue[],
): readonly [readonly FindingGroup[], readonly Issue[]] => [
  groups.toSorted((a, b) => compare(a.lead, b.lead)),
  issues.toSorted(compare),
]

/** The new names of files that are gone: where their code is now, told by code that occurs only once. */
export function findRenames(
  groups: readonly FindingGroup[],
  issues: readonly Issue[],
  fileExists: (path: string) => boolean,
): ReadonlyMap<string, string> {
  const gone = issues.filter(({ file }) => file !== null && !fileExists(file))
  if (gone.length === 0) return new Map()
  const byFingerprint = Map.groupBy(gone, ({ fingerprint }) => fingerprint)
  const seen = Map.groupBy(
    groups.filter(({ lead }) => byFingerprint.has(lead.fingerprint)),
    ({ lead }) => lead.fingerprint,
  )
  const votes = new Map<string, Map<string, number>>()
  for (const [fingerprint, [group, ...copies]] of seen) {
    const [issue, ...others] = byFingerprint.get(fingerprint) ?? []
    const [from, to] = [issue?.file, group?.lead.file]
    if (!from || !to || copies.length + others.length > 0) continue
    const ofFile = votes.get(from) ?? new Map<string, number>()
    votes.set(from, ofFile.set(to, (ofFile.get(to) ?? 0) + 1))
  }
  return new Map(
    [...votes].map(([from, ofFile]) => [from, [...ofFile].reduce((a, b) => (b[1] > a[1] ? b : a))[0]]),
  )
}
