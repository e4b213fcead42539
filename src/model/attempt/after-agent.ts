import type { FailureKind } from '../agent/agent.ts'
import { isUnreported } from '../agent/report.ts'
import type { Challenge } from '../proof/challenge.ts'
import type { Attempt, AttemptAt, EventOf, Outcome } from './attempt.ts'
import { closeRound, nextRound, settle } from './close-round.ts'

/** An issue that is deferred more often than this counts as blocked. */
const maxDeferrals = 2

/** Ends that the same agent would come to again, and what they make of the issue. */
const notTriedAgain: Readonly<Partial<Record<FailureKind, Outcome>>> = {
  timeout: 'failed',
  too_long: 'failed',
  model_not_found: 'not_evaluated',
  tools_unavailable: 'not_evaluated',
  budget: 'over_budget',
}

/** Where the end of the fixer's run leads: on to the gates, or to what the fixer says instead of a fix. */
export function afterAgent(attempt: AttemptAt<'fixing'>, event: EventOf<'agent_ended'>): Attempt {
  const ran: AttemptAt<'inspecting'> = {
    ...attempt,
    stage: 'inspecting',
    run: event.run,
    report: event.report,
  }
  const { ending } = event.run
  const over = ending.ended === 'failed' ? notTriedAgain[ending.kind] : undefined
  if (ending.ended === 'failed' && over) return settle(closeRound(ran, ending.message), over, ending.message)
  if (ending.ended === 'failed' || !event.report) return ran
  const { outcome, explanation } = event.report
  if (outcome === 'blocked') return block(ran, explanation)
  if (outcome === 'needs_agent')
    return settle(closeRound(ran, `needs an agent: ${explanation}`), 'needs_agent', explanation)
  if (outcome === 'false_positive') return doubt(ran, explanation)
  if (outcome === 'deferred') return defer(ran, explanation)
  return ran
}

/** A weak reason is kept with the attempt, and said to be one. */
function block(attempt: AttemptAt<'inspecting'>, explanation: string): Attempt {
  const why = explanation || 'the fixer gave no reason'
  const excuse = weakExcuse(explanation)
  const reason = excuse ? `${why} (flagged: "${excuse}" is a weak excuse)` : why
  return settle(closeRound(attempt, `blocked: ${reason}`), 'blocked', reason)
}

function doubt(attempt: AttemptAt<'inspecting'>, explanation: string): Attempt {
  if (attempt.policy.challenge) return { ...attempt, stage: 'doubting' }
  return settle(
    closeRound(attempt, `false positive: ${explanation}`),
    'disputed',
    `the fixer says this is a false positive: ${sentence(explanation || 'no reason given')} A fixer's word alone does not close an issue, and the challenge is switched off.`,
  )
}

/** Where the challenger's word on a claimed false positive leads. */
export function afterDoubt(attempt: AttemptAt<'doubting'>, challenge: Challenge): Attempt {
  const claim = attempt.report?.explanation || 'no reason given'
  const judged = closeRound({ ...attempt, challenge }, `false positive: ${claim}`)
  if (challenge.status === 'accepted')
    return settle(judged, 'false_positive', `a false positive: ${claim} (${challenge.agent} agrees)`)
  const answer =
    challenge.status === 'refused'
      ? `${challenge.agent} does not agree (${challenge.score ?? 0} of ${attempt.policy.threshold}): ${challenge.feedback}`
      : `no challenger could judge that: ${challenge.feedback}`
  return settle(
    judged,
    'disputed',
    `the fixer says this is a false positive: ${sentence(claim)} ${sentence(answer)} A person decides.`,
  )
}

const sentence = (text: string): string => (/[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`)

function defer(attempt: AttemptAt<'inspecting'>, explanation: string): Attempt {
  const why = explanation || 'no reason given'
  const deferrals = attempt.deferrals + 1
  const counted = { ...attempt, deferrals }
  if (deferrals > maxDeferrals)
    return settle(closeRound(counted, `deferred: ${why}`), 'blocked', `deferred ${deferrals} times: ${why}`)
  const excuse = weakExcuse(explanation)
  const refused = excuse ? ` "${excuse}" is no reason to defer.` : ''
  return nextRound(counted, {
    refusal: excuse ? `deferred with a weak excuse: ${why}` : `deferred: ${why}`,
    stage: 'deferred',
    feedback: isUnreported(why)
      ? `Your answer held no report on this issue that could be read (${why}).`
      : `You deferred this issue ("${why}").${refused}`,
    nextStep: 'fix_or_block',
    from: attempt.from_tree,
    outcome: 'blocked',
  })
}

/** Reasons that say nothing about the problem: true of any issue that somebody does not want to fix. */
const excuses = [
  /\bout[ -]of[ -]scope\b/i,
  /\b(?:too|overly) (?:complex|complicated|risky|large|big|much (?:work|effort))\b/i,
  /\bpre-?existing\b/i,
  /\bnot (?:a )?(?:priority|important|worth)\b/i,
  /\b(?:by|as) design(?:ed)?\b/i,
  /\b(?:low|minor) (?:priority|impact|severity)\b/i,
  /\b(?:time|effort) constraints?\b/i,
  /\b(?:future|separate|follow-?up) (?:work|pr|pull request|change|task|refactor(?:ing)?)\b/i,
]

/** The words of a weak excuse in an explanation, or null when it has none. */
export function weakExcuse(explanation: string): string | null {
  for (const excuse of excuses) {
    const found = excuse.exec(explanation)
    if (found) return found[0]
  }
  return null
}
