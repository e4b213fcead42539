import { isSettled, type Attempt } from '../attempt/attempt.ts'
import { isOver, type Session } from '../session/session.ts'
import { quietLine } from '../markdown-text.ts'
import type { BlockingFinding, Vote, VotedFinding, VoteJudgement } from './vote.ts'

const name = 'Fixpoint'

/** What a check run says of votes. */
export function checkOfReview(
  review: VoteJudgement & { readonly votes: readonly Vote[]; readonly blocking: readonly BlockingFinding[] },
) {
  const conclusions = { approved: 'success', changes_needed: 'failure', not_evaluated: 'neutral' } as const
  const findings = new Map(
    review.votes
      .flatMap(({ findings: all }) => all)
      .map((one) => [`${one.file}:${one.line}:${one.title}`, one]),
  )
  return {
    name,
    conclusion: conclusions[review.status],
    title: review.status.replaceAll('_', ' '),
    summary: [
      quietLine(review.reason),
      ...review.votes.map(({ agent, score }) => `- ${quietLine(agent)}: ${score ?? 'no vote'}`),
      ...review.blocking.map((one) => `- blocks: ${quietLine(one.title)} (${quietLine(one.confirmed_by)})`),
    ].join('\n'),
    annotations: [...findings.values()].flatMap(annotationOf),
  }
}

const levels = { critical: 'failure', major: 'failure', minor: 'warning', info: 'notice' } as const

const annotationOf = ({ file, line, end_line, severity, title, description }: VotedFinding) =>
  file === null || line === null
    ? []
    : [
        {
          path: file,
          startLine: line,
          endLine: end_line ?? line,
          level: levels[severity],
          title,
          message: description,
        },
      ]

/** What a check run says of a session; undecided while it works. */
export function checkOfSession(
  { session, attempts }: { readonly session: Pick<Session, 'status'>; readonly attempts: readonly Attempt[] },
  summary: string,
) {
  const fixed = attempts.filter((attempt) => isSettled(attempt) && attempt.outcome === 'fixed').length
  const conclusion =
    session.status === 'awaiting_approval'
      ? ('action_required' as const)
      : !isOver(session)
        ? null
        : fixed === attempts.length
          ? ('success' as const)
          : ('neutral' as const)
  return { name, conclusion, title: `${fixed} of ${attempts.length} fixed`, summary, annotations: [] }
}
