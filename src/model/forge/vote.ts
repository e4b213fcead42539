import { findJsonObjects, isRecord, type JsonObject } from '../json-text.ts'
import { readReviewerAnswer, type AnswerContext } from '../issue/reviewer-answer.ts'
import type { WrittenFinding } from '../issue/finding.ts'
import { Severity } from '../issue/severity.ts'

/** A finding of a vote, with the code that would replace exactly its lines, where there is some. */
export interface VotedFinding extends Pick<
  WrittenFinding,
  'title' | 'description' | 'severity' | 'category' | 'file' | 'line' | 'end_line' | 'rule'
> {
  readonly replacement: string | null
}

/** One voter's answer; the score is null when there is none that can be read. */
export interface Vote {
  readonly agent: string
  readonly model: string | null
  readonly score: number | null
  readonly summary: string
  readonly findings: readonly VotedFinding[]
  /** Why there is no vote. */
  readonly missing: string | null
  readonly cost_usd: number
}

/** A finding that keeps a pull request from being approved, and what confirms it. */
export interface BlockingFinding extends VotedFinding {
  readonly raised_by: string
  readonly confirmed_by: string
}

export interface VoteJudgement {
  readonly average: number | null
  readonly status: 'approved' | 'changes_needed' | 'not_evaluated'
  readonly reason: string
}

const leastVotes = 2
/** Voters that are further apart than this do not agree, whatever their average says. */
const apart = 20

/** Approved when every vote is there, their average is high enough and nothing confirmed stands against it. */
export function judgeVotes(
  votes: readonly Vote[],
  blocking: readonly BlockingFinding[],
  threshold: number,
): VoteJudgement {
  const scores = votes.flatMap(({ score }) => score ?? [])
  const average = scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length
  const missing = votes.filter(({ score }) => score === null)
  if (missing.length > 0)
    return {
      average: null,
      status: 'not_evaluated',
      reason: missing
        .map(({ agent, missing: why }) => `${agent} gave no vote: ${why ?? 'no answer'}`)
        .join('; '),
    }
  if (average === null || scores.length < leastVotes)
    return {
      average: null,
      status: 'not_evaluated',
      reason: `${leastVotes} votes are needed, and there ${scores.length === 1 ? 'is 1' : `are ${scores.length}`}`,
    }
  const far = Math.max(...scores) - Math.min(...scores)
  const split = far > apart ? `; the voters are ${far} points apart` : ''
  if (blocking.length > 0)
    return {
      average,
      status: 'changes_needed',
      reason: `${blocking.length === 1 ? 'a confirmed finding stands' : `${blocking.length} confirmed findings stand`} against it${split}`,
    }
  return average >= threshold
    ? {
        average,
        status: 'approved',
        reason: `the average of ${scores.length} votes is ${average}, at least ${threshold}${split}`,
      }
    : {
        average,
        status: 'changes_needed',
        reason: `the average of ${scores.length} votes is ${average}, below ${threshold}${split}`,
      }
}

export type ReadVote = Pick<Vote, 'score' | 'summary' | 'findings'> | { readonly unreadable: string }

/** Reads the last vote in a voter's text. A score that is no number from 0 to 100 is no score: nothing is bent into one. */
export function readVote(text: string, context: AnswerContext): ReadVote {
  const object = findJsonObjects(text).findLast((one) => 'score' in one)
  if (!object) return { unreadable: 'the answer cannot be read: it holds no JSON object with a "score"' }
  const { score, summary } = object
  if (typeof score !== 'number' || !Number.isFinite(score) || score < 0 || score > 100)
    return { unreadable: 'the answer cannot be read: "score" is no number from 0 to 100' }
  if (typeof summary !== 'string' || summary.trim() === '')
    return { unreadable: 'the answer cannot be read: it has no "summary"' }
  const answer = readReviewerAnswer(JSON.stringify({ groups: [], ...object }), context)
  if ('unreadable' in answer) return answer
  const items = itemsOf(object)
  return {
    score,
    summary: summary.trim().slice(0, 4_000),
    findings: answer.findings.map((finding, index) => votedFinding(finding, items[index])),
  }
}

/** In the order in which the findings are read: groups first. */
const itemsOf = ({ groups, findings }: JsonObject): readonly unknown[] => [
  ...(Array.isArray(groups)
    ? groups.flatMap((group: unknown) =>
        isRecord(group) && Array.isArray(group['findings']) ? (group['findings'] as unknown[]) : [],
      )
    : []),
  ...(Array.isArray(findings) ? (findings as unknown[]) : []),
]

const mostReplaced = 10

export function votedFinding(finding: WrittenFinding, item?: unknown): VotedFinding {
  const code = isRecord(item) && typeof item['suggested_fix'] === 'string' ? item['suggested_fix'] : null
  const { title, description, severity, category, file, line, end_line, rule } = finding
  const lines = line === null ? 0 : (end_line ?? line) - line + 1
  const isSmall =
    code !== null && lines > 0 && lines <= mostReplaced && code.split('\n').length <= mostReplaced
  return {
    title,
    description,
    severity,
    category,
    file,
    line,
    end_line,
    rule,
    replacement: isSmall ? code : null,
  }
}

/** Whether a finding would block, were it confirmed. */
export const mayBlock = ({ severity }: Pick<VotedFinding, 'severity'>): boolean =>
  Severity.options.indexOf(severity) <= Severity.options.indexOf('major')

const nearLines = 5

/** Whether two findings are about the same place. */
export const isSamePlace = (
  a: Pick<VotedFinding, 'file' | 'line' | 'end_line'>,
  b: Pick<VotedFinding, 'file' | 'line' | 'end_line'>,
): boolean => {
  if (a.file === null || a.file !== b.file) return false
  if (a.line === null || b.line === null) return false
  return a.line <= (b.end_line ?? b.line) + nearLines && b.line <= (a.end_line ?? a.line) + nearLines
}
