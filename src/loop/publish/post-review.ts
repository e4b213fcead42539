import { replaceOwnPart } from '../../model/forge/own-part.ts'
import {
  commentText,
  keyOfComment,
  reviewPart,
  reviewText,
  type RaisedFinding,
} from '../../model/forge/review-text.ts'
import { isSamePlace } from '../../model/forge/vote.ts'
import type { Forge, Hash, LineComment } from '../ports.ts'
import type { PullReview } from './review-pull.ts'

export interface PostPorts {
  readonly forge: Pick<Forge, 'reviews' | 'threads'>
  readonly hash: Hash
}

interface Comment extends LineComment {
  readonly key: string
}

/**
 * Posts ONE review, or brings the one that is there up to date: comments that still hold are updated, those that do not are
 * resolved, and none is ever doubled.
 */
export async function postReview(
  review: PullReview,
  diff: string,
  { forge, hash }: PostPorts,
): Promise<number> {
  const lines = linesOfDiff(diff)
  const raised = joinFindings(review)
  const isOnChange = ({ finding: { file, line } }: RaisedFinding): boolean =>
    file !== null && line !== null && lines.get(file)?.has(line) === true
  const comments = raised.filter(isOnChange).map((one) => commentOf(one, lines, hash))
  const text = reviewText(
    review,
    raised.filter((one) => !isOnChange(one)),
  )
  const mark = `fixpoint:begin ${reviewPart} `
  const existing = await forge.reviews.find(review.number, mark)
  const body = replaceOwnPart(existing?.body ?? '', reviewPart, text)
  if (!existing) {
    const posted = await forge.reviews.post(review.number, { headSha: review.head_sha, body, comments, mark })
    return posted.id
  }
  if (existing.body !== body) await forge.reviews.edit(review.number, existing.id, body)
  await updateComments(review, comments, forge)
  return existing.id
}

async function updateComments(
  { number, head_sha }: PullReview,
  comments: readonly Comment[],
  { threads }: PostPorts['forge'],
): Promise<void> {
  const ours = (await threads.list(number)).flatMap((thread) => {
    const [first] = thread.comments
    const key = first?.isOurs ? keyOfComment(first.body) : null
    return first && key !== null ? [{ thread, first, key }] : []
  })
  for (const comment of comments) {
    const known = ours.find(({ key }) => key === comment.key)
    if (!known) await threads.begin(number, head_sha, comment)
    else if (known.first.body !== comment.body) await threads.edit(known.first.id, comment.body)
  }
  const stale = ours.filter(
    ({ thread, key }) => !thread.isResolved && !comments.some((one) => one.key === key),
  )
  for (const { thread } of stale) await threads.resolve(thread.id)
}

/** The same problem raised by several is said once, with all their names. */
function joinFindings({ votes, toolFindings }: PullReview): readonly RaisedFinding[] {
  const all = [
    ...votes.flatMap(({ agent, findings }) => findings.map((finding) => ({ finding, by: agent }))),
    ...toolFindings.map(({ tool, finding }) => ({ finding, by: tool })),
  ]
  const joined: { finding: RaisedFinding['finding']; raisedBy: string[] }[] = []
  for (const { finding, by } of all) {
    const twin = joined.find(
      (one) =>
        isSamePlace(one.finding, finding) && one.finding.title.toLowerCase() === finding.title.toLowerCase(),
    )
    if (!twin) joined.push({ finding, raisedBy: [by] })
    else if (!twin.raisedBy.includes(by)) twin.raisedBy.push(by)
  }
  return joined
}

/** A suggestion replaces exactly its lines, so all of them must be in the change. */
function commentOf(
  raised: RaisedFinding,
  lines: ReadonlyMap<string, ReadonlySet<number>>,
  hash: Hash,
): Comment {
  const { file, line, end_line, title } = raised.finding
  const path = file ?? ''
  const first = line ?? 1
  const last = end_line ?? first
  const shown = lines.get(path)
  const isWhole = Array.from({ length: last - first + 1 }, (_, index) => first + index).every((one) =>
    shown?.has(one),
  )
  const key = hash(`${path}\0${title.toLowerCase()}`).slice(0, 16)
  const finding = isWhole ? raised.finding : { ...raised.finding, replacement: null }
  return {
    key,
    path,
    line: isWhole ? last : first,
    startLine: isWhole && last > first ? first : null,
    body: commentText({ ...raised, finding }, key),
  }
}

/** The lines of the changed side that a unified diff shows, by file: comments can stand on these only. */
export function linesOfDiff(diff: string): ReadonlyMap<string, ReadonlySet<number>> {
  const files = new Map<string, Set<number>>()
  let current: Set<number> | null = null
  let line = 0
  let left = 0
  for (const text of diff.split('\n')) {
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(text)
    if (hunk) {
      line = Number(hunk[1])
      left = Number(hunk[2] ?? 1)
    } else if (left > 0 && current && (text.startsWith('+') || text.startsWith(' ') || text === '')) {
      current.add(line)
      line += 1
      left -= 1
    } else if (left === 0 && text.startsWith('+++ ')) {
      const path = pathOf(text.slice('+++ '.length))
      current = path === null ? null : new Set()
      if (path !== null && current) files.set(path, current)
    }
  }
  return files
}

/** git writes `b/path`, quoted where the name has unusual characters; a quoted one gets no comments. */
const pathOf = (text: string): string | null => /^b\/(.+?)\t?$/.exec(text)?.[1] ?? null
