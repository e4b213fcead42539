import type { Anchor, Finding, WrittenFinding } from '../../model/issue/finding.ts'
import type { FindingId, ReviewId } from '../../model/id.ts'
import { cutText } from '../../model/issue/finding-text.ts'
import type { Hash } from '../ports.ts'
import { foldSpace, foldWords, normaliseTitle } from './matching/words.ts'

const maxCitedLines = 40
const maxCitedLength = 4_000
/** How far to look past blank lines, so that a file of nothing else costs nothing. */
const maxBlankLines = 20
const maxContextLength = 200
/** How marks begin that stay with a problem from run to run. */
const lastingMark = 'fingerprint '

export interface FindingIdentity {
  readonly id: FindingId
  readonly reviewId: ReviewId
  readonly hash: Hash
}

/** A file's lines, for many findings of one file to share. */
export const splitLines = (text: string): readonly string[] =>
  text.includes('\r') ? text.split(/\r\n?|\n/) : text.split('\n')

/** Ties a claim to the code it cites; one whose file or line does not exist is kept, unanchored. */
export function anchorFinding(
  given: WrittenFinding,
  lines: readonly string[] | null,
  identity: FindingIdentity,
): Finding {
  const { snippet } = given
  // Leaving a member out takes long, and few findings have this one.
  const written = snippet === undefined ? given : withoutSnippet(given)
  const cited = lines === null ? null : citedCode(written, lines)
  const told = written.line === null || !snippet ? null : cutText(snippet, maxCitedLength)
  const isFileLevel = lines !== null && written.file !== null && written.line === null
  const anchor: Anchor = cited !== null || isFileLevel ? 'exact' : 'unanchored'
  return {
    ...written,
    id: identity.id,
    review_id: identity.reviewId,
    anchor,
    current_code: cited ?? told,
    fingerprint: identity.hash(
      cited === null || lines === null ? markSubject(written, told) : codeSubject(written, cited, lines),
    ),
  }
}

const withoutSnippet = ({ snippet: _snippet, ...written }: WrittenFinding): WrittenFinding => written

/** The cited lines as they stand in the file; null when the file ends before them. */
function citedCode(written: WrittenFinding, lines: readonly string[]): string | null {
  if (written.line === null || written.line > lines.length) return null
  const end = Math.min(lastLine(written), written.line - 1 + maxCitedLines, lines.length)
  const code = lines
    .slice(written.line - 1, end)
    .join('\n')
    .slice(0, maxCitedLength)
  return detach(code.isWellFormed() ? code : code.toWellFormed())
}

const lastLine = (written: WrittenFinding): number => Math.max(written.line ?? 0, written.end_line ?? 0)

/** A copy of its own: a slice would keep the whole file's text in memory. */
const detach = (slice: string): string => ` ${slice}`.slice(1)

/** The identity of a claim about code: no path and no line number, so that it survives moves. */
function codeSubject(written: WrittenFinding, cited: string, lines: readonly string[]): string {
  const before = neighbour(lines, (written.line ?? 1) - 2, -1)
  const after = neighbour(lines, Math.min(lastLine(written), lines.length), 1)
  return ['code', claimOf(written), foldSpace(cited), before, after].join('\0')
}

/** The identity of a claim whose code is not at hand: the source's own mark for it, or the code that the source cites. */
function markSubject(written: WrittenFinding, told: string | null): string {
  const mark = written.marks?.find((one) => one.startsWith(lastingMark))
  if (mark !== undefined) return ['mark', written.rule ?? '', mark].join('\0')
  return told === null ? placeSubject(written) : ['told', claimOf(written), foldSpace(told)].join('\0')
}

/** The identity of a claim that cites no code: where it has no line, every word and number of it counts. */
const placeSubject = (written: WrittenFinding): string =>
  [
    'place',
    written.rule ?? '',
    written.file ?? written.place_note ?? '',
    written.line === null ? wholeClaim(written) : normaliseTitle(written.title),
  ].join('\0')

function wholeClaim({ title, description }: WrittenFinding): string {
  const [head, said] = [foldWords(title), foldWords(description)]
  return said.startsWith(head) ? said : `${head} ${said}`
}

const claimOf = (written: WrittenFinding): string =>
  written.rule === null ? `title ${normaliseTitle(written.title)}` : `rule ${written.rule}`

/** The nearest line with something on it, going up or down from `start`: more than one would change with every edit nearby. */
function neighbour(lines: readonly string[], start: number, step: 1 | -1): string {
  for (let at = start, seen = 0; seen < maxBlankLines; at += step, seen += 1) {
    const folded = foldSpace((lines[at] ?? '').slice(0, maxContextLength))
    if (folded !== '') return folded
  }
  return ''
}
