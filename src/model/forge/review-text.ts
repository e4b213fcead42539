import { codeFence, inlineCode, quietLine, quietText } from '../markdown-text.ts'
import type { BlockingFinding, VoteJudgement, Vote, VotedFinding } from './vote.ts'

/** Names our part of a review's text. */
export const reviewPart = 'pr-review'

/** What our comments on lines begin with, followed by a key. */
export const commentMark = (key: string): string => `<!-- fixpoint:comment ${key} -->`

/** The key of one of our comments; null for those of others. */
export const keyOfComment = (body: string): string | null =>
  /<!-- fixpoint:comment ([0-9a-f]{16}) -->/.exec(body)?.[1] ?? null

export interface ReviewFacts extends VoteJudgement {
  readonly votes: readonly Vote[]
  readonly blocking: readonly BlockingFinding[]
  readonly unasked: readonly string[]
  readonly head_sha: string
}

const verdicts: Readonly<Record<VoteJudgement['status'], string>> = {
  approved: '✅ **Approved**',
  changes_needed: '❌ **Changes needed**',
  not_evaluated: '⚠️ **Not evaluated**',
}

/** The summary of all votes; findings that are on no changed line stand in it. */
export function reviewText(facts: ReviewFacts, elsewhere: readonly RaisedFinding[]): string {
  return [
    `${verdicts[facts.status]}: ${quietLine(facts.reason)}.`,
    ...(facts.votes.length > 0 ? [votesTable(facts.votes)] : []),
    ...(facts.blocking.length > 0
      ? ['### What stands against it', facts.blocking.map(blockingLine).join('\n')]
      : []),
    ...(elsewhere.length > 0
      ? ['### Outside of the changed lines', elsewhere.map(findingLine).join('\n')]
      : []),
    ...(facts.unasked.length > 0
      ? ['### Not asked', facts.unasked.map((line) => `- ${quietLine(line)}`).join('\n')]
      : []),
    `<sub>${facts.votes.length} independent votes on ${inlineCode(facts.head_sha.slice(0, 12))}. None of the voters saw another vote.</sub>`,
  ].join('\n\n')
}

/** A finding, and everybody who raised it. */
export interface RaisedFinding {
  readonly finding: VotedFinding
  readonly raisedBy: readonly string[]
}

export function commentText({ finding, raisedBy }: RaisedFinding, key: string): string {
  const { severity, title, description, replacement } = finding
  return [
    commentMark(key),
    `**${severity}**: ${quietLine(title)}`,
    ...(description === title ? [] : [quietText(description)]),
    ...(replacement === null ? [] : [codeFence(replacement, 'suggestion')]),
    `<sub>Raised by ${raisedBy.map(quietLine).join(', ')}.</sub>`,
  ].join('\n\n')
}

const votesTable = (votes: readonly Vote[]): string =>
  [
    '| Voter | Score | What it says |',
    '| --- | --- | --- |',
    ...votes.map(
      ({ agent, model, score, summary, missing }) =>
        `| ${cell(agent)}${model === null ? '' : ` (${cell(model)})`} | ${score ?? 'none'} | ${cell(score === null ? (missing ?? 'no answer') : summary)} |`,
    ),
  ].join('\n')

const cell = (text: string): string => quietLine(text).replaceAll('|', String.raw`\|`)

const placeOf = ({ file, line }: VotedFinding): string =>
  file === null ? '' : ` in ${inlineCode(line === null ? file : `${file}:${line}`)}`

const blockingLine = (finding: BlockingFinding): string =>
  `- **${finding.severity}**: ${quietLine(finding.title)}${placeOf(finding)}, raised by ${quietLine(finding.raised_by)}, confirmed by ${quietLine(finding.confirmed_by)}`

const findingLine = ({ finding, raisedBy }: RaisedFinding): string =>
  `- **${finding.severity}**: ${quietLine(finding.title)}${placeOf(finding)} (${raisedBy.map(quietLine).join(', ')}). ${quietLine(finding.description)}`
