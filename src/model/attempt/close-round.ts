import type { Feedback, NextStep } from '../agent/agent.ts'
import type { Attempt, AttemptAt, Outcome, SettledAttempt } from './attempt.ts'
import type { Challenge } from '../proof/challenge.ts'
import type { TreeId } from '../id.ts'
import { isEmptyPatch, touchedPaths } from '../proof/patch.ts'
import type { Round } from './round.ts'

/** A round in whatever state it was left: only what exists is closed into the ledger. */
type OpenRound = Omit<AttemptAt<'inspecting'>, 'stage'> &
  Partial<
    Pick<AttemptAt<'challenging'>, 'patch' | 'diff' | 'gates' | 'files_outside_finding' | 'verification'>
  > & {
    readonly challenge?: Challenge | null
  }

export interface Refusal {
  readonly refusal: string
  readonly stage: string
  readonly feedback: string
  readonly nextStep?: NextStep | undefined
  readonly person?: string
  readonly from: TreeId
  /** What the attempt ends as when no round is left. */
  readonly outcome: Outcome
}

export function nextRound(attempt: OpenRound, refusal: Refusal): Attempt {
  const closed = closeRound(attempt, refusal.refusal)
  if (attempt.round >= attempt.policy.max_rounds) {
    const rounds = attempt.round === 1 ? '1 round' : `${attempt.round} rounds`
    return settle(closed, refusal.outcome, `${refusal.refusal} (after ${rounds})`)
  }
  const { bundle, ...own } = commonOf(closed)
  const text = bundle ? `${refusal.feedback}\n${aloneFromHere(bundle)}` : refusal.feedback
  const nextStep = bundle ? 'fix_alone' : refusal.nextStep
  const feedback: Feedback = {
    round: attempt.round,
    stage: refusal.stage,
    text,
    ...(nextStep && { next_step: nextStep }),
    ...(refusal.person !== undefined && { person: refusal.person }),
  }
  return {
    ...own,
    stage: 'fixing',
    base: attempt.base,
    from_tree: bundle ? attempt.base.tree : refusal.from,
    round: attempt.round + 1,
    feedback: [...attempt.feedback, feedback],
    // The change that a person allowed was part of the shared patch, which is gone.
    ...(attempt.approved && !bundle && { approved: attempt.approved }),
  }
}

/** A patch that is worked on further no longer holds the others' fixes, so it cannot stand for them. */
const aloneFromHere = (bundle: NonNullable<Attempt['bundle']>): string =>
  `That patch was also for ${bundle.map(({ issue_code }) => issue_code).join(', ')}, in the same files. All of it was taken back.`

export function closeRound(attempt: OpenRound, refusal: string | null): OpenRound {
  const { patch } = attempt
  const checks = attempt.verification?.commands ?? []
  const round: Round = {
    round: attempt.round,
    run: attempt.run,
    report: attempt.report,
    from_tree: attempt.from_tree,
    tree: patch?.tree ?? null,
    gates: attempt.gates ?? [],
    verification: attempt.verification ?? null,
    challenge: attempt.challenge ?? null,
    diff: attempt.diff ?? '',
    files: patch ? touchedPaths(patch) : [],
    files_outside_finding: attempt.files_outside_finding ?? [],
    no_changes: patch ? isEmptyPatch(patch) : false,
    refusal,
    duration_ms: checks.reduce((sum, check) => sum + check.duration_ms, attempt.run.duration_ms),
  }
  return { ...attempt, rounds: [...attempt.rounds, round] }
}

/** What was judged for another issue was judged for this one too: its last round says so, and what it cost counts once. */
export function shareRound(attempt: OpenRound, lead: Round): OpenRound {
  const { tree, gates, verification, diff, files, files_outside_finding, no_changes } = lead
  const challenge = lead.challenge && { ...lead.challenge, tokens: 0, cost_usd: 0 }
  const judged = { tree, gates, verification, challenge, diff, files, files_outside_finding, no_changes }
  const [last, ...before] = attempt.rounds.toReversed()
  return last ? { ...attempt, rounds: [...before.toReversed(), { ...last, ...judged }] } : attempt
}

/** A stop in the middle keeps what the round had produced so far. */
export function withOpenRound(attempt: Attempt, reason: string): Attempt {
  if (attempt.stage === 'queued' || attempt.stage === 'fixing' || attempt.stage === 'settled') return attempt
  return { ...attempt, rounds: closeRound(attempt, reason).rounds }
}

type Common = Pick<
  Attempt,
  | 'id'
  | 'session_id'
  | 'issue_id'
  | 'issue_code'
  | 'position'
  | 'files'
  | 'after'
  | 'policy'
  | 'rounds'
  | 'deferrals'
  | 'reproduction'
  | 'bundle'
>

export function commonOf(attempt: Common): Common {
  const { id, session_id, issue_id, issue_code, position, files, after, policy, rounds, deferrals } = attempt
  const common = { id, session_id, issue_id, issue_code, position, files, after, policy, rounds, deferrals }
  const { reproduction, bundle } = attempt
  return { ...common, ...(reproduction && { reproduction }), ...(bundle && { bundle }) }
}

export function settle(attempt: Common, outcome: Outcome, reason: string): SettledAttempt {
  return {
    ...commonOf(attempt),
    stage: 'settled',
    outcome,
    reason,
    commit_sha: null,
    commit_message: null,
    evidence: null,
  }
}
