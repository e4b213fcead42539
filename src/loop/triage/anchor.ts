import type { Anchor, Finding, WrittenFinding } from '../../model/issue/finding.ts'
import type { FindingId, ReviewId } from '../../model/id.ts'
import type { Hash } from '../ports.ts'
import { normaliseTitle } from './title.ts'

const maxCitedLines = 40
const maxCitedLength = 4_000
/** How far to look past blank lines, so that a file of nothing else costs nothing. */
const maxBlankLines = 20
const maxContextLength = 200

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
  written: WrittenFinding,
  lines: readonly string[] | null,
  identity: FindingIdentity,
): Finding {
  const cited = lines === null ? null : citedCode(written, lines)
  const isFileLevel = lines !== null && written.file !== null && written.line === null
  const anchor: Anchor = cited !== null || isFileLevel ? 'exact' : 'unanchored'
  return {
    ...written,
    id: identity.id,
    review_id: identity.reviewId,
    anchor,
    current_code: cited,
    fingerprint: identity.hash(
      cited === null || lines === null ? placeSubject(written) : codeSubject(written, cited, lines),
    ),
  }
}

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

/** What identifies a claim about code: no path and no line number, so that it survives moves. */
function codeSubject(written: WrittenFinding, cited: string, lines: readonly string[]): string {
  const before = neighbour(lines, (written.line ?? 1) - 2, -1)
  const after = neighbour(lines, Math.min(lastLine(written), lines.length), 1)
  return ['code', claimOf(written), foldSpace(cited), before, after].join('\0')
}

/** What identifies a claim that cites no code. */
const placeSubject = (written: WrittenFinding): string =>
  ['place', written.rule ?? '', written.file ?? written.place_note ?? '', normaliseTitle(written.title)].join(
    '\0',
  )

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

/** The text with every run of white space as one space. */
export function foldSpace(text: string): string {
  const trimmed = text.trim()
  return /\s\s|[^\S ]/.test(trimmed) ? trimmed.replaceAll(/\s+/g, ' ') : trimmed
}
