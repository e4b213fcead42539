import type { AgentRun } from '../agent/agent.ts'
import { afterAgent, afterDoubt } from './after-agent.ts'
import { hasReported, type Attempt, type AttemptAt, type AttemptEvent, type EventOf } from './attempt.ts'
import type { Challenge } from '../proof/challenge.ts'
import { gradeEvidence, meetsEvidence } from '../proof/evidence.ts'
import { Fault } from '../fault.ts'
import { blockingGate } from '../proof/gate.ts'
import { isPartial } from '../proof/verification.ts'
import { isUnopposed } from '../proof/judge-verification.ts'
import type { TreeId } from '../id.ts'
import { gateFeedback, insists, isAsked, nextStepAfter, withGrade } from './asked-gate.ts'
import { challengeFeedback, repeatReason, verificationFeedback, whyRefused } from './feedback.ts'
import { closeRound, commonOf, nextRound, settle, shareRound, withOpenRound } from './close-round.ts'
import { sameFailure } from './failure.ts'

/** The attempt's whole policy: where each event leads from each stage. Pure; an impossible pair is a fault. */
export function advance(attempt: Attempt, event: AttemptEvent): Attempt {
  if (event.type === 'stopped' && attempt.stage !== 'settled')
    return settle(withOpenRound(attempt, event.reason), event.outcome, event.reason)
  switch (attempt.stage) {
    case 'queued':
      if (event.type === 'started') return start(attempt, event)
      if (event.type === 'found_fixed') return endAsFixed(attempt, event)
      if (event.type === 'reproduction_begun') return { ...attempt, reproduction_begun: true }
      if (event.type === 'reproduced') return afterReproduction(attempt, event)
      if (event.type === 'batch_ended') return afterBatch(attempt, event)
      break
    case 'fixing':
      if (event.type === 'agent_ended') return afterAgent(attempt, event)
      break
    case 'inspecting':
      if (event.type === 'inspected') return afterInspection(attempt, event)
      if (event.type === 'workspace_lost') return afterLoss(attempt)
      break
    case 'bundled':
      if (event.type === 'bundle_settled') return endWithLead(attempt, event)
      if (event.type === 'bundle_dissolved') return afterDissolution(attempt, event)
      break
    case 'doubting':
      if (event.type === 'challenged') return afterDoubt(attempt, event.challenge)
      break
    case 'held':
      if (event.type === 'approved') return afterApproval(attempt, event)
      if (event.type === 'rejected') return afterRejection(attempt, event.reason)
      break
    case 'verifying':
      if (event.type === 'verified') return afterVerification(attempt, event)
      break
    case 'challenging':
      if (event.type === 'challenged') return afterChallenge(attempt, event.challenge)
      break
    case 'accepted':
      if (event.type === 'landed') return land(attempt, event)
      if (event.type === 'conflicted') return afterConflict(attempt, event)
      if (event.type === 'landing_refused') return afterRedLanding(attempt, event)
      break
    case 'settled':
      break
  }
  throw new Fault(
    'internal',
    `${attempt.issue_code}: "${event.type}" cannot happen at stage "${attempt.stage}"`,
  )
}

function start(attempt: AttemptAt<'queued'>, { base }: EventOf<'started'>): Attempt {
  if (attempt.policy.max_rounds === 0)
    return settle(attempt, 'not_sent', 'fix.max_rounds is 0: nothing is fixed')
  return { ...commonOf(attempt), stage: 'fixing', base, from_tree: base.tree, round: 1, feedback: [] }
}

function endAsFixed(attempt: AttemptAt<'queued'>, event: EventOf<'found_fixed'>): Attempt {
  const { by_code, commit_sha, commit_message, evidence } = event
  const reason = `the fix of ${by_code} has fixed it too, with evidence ${evidence}: what raised it is silent`
  return { ...settle(attempt, 'fixed', reason), commit_sha, commit_message, evidence }
}

/** Without a test the fix goes on, with less to prove it by; unless nothing would land without one. */
function afterReproduction(attempt: AttemptAt<'queued'>, { reproduction }: EventOf<'reproduced'>): Attempt {
  const known: AttemptAt<'queued'> = { ...commonOf(attempt), stage: 'queued', reproduction }
  return reproduction.test === null && attempt.policy.requires_reproduction
    ? settle(known, 'not_evaluated', `no fixer was asked: ${reproduction.reason}`)
    : known
}

/** One agent's work on several issues goes through the same gates as its work on one. */
function afterBatch(attempt: AttemptAt<'queued'>, event: EventOf<'batch_ended'>): Attempt {
  const { base, run, report, divided, bundle, lead } = event
  const working = { ...commonOf(attempt), base, from_tree: base.tree, round: 1, feedback: [] }
  if (lead) return { ...working, stage: 'bundled', run, report, lead }
  const led = bundle.length > 0 ? { ...working, bundle } : working
  const next = afterAgent({ ...led, stage: 'fixing' }, { type: 'agent_ended', run, report })
  return next.stage === 'inspecting' ? { ...next, divided } : next
}

function endWithLead(attempt: AttemptAt<'bundled'>, event: EventOf<'bundle_settled'>): Attempt {
  const { lead_code, outcome, reason, commit_sha, commit_message, evidence, round } = event
  const why = `together with ${lead_code}: ${reason}`
  const closed = closeRound(attempt, outcome === 'fixed' ? null : why)
  const shared = round ? shareRound(closed, round) : closed
  return { ...settle(shared, outcome, why), commit_sha, commit_message, evidence }
}

function afterDissolution(attempt: AttemptAt<'bundled'>, event: EventOf<'bundle_dissolved'>): Attempt {
  const { base, lead_code, reason } = event
  return nextRound(
    { ...attempt, base },
    {
      refusal: `together with ${lead_code}: ${reason}`,
      stage: 'bundle',
      feedback: `Your fix shared files with the one for ${lead_code}, and that patch was refused: ${reason}\nAll of it was taken back.`,
      nextStep: 'fix_alone',
      from: base.tree,
      outcome: 'refused',
    },
  )
}

/** A crash and a clean-up take a workspace away once; the second time the agent itself removed it. */
function afterLoss(attempt: AttemptAt<'inspecting'>): Attempt {
  if (!attempt.begun_again) return sameRoundAgain(attempt)
  return nextRound(attempt, {
    refusal: 'the agent left no workspace behind',
    stage: 'ran',
    feedback: 'The workspace was gone when the agent had ended.',
    nextStep: 'keep_workspace',
    from: attempt.from_tree,
    outcome: 'failed',
  })
}

function sameRoundAgain({
  run: _run,
  report: _report,
  divided: _divided,
  bundle: _bundle,
  ...attempt
}: AttemptAt<'inspecting'>): Attempt {
  return { ...attempt, stage: 'fixing', begun_again: true }
}

function afterInspection(attempt: AttemptAt<'inspecting'>, event: EventOf<'inspected'>): Attempt {
  const { patch, diff, gates, files_outside_finding } = event
  const inspected = { ...attempt, patch, diff, gates, files_outside_finding }
  const seen = attempt.rounds.find((round) => round.tree === patch.tree && hasFinished(round.run))
  if (seen && hasReported(attempt) && !insists(inspected, seen))
    return settle(
      closeRound(inspected, `the same tree as in round ${seen.round}`),
      'refused',
      repeatReason(seen),
    )
  return judgeGates(inspected, event.next_tree)
}

type Inspected = Omit<AttemptAt<'verifying'>, 'stage'>

/** A change that a person may allow waits for the person only when nothing else stands in the way. */
function judgeGates(attempt: Inspected, nextTree: TreeId): Attempt {
  const blockers = attempt.gates.filter((gate) => blockingGate([gate]))
  const blocker = blockers.find((gate) => !isAsked(gate, attempt)) ?? blockers[0]
  if (!blocker) return { ...attempt, stage: 'verifying' }
  if (blocker.status === 'not_evaluated')
    return settle(closeRound(attempt, blocker.reason), 'not_evaluated', `${blocker.name}: ${blocker.reason}`)
  if (isAsked(blocker, attempt)) return { ...attempt, stage: 'held', question: blocker, next_tree: nextTree }
  return nextRound(attempt, {
    refusal: `${blocker.name}: ${blocker.reason}`,
    stage: blocker.name,
    feedback: blockers.map(gateFeedback).join('\n'),
    nextStep: nextStepAfter(blockers),
    from: nextTree,
    outcome: hasReported(attempt) ? 'refused' : 'failed',
  })
}

/** Only what was asked is allowed; the other gates have still to be passed. */
function afterApproval(attempt: AttemptAt<'held'>, event: EventOf<'approved'>): Attempt {
  const { question, next_tree, ...inspected } = attempt
  const missing = (question.paths ?? []).filter((path) => !event.paths.includes(path))
  if (missing.length > 0)
    throw new Fault(
      'usage',
      `${attempt.issue_code}: approve all of these files or none: ${question.paths?.join(', ') ?? ''}`,
    )
  const passed = {
    ...question,
    status: 'passed' as const,
    approved_by: event.by,
    reason: [`approved by ${event.by}`, event.paths.join(', ')].filter(Boolean).join(': '),
  }
  const gates = attempt.gates.map((gate) => (gate.name === question.name ? passed : gate))
  const paths = [...new Set([...(attempt.approved?.paths ?? []), ...event.paths])]
  return judgeGates({ ...inspected, gates, approved: { tree: attempt.patch.tree, paths } }, next_tree)
}

function afterRejection({ question, next_tree, ...attempt }: AttemptAt<'held'>, reason: string): Attempt {
  return nextRound(attempt, {
    refusal: `${question.name}: rejected by a person: ${reason}`,
    stage: question.name,
    feedback: `${question.reason}\nA person rejected these changes, and they were taken back.`,
    person: reason,
    from: next_tree,
    outcome: 'refused',
  })
}

const hasFinished = (run: AgentRun): boolean => run.ending.ended === 'finished'

function afterVerification(attempt: AttemptAt<'verifying'>, event: EventOf<'verified'>): Attempt {
  const allowed = new Set(attempt.gates.flatMap(({ name, approved_by }) => (approved_by ? [name] : [])))
  const graded = attempt.gates.map((gate) => withGrade(gate, event.gates))
  const gates = [...graded, ...event.gates.filter(({ name }) => !allowed.has(name))]
  const { verification } = event
  const verified = { ...attempt, gates, verification }
  const blockers = event.gates.filter(
    (gate) => blockingGate([gate]) && !(gate.asks && allowed.has(gate.name)),
  )
  const blocker = blockers.find((gate) => !isAsked(gate, attempt)) ?? blockers[0]
  const withoutThose =
    verification.alone?.tree ??
    (verification.expects && verification.restored ? verification.restored.tree : attempt.patch.tree)
  if (blocker && isAsked(blocker, attempt))
    return {
      ...attempt,
      stage: 'held',
      gates: [...attempt.gates, blocker],
      question: blocker,
      next_tree: withoutThose,
    }
  if (!blocker) return judgeOrAccept(verified)
  const isRed = !isUnopposed(verification) && (verification.commands.length > 0 || isPartial(verification))
  if (blocker.status === 'not_evaluated' && !(isRed && verification.depends_on_patch))
    return settle(closeRound(verified, blocker.reason), 'not_evaluated', `${blocker.name}: ${blocker.reason}`)
  const outcome = blocker.status === 'not_evaluated' ? 'not_evaluated' : 'refused'
  const alike = isRed && sameFailure(attempt.rounds, verification)
  if (alike)
    return settle(
      closeRound(verified, `${blocker.name}: ${blocker.reason}`),
      outcome,
      `no progress: round ${attempt.round} failed exactly as round ${alike.round} did (${blocker.reason})`,
    )
  return nextRound(verified, {
    refusal: `${blocker.name}: ${blocker.reason}`,
    stage: blocker.name,
    feedback: [
      ...(isRed && !blocker.paths ? [] : blockers.map(gateFeedback)),
      ...(isRed ? [verificationFeedback(verification)] : []),
    ].join('\n'),
    // A fixer that is told to leave tests alone would give up where a test demands the bug itself.
    nextStep: isRed ? 'keep_or_correct_tests' : nextStepAfter(blockers),
    from: blocker.asks ? withoutThose : attempt.patch.tree,
    outcome,
  })
}

type Verified = Omit<AttemptAt<'challenging'>, 'stage'>

function judgeOrAccept(attempt: Verified): Attempt {
  return attempt.policy.challenge ? { ...attempt, stage: 'challenging' } : accept(attempt, null)
}

function accept(attempt: Verified, challenge: Challenge | null): Attempt {
  const evidence = gradeEvidence(attempt.verification, attempt.gates)
  if (meetsEvidence(evidence, attempt.policy.min_evidence))
    return { ...attempt, stage: 'accepted', challenge, evidence }
  const reason = `evidence ${evidence} is below land.min_evidence ${attempt.policy.min_evidence}`
  return settle(closeRound({ ...attempt, challenge }, reason), 'refused', reason)
}

function afterChallenge(attempt: AttemptAt<'challenging'>, challenge: Challenge): Attempt {
  if (challenge.status === 'accepted') return accept(attempt, challenge)
  const judged = { ...attempt, challenge }
  if (challenge.status === 'not_evaluated')
    return settle(closeRound(judged, challenge.feedback), 'not_evaluated', `challenge: ${challenge.feedback}`)
  return nextRound(judged, {
    refusal: `challenge: ${whyRefused(challenge, attempt.policy.threshold)}`,
    stage: 'challenge',
    feedback: challengeFeedback(challenge),
    from: attempt.patch.tree,
    outcome: 'refused',
  })
}

function land(attempt: AttemptAt<'accepted'>, event: EventOf<'landed'>): Attempt {
  return {
    ...commonOf(closeRound(attempt, null)),
    stage: 'settled',
    outcome: 'fixed',
    reason: `landed with evidence ${event.evidence}`,
    commit_sha: event.commit_sha,
    commit_message: event.commit_message,
    evidence: event.evidence,
  }
}

function afterConflict(attempt: AttemptAt<'accepted'>, event: EventOf<'conflicted'>): Attempt {
  const paths = event.paths.join(', ')
  return nextRound(
    { ...attempt, base: event.base },
    {
      refusal: `conflict with what landed before it: ${paths}`,
      stage: 'landing',
      feedback: `Your fix conflicts with a fix that landed meanwhile, in ${paths}.`,
      nextStep: 'begin_again',
      from: event.base.tree,
      outcome: 'refused',
    },
  )
}

function afterRedLanding(attempt: AttemptAt<'accepted'>, event: EventOf<'landing_refused'>): Attempt {
  const [what, how] = isPartial(attempt.verification)
    ? [
        'red once all tests run',
        'Your fix is red once all tests run, on top of the fixes that landed before it.',
      ]
    : [
        'red together with what landed before it',
        'Your fix is green alone but red together with the fixes that landed before it.',
      ]
  return nextRound(
    { ...attempt, base: event.base, verification: event.verification },
    {
      refusal: `landing: ${what}: ${event.verification.reason}`,
      stage: 'landing',
      feedback: `${how}\n${verificationFeedback(event.verification)}`,
      from: event.tree,
      outcome: event.verification.status === 'failed' ? 'refused' : 'not_evaluated',
    },
  )
}
