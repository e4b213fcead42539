import { describe, expect, it } from 'vitest'
import { patchFile, sampleRun } from '../../../test/fixtures/attempt-samples.ts'
import { advance } from './advance-attempt.ts'
import type { AgentRun, FailureKind } from '../agent/agent.ts'
import type { Attempt, AttemptAt, AttemptEvent, AttemptStage, Revision } from './attempt.ts'
import type { Challenge } from '../proof/challenge.ts'
import type { Gate } from '../proof/gate.ts'
import type { AttemptId, CommitId, IssueId, SessionId, TreeId } from '../id.ts'
import type { Patch } from '../proof/patch.ts'
import type { IssueReport } from '../agent/report.ts'
import type { CommandResult, Verification } from '../proof/verification.ts'

const tree = (digit: string): TreeId => digit.repeat(40) as TreeId
const base: Revision = { commit: 'c'.repeat(40) as CommitId, tree: tree('0') }
const newTip: Revision = { commit: 'd'.repeat(40) as CommitId, tree: tree('9') }

const finished = sampleRun({ duration_ms: 5 })
const endedBy = (kind: FailureKind): AgentRun => ({
  ...finished,
  ending: { ended: 'failed', kind, message: `it ${kind}`, reset_at: null },
})
const report = (outcome: IssueReport['outcome'], explanation = 'because'): IssueReport => ({
  outcome,
  files_modified: ['a.ts'],
  changes_summary: 'changed',
  explanation,
  confidence: 90,
  completeness: 'full',
  risks: [],
})
const patchTo = (to: TreeId): Patch => ({
  base_tree: base.tree,
  tree: to,
  files: [patchFile('a.ts')],
  refused: [],
})
const gate = (name: Gate['name'], status: Gate['status'], reason = 'why'): Gate => ({ name, status, reason })
const verification = (status: CommandResult['status'], given: Partial<Verification> = {}): Verification => ({
  status,
  reason: `${status} it is`,
  tree: tree('1'),
  commands: [
    {
      name: 'test',
      status,
      reason: 'r',
      exit_code: status === 'passed' ? 0 : 1,
      output: 'OUT',
      duration_ms: 7,
    },
  ],
  depends_on_patch: true,
  ...given,
})
const challenge = (status: Challenge['status'], score: number | null): Challenge => ({
  status,
  score,
  quality_scores: null,
  feedback: 'FEEDBACK',
  improvements_needed: ['IMPROVE'],
  agent: 'judge',
})

const common = {
  id: 'att_1' as AttemptId,
  session_id: 'ses_1' as SessionId,
  issue_id: 'iss_1' as IssueId,
  issue_code: 'BE-001',
  position: 0,
  files: ['a.ts'],
  after: [],
  policy: {
    max_rounds: 3,
    threshold: 90,
    challenge: true,
    min_evidence: 'E1' as const,
    unattended: 'hold' as const,
  },
  rounds: [],
  deferrals: 0,
}
const working = { ...common, base, from_tree: base.tree, round: 1, feedback: [] }
const ran = { ...working, run: finished, report: report('fixed') }
const inspected = {
  ...ran,
  patch: patchTo(tree('1')),
  diff: 'DIFF',
  gates: [gate('ran', 'passed'), gate('changed', 'passed'), gate('scope', 'passed')],
  files_outside_finding: ['b.ts'],
}
const verified = { ...inspected, verification: verification('passed') }
const question: Gate = {
  ...gate('tamper', 'failed', 'a.test.ts: an assertion is gone'),
  paths: ['a.test.ts'],
  asks: { whom: 'person', question: 'May it?' },
}
const tampered = [...inspected.gates, question]

const at: { [Stage in AttemptStage]: AttemptAt<Stage> } = {
  queued: { ...common, stage: 'queued' },
  fixing: { ...working, stage: 'fixing' },
  inspecting: { ...ran, stage: 'inspecting' },
  bundled: { ...ran, stage: 'bundled', lead: 'att_2' as AttemptId },
  doubting: { ...ran, report: report('false_positive', 'it is right'), stage: 'doubting' },
  held: { ...inspected, gates: tampered, stage: 'held', question, next_tree: tree('6') },
  verifying: { ...inspected, stage: 'verifying' },
  challenging: { ...verified, stage: 'challenging' },
  accepted: { ...verified, stage: 'accepted', challenge: challenge('accepted', 95), evidence: 'E1' },
  settled: {
    ...common,
    stage: 'settled',
    outcome: 'fixed',
    reason: 'done',
    commit_sha: base.commit,
    commit_message: 'm',
    evidence: 'E1',
  },
}

const events = {
  reproduction_begun: { type: 'reproduction_begun' },
  reproduced: { type: 'reproduced', reproduction: { run: finished, test: null, reason: 'not reproduced' } },
  started: { type: 'started', base },
  found_fixed: {
    type: 'found_fixed',
    by_code: 'BE-002',
    commit_sha: newTip.commit,
    commit_message: 'fix',
    evidence: 'E2',
  },
  agent_ended: { type: 'agent_ended', run: finished, report: report('fixed') },
  workspace_lost: { type: 'workspace_lost' },
  batch_ended: {
    type: 'batch_ended',
    base,
    run: finished,
    report: report('fixed'),
    divided: { tree: tree('1'), refused: [] },
    bundle: [],
    lead: null,
  },
  bundle_settled: {
    type: 'bundle_settled',
    lead_code: 'BE-002',
    outcome: 'fixed',
    reason: 'landed',
    commit_sha: newTip.commit,
    commit_message: 'fix',
    evidence: 'E1',
  },
  bundle_dissolved: { type: 'bundle_dissolved', base: newTip, lead_code: 'BE-002', reason: 'challenge: low' },
  inspected: {
    type: 'inspected',
    patch: patchTo(tree('1')),
    diff: 'DIFF',
    gates: inspected.gates,
    next_tree: tree('1'),
    files_outside_finding: ['b.ts'],
  },
  verified: {
    type: 'verified',
    verification: verification('passed'),
    gates: [gate('verification', 'passed'), gate('origin', 'not_applicable')],
  },
  approved: { type: 'approved', paths: ['a.test.ts'], by: 'Ada' },
  rejected: { type: 'rejected', reason: 'no' },
  challenged: { type: 'challenged', challenge: challenge('accepted', 95) },
  landed: { type: 'landed', commit_sha: newTip.commit, commit_message: 'fix', evidence: 'E1' },
  conflicted: { type: 'conflicted', base: newTip, paths: ['a.ts'] },
  landing_refused: {
    type: 'landing_refused',
    base: newTip,
    tree: tree('8'),
    verification: verification('failed'),
  },
  stopped: { type: 'stopped', outcome: 'cancelled', reason: 'a person said so' },
} satisfies { [Type in AttemptEvent['type']]: Extract<AttemptEvent, { type: Type }> }

const leadsTo: Readonly<Record<AttemptStage, Partial<Record<AttemptEvent['type'], AttemptStage>>>> = {
  queued: {
    reproduction_begun: 'queued',
    reproduced: 'queued',
    started: 'fixing',
    found_fixed: 'settled',
    batch_ended: 'inspecting',
    stopped: 'settled',
  },
  bundled: { bundle_settled: 'settled', bundle_dissolved: 'fixing', stopped: 'settled' },
  fixing: { agent_ended: 'inspecting', stopped: 'settled' },
  inspecting: { inspected: 'verifying', workspace_lost: 'fixing', stopped: 'settled' },
  doubting: { challenged: 'settled', stopped: 'settled' },
  held: { approved: 'verifying', rejected: 'fixing', stopped: 'settled' },
  verifying: { verified: 'challenging', stopped: 'settled' },
  challenging: { challenged: 'accepted', stopped: 'settled' },
  accepted: { landed: 'settled', conflicted: 'fixing', landing_refused: 'fixing', stopped: 'settled' },
  settled: {},
}

describe('every stage × every event', () => {
  const pairs = Object.values(at).flatMap((attempt) =>
    Object.values(events).map((event) => ({ attempt, event })),
  )
  it.each(pairs)(
    '$attempt.stage × $event.type',
    ({ attempt, event }: { attempt: Attempt; event: AttemptEvent }) => {
      const to = leadsTo[attempt.stage][event.type]
      if (to) expect(advance(attempt, event).stage).toBe(to)
      else
        expect(() => advance(attempt, event)).toThrow(
          `"${event.type}" cannot happen at stage "${attempt.stage}"`,
        )
    },
  )
})

/** Advances through events, as a session would. */
const run = (attempt: Attempt, ...steps: readonly AttemptEvent[]): Attempt => steps.reduce(advance, attempt)

describe('the way of a good fix', () => {
  it('goes through all stages and keeps its one round', () => {
    const end = run(
      at.queued,
      events.started,
      events.agent_ended,
      events.inspected,
      events.verified,
      events.challenged,
      events.landed,
    )
    expect(end).toEqual({
      ...common,
      stage: 'settled',
      outcome: 'fixed',
      reason: 'landed with evidence E1',
      commit_sha: newTip.commit,
      commit_message: 'fix',
      evidence: 'E1',
      rounds: [
        {
          round: 1,
          run: finished,
          report: report('fixed'),
          from_tree: base.tree,
          tree: tree('1'),
          gates: [...inspected.gates, ...events.verified.gates],
          verification: verification('passed'),
          challenge: challenge('accepted', 95),
          diff: 'DIFF',
          files: ['a.ts'],
          files_outside_finding: ['b.ts'],
          no_changes: false,
          refusal: null,
          duration_ms: 12,
        },
      ],
    })
  })

  it('skips the challenge when it is switched off', () => {
    const attempt = { ...at.verifying, policy: { ...common.policy, challenge: false } }
    expect(advance(attempt, events.verified)).toMatchObject({ stage: 'accepted', challenge: null })
  })

  it('is E2 when the tool that raised it is silent now', () => {
    const gates: Gate[] = [gate('verification', 'passed'), { ...gate('origin', 'passed'), grade: 'E2' }]
    expect(run(at.verifying, { ...events.verified, gates }, events.challenged)).toMatchObject({
      evidence: 'E2',
    })
  })
})

describe('a refused round', () => {
  it('goes on from the refused patch with the failing output when verification failed', () => {
    const failed = verification('failed')
    const next = advance(at.verifying, {
      type: 'verified',
      verification: failed,
      gates: [gate('verification', 'failed', 'test: red')],
    })
    expect(next).toMatchObject({ stage: 'fixing', round: 2, from_tree: tree('1'), base })
    expect(next).toMatchObject({
      feedback: [{ round: 1, stage: 'verification', text: expect.stringContaining('OUT') }],
    })
    expect(next.rounds).toMatchObject([{ round: 1, refusal: 'verification: test: red' }])
  })

  it('says that a veto refused it, not a score that is high enough', () => {
    const vetoed: Challenge = { ...challenge('refused', 96), verdict: 'reject' }
    expect(advance(at.challenging, { type: 'challenged', challenge: vetoed })).toMatchObject({
      stage: 'fixing',
      feedback: [
        { text: expect.stringContaining('refused whatever the score: the challenger would not merge it') },
      ],
      rounds: [{ refusal: 'challenge: score 96, but the challenger would not merge it' }],
    })
  })
  it("carries the challenger's points", () => {
    const next = advance(at.challenging, { type: 'challenged', challenge: challenge('refused', 70) })
    expect(next).toMatchObject({ stage: 'fixing', round: 2, from_tree: tree('1') })
    expect(next).toMatchObject({
      feedback: [{ stage: 'challenge', text: expect.stringMatching(/FEEDBACK[^]*IMPROVE/) }],
    })
  })

  it('starts from the tree with the violation taken back when the scope was left', () => {
    const gates = [
      gate('ran', 'passed'),
      gate('changed', 'passed'),
      { ...gate('scope', 'failed'), paths: ['x'] },
    ]
    const next = advance(at.inspecting, { ...events.inspected, gates, next_tree: tree('5') })
    expect(next).toMatchObject({ stage: 'fixing', round: 2, from_tree: tree('5') })
  })

  it('starts from the new tip after a conflict', () => {
    expect(advance(at.accepted, events.conflicted)).toMatchObject({
      stage: 'fixing',
      round: 2,
      base: newTip,
      from_tree: newTip.tree,
      feedback: [{ next_step: 'begin_again' }],
    })
  })

  it('starts from the composed tree after a red landing, with its output', () => {
    const next = advance(at.accepted, events.landing_refused)
    expect(next).toMatchObject({ stage: 'fixing', base: newTip, from_tree: tree('8') })
    expect(next).toMatchObject({ feedback: [{ stage: 'landing', text: expect.stringContaining('OUT') }] })
    expect(next.rounds.at(-1)?.verification).toEqual(verification('failed'))
  })

  it.each([
    [
      'verification',
      { type: 'verified', verification: verification('failed'), gates: [gate('verification', 'failed')] },
      'refused',
    ],
    [
      'an unjudged verification',
      {
        type: 'verified',
        verification: verification('not_evaluated'),
        gates: [gate('verification', 'not_evaluated')],
      },
      'not_evaluated',
    ],
  ] as const)('ends the attempt in the last round: %s', (_name, event, outcome) => {
    const last = { ...at.verifying, round: 3 }
    expect(advance(last, event as AttemptEvent)).toMatchObject({
      stage: 'settled',
      outcome,
      commit_sha: null,
    })
  })
})

describe('what cannot be judged never passes', () => {
  it.each([
    ['no command is configured', verification('not_evaluated', { commands: [], depends_on_patch: false })],
    ['the machine could not run it', verification('not_evaluated', { depends_on_patch: false })],
  ])('settles at once as not evaluated when %s', (_name, unjudged) => {
    const event: AttemptEvent = {
      type: 'verified',
      verification: unjudged,
      gates: [gate('verification', 'not_evaluated')],
    }
    expect(advance(at.verifying, event)).toMatchObject({ stage: 'settled', outcome: 'not_evaluated' })
  })

  it('settles as not evaluated when no challenger answered', () => {
    const event: AttemptEvent = { type: 'challenged', challenge: challenge('not_evaluated', null) }
    expect(advance(at.challenging, event)).toMatchObject({
      stage: 'settled',
      outcome: 'not_evaluated',
      reason: 'challenge: FEEDBACK',
    })
  })

  it('settles as not evaluated when the origin gate could not be asked', () => {
    const gates = [gate('verification', 'passed'), gate('origin', 'not_evaluated')]
    expect(advance(at.verifying, { ...events.verified, gates })).toMatchObject({ outcome: 'not_evaluated' })
  })

  it('lands unverified only with min_evidence E0 and no command at all', () => {
    const policy = { ...common.policy, min_evidence: 'E0' as const, challenge: false }
    const none: AttemptEvent = {
      type: 'verified',
      verification: verification('not_evaluated', { commands: [], depends_on_patch: false }),
      gates: [
        { ...gate('verification', 'not_evaluated'), is_waived: true },
        gate('origin', 'not_applicable'),
      ],
    }
    expect(advance({ ...at.verifying, policy }, none)).toMatchObject({ stage: 'accepted', evidence: 'E0' })
    expect(advance(at.verifying, none)).toMatchObject({ stage: 'challenging' })
    expect(run(at.verifying, none, events.challenged)).toMatchObject({ outcome: 'refused' })
    const crashed: AttemptEvent = {
      ...none,
      gates: [gate('verification', 'not_evaluated'), gate('origin', 'not_applicable')],
      verification: verification('not_evaluated', { depends_on_patch: false }),
    }
    expect(advance({ ...at.verifying, policy }, crashed)).toMatchObject({ outcome: 'not_evaluated' })
  })

  it('refuses evidence below the bar', () => {
    const attempt = { ...at.challenging, policy: { ...common.policy, min_evidence: 'E2' as const } }
    expect(advance(attempt, events.challenged)).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('E1 is below'),
    })
  })
})

describe('what the fixer says', () => {
  const said = (given: IssueReport, attempt = at.fixing): Attempt =>
    advance(attempt, { type: 'agent_ended', run: finished, report: given })

  it('blocked ends the attempt with its reason', () => {
    expect(said(report('blocked', 'needs a key'))).toMatchObject({
      outcome: 'blocked',
      reason: 'needs a key',
    })
  })
  it('blocked for a weak reason is kept, and flagged', () => {
    expect(said(report('blocked', 'This is out of scope for now'))).toMatchObject({
      outcome: 'blocked',
      reason: 'This is out of scope for now (flagged: "out of scope" is a weak excuse)',
    })
  })
  it('false positive is put before the challenger, and closed only when it agrees', () => {
    const doubting = said(report('false_positive', 'it is right'))
    expect(doubting).toMatchObject({ stage: 'doubting' })
    expect(advance(doubting, events.challenged)).toMatchObject({
      outcome: 'false_positive',
      reason: 'a false positive: it is right (judge agrees)',
      commit_sha: null,
      rounds: [{ round: 1, challenge: { score: 95 } }],
    })
  })
  it.each([
    ['disagrees', challenge('refused', 20), 'judge does not agree (20 of 90): FEEDBACK. A person decides.'],
    ['gives no answer', challenge('not_evaluated', null), 'no challenger could judge that'],
  ])('false positive is a dispute for a person when the challenger %s', (_name, given, said_) => {
    expect(advance(at.doubting, { type: 'challenged', challenge: given })).toMatchObject({
      outcome: 'disputed',
      reason: expect.stringContaining(said_),
    })
  })
  it('false positive is a dispute when there is no challenge at all', () => {
    const attempt = { ...at.fixing, policy: { ...common.policy, challenge: false } }
    expect(said(report('false_positive'), attempt)).toMatchObject({ outcome: 'disputed', commit_sha: null })
  })
  it('a weak excuse for deferring is sent back with what is wrong with it', () => {
    expect(said(report('deferred', 'too complex'))).toMatchObject({
      stage: 'fixing',
      feedback: [{ text: expect.stringContaining('"too complex" is no reason to defer') }],
      rounds: [{ refusal: 'deferred with a weak excuse: too complex' }],
    })
  })
  it('deferred is tried twice more, then it is blocked', () => {
    const policy = { ...common.policy, max_rounds: 9 }
    const once = said(report('deferred'), { ...at.fixing, policy })
    expect(once).toMatchObject({ stage: 'fixing', round: 2, deferrals: 1 })
    const twice = said(report('deferred'), once as AttemptAt<'fixing'>)
    expect(twice).toMatchObject({ stage: 'fixing', round: 3, deferrals: 2 })
    expect(said(report('deferred'), twice as AttemptAt<'fixing'>)).toMatchObject({
      outcome: 'blocked',
      deferrals: 3,
    })
  })
  it('deferred in the last round is blocked too', () => {
    expect(said(report('deferred'), { ...at.fixing, round: 3 })).toMatchObject({ outcome: 'blocked' })
  })
})

describe('how the agent ended', () => {
  it('a timeout fails the issue', () => {
    const event: AttemptEvent = { type: 'agent_ended', run: endedBy('timeout'), report: null }
    expect(advance(at.fixing, event)).toMatchObject({ outcome: 'failed', reason: 'it timeout' })
  })
  it.each([
    ['too_long', 'failed'],
    ['budget', 'over_budget'],
    ['model_not_found', 'not_evaluated'],
    ['tools_unavailable', 'not_evaluated'],
  ] as const)('%s is not tried again: the issue is %s, in the first round', (kind, outcome) => {
    const event: AttemptEvent = { type: 'agent_ended', run: endedBy(kind), report: null }
    expect(advance(at.fixing, event)).toMatchObject({ stage: 'settled', outcome, reason: `it ${kind}` })
  })
  it('a workspace that is gone begins the round again once; gone again, the round has failed', () => {
    const again = advance(at.inspecting, events.workspace_lost)
    expect(again).toMatchObject({ stage: 'fixing', round: at.inspecting.round, rounds: at.inspecting.rounds })
    const lost = advance(advance(again, events.agent_ended), events.workspace_lost)
    expect(lost).toMatchObject({ stage: 'fixing', round: at.inspecting.round + 1 })
    expect(lost).not.toHaveProperty('begun_again')
    expect(lost.rounds.at(-1)?.refusal).toBe('the agent left no workspace behind')
  })

  it('a crash ends the round, and the next one starts from where this one did', () => {
    const crashed = advance(at.fixing, { type: 'agent_ended', run: endedBy('crashed'), report: null })
    const next = advance(crashed, {
      ...events.inspected,
      gates: [gate('ran', 'failed')],
      next_tree: base.tree,
    })
    expect(next).toMatchObject({ stage: 'fixing', round: 2, from_tree: base.tree })
  })
})

describe('no progress', () => {
  it('ends when the same tree comes back after a refusal', () => {
    const refused = advance(at.verifying, {
      type: 'verified',
      verification: verification('failed'),
      gates: [gate('verification', 'failed')],
    })
    const again = run(refused, events.agent_ended, events.inspected)
    expect(again).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('no progress') })
    expect(again.rounds).toHaveLength(2)
  })
  it('ends when another tree fails in exactly the same way', () => {
    const fails = (output: string): AttemptEvent => {
      const [command] = verification('failed').commands
      if (!command) throw new Error('no command')
      return {
        type: 'verified',
        verification: verification('failed', { commands: [{ ...command, output }] }),
        gates: [gate('verification', 'failed', 'test: red')],
      }
    }
    const first = advance(at.verifying, fails('expected 4, got 5 (12 ms) at /tmp/x/a.js:3:9'))
    const other: AttemptEvent = { ...events.inspected, patch: patchTo(tree('2')) }
    const second = run(first, events.agent_ended, other)
    expect(advance(second, fails('expected 4, got 5 (7 ms) at /tmp/y/a.js:8:2'))).toMatchObject({
      outcome: 'refused',
      reason: 'no progress: round 2 failed exactly as round 1 did (test: red)',
    })
    expect(advance(second, fails('expected 4, got 6'))).toMatchObject({ stage: 'fixing', round: 3 })
    expect(run(at.verifying, fails(''), events.agent_ended, other, fails(''))).toMatchObject({ round: 3 })
  })
  it('ends when nothing was changed a second time', () => {
    const nothing: AttemptEvent = {
      ...events.inspected,
      patch: { ...patchTo(base.tree), files: [] },
      gates: [gate('ran', 'passed'), gate('changed', 'failed', 'no changes applied')],
      next_tree: base.tree,
    }
    const first = advance(at.inspecting, nothing)
    expect(first).toMatchObject({ stage: 'fixing', round: 2, rounds: [{ no_changes: true }] })
    expect(run(first, events.agent_ended, nothing)).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('no changes applied'),
    })
  })
  it('names the unreadable report where a tree comes back without one', () => {
    const unread: AttemptEvent = { ...events.agent_ended, report: null }
    const nothing: AttemptEvent = {
      ...events.inspected,
      patch: { ...patchTo(base.tree), files: [] },
      gates: [gate('ran', 'failed', 'no readable report')],
      next_tree: base.tree,
    }
    const second = run(at.fixing, unread, nothing, unread, nothing)
    expect(second).toMatchObject({ stage: 'fixing', round: 3 })
    expect(run(second, unread, nothing)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('no readable report'),
    })
  })
})

describe('a patch that only a person may allow', () => {
  const found: AttemptEvent = { ...events.inspected, gates: tampered, next_tree: tree('6') }
  it('is held, and goes on to verification when exactly its files are approved', () => {
    const held = advance(at.inspecting, found)
    expect(held).toMatchObject({ stage: 'held', question: { name: 'tamper', paths: ['a.test.ts'] } })
    const next = advance(held, events.approved)
    expect(next).toMatchObject({ stage: 'verifying' })
    expect('gates' in next && next.gates.at(-1)).toMatchObject({
      name: 'tamper',
      status: 'passed',
      reason: 'approved by Ada: a.test.ts',
    })
    expect(() => advance(held, { ...events.approved, paths: ['other.ts'] })).toThrow(
      'approve all of these files or none',
    )
  })
  it('goes back without those changes when it is rejected', () => {
    const next = run(at.inspecting, found, events.rejected)
    expect(next).toMatchObject({
      stage: 'fixing',
      round: 2,
      from_tree: tree('6'),
      feedback: [{ stage: 'tamper', person: 'no', text: expect.not.stringContaining('no\n') }],
    })
  })
  it('is not put before a person when something else refuses it anyway', () => {
    const gates = [...tampered, { ...gate('secrets', 'failed', 'a key'), paths: ['a.ts'] }]
    expect(advance(at.inspecting, { ...found, gates })).toMatchObject({
      stage: 'fixing',
      feedback: [{ stage: 'secrets', text: expect.stringMatching(/an assertion is gone[^]*a key/) }],
    })
  })
  it('asks about the scope at once where a person can answer, and never about a way out', () => {
    const closed: Gate = { ...gate('scope', 'failed', 'b.ts'), paths: ['b.ts'] }
    const outside: Gate = { ...closed, asks: { whom: 'fixer_first', question: 'May it?' } }
    const left: AttemptEvent = { ...found, gates: [...inspected.gates.slice(0, 2), outside, question] }
    const attended = { ...at.inspecting, policy: { ...common.policy, attended: true } }
    const held = advance(attended, left)
    expect(held).toMatchObject({ stage: 'held', question: { name: 'scope' } })
    expect(advance(held, { ...events.approved, paths: ['b.ts'] })).toMatchObject({
      stage: 'held',
      question: { name: 'tamper' },
      approved: { tree: tree('1'), paths: ['b.ts'] },
    })
    const final = { ...left, gates: [closed] }
    expect(advance(attended, final)).toMatchObject({ stage: 'fixing', feedback: [{ stage: 'scope' }] })
  })
  it('asks the fixer about the scope once where nobody is there, then holds it, also the same tree', () => {
    const outside: Gate = {
      ...gate('scope', 'failed', 'b.ts'),
      paths: ['b.ts'],
      asks: { whom: 'fixer_first', question: 'May it?' },
    }
    const left: AttemptEvent = { ...found, gates: [...inspected.gates.slice(0, 2), outside] }
    const again = advance(at.inspecting, left)
    expect(again).toMatchObject({
      stage: 'fixing',
      feedback: [
        {
          stage: 'scope',
          text: 'b.ts. Those changes were taken back.',
          next_step: 'leave_or_explain',
        },
      ],
    })
    const fixed = advance(again, events.agent_ended)
    expect(advance(fixed, left)).toMatchObject({ stage: 'held', question: { name: 'scope' } })
    const rejecting = { ...at.inspecting, policy: { ...common.policy, unattended: 'reject' as const } }
    const twice = advance(advance(rejecting, left), events.agent_ended)
    expect(advance(twice, left)).toMatchObject({ stage: 'settled', outcome: 'refused' })
  })
  it('goes back at once when nobody is to be asked', () => {
    const attempt = { ...at.inspecting, policy: { ...common.policy, unattended: 'reject' as const } }
    expect(advance(attempt, found)).toMatchObject({ stage: 'fixing', round: 2, from_tree: tree('6') })
  })
  it('is not evaluated when it could not be looked into', () => {
    const gates = [...inspected.gates, gate('secrets', 'not_evaluated')]
    expect(advance(at.inspecting, { ...events.inspected, gates })).toMatchObject({ outcome: 'not_evaluated' })
  })

  const borrowed: Gate = { ...question, name: 'alone', paths: ['support/assert.ts'] }
  const alone = { tree: tree('7'), paths: ['support/assert.ts'], status: 'failed', reason: 'red' } as const
  const greenWithOthers: AttemptEvent = {
    type: 'verified',
    verification: verification('passed', { alone }),
    gates: [gate('verification', 'passed'), borrowed],
  }

  it('is held after the verification too, is verified again when it is allowed, and keeps who allowed it', () => {
    const held = advance(at.verifying, greenWithOthers)
    expect(held).toMatchObject({ stage: 'held', question: borrowed, next_tree: tree('7') })
    const again = advance(held, { ...events.approved, paths: ['support/assert.ts'] })
    expect(again).toMatchObject({ stage: 'verifying', approved: { paths: ['support/assert.ts'] } })
    const gates = [gate('verification', 'passed'), gate('alone', 'not_applicable')]
    const judged = advance(again, { type: 'verified', verification: verification('passed'), gates })
    expect(judged).toMatchObject({ stage: 'challenging' })
    expect('gates' in judged && judged.gates.map(({ name, approved_by }) => [name, approved_by])).toEqual([
      ...inspected.gates.map(({ name }) => [name, undefined]),
      ['alone', 'Ada'],
      ['verification', undefined],
    ])
  })

  it('goes back to the fixer without those files when a person says no, or nobody may be asked', () => {
    const held = advance(at.verifying, greenWithOthers)
    expect(advance(held, events.rejected)).toMatchObject({ stage: 'fixing', from_tree: tree('7') })
    const policy = { ...common.policy, unattended: 'reject' as const }
    expect(advance({ ...at.verifying, policy }, greenWithOthers)).toMatchObject({
      stage: 'fixing',
      from_tree: tree('7'),
      feedback: [{ stage: 'alone', text: expect.stringContaining('taken back') }],
    })
  })

  it('is not asked about when something else stands in the way', () => {
    const red = { ...verification('failed'), alone }
    const gates = [gate('verification', 'failed', 'red'), borrowed]
    expect(advance(at.verifying, { type: 'verified', verification: red, gates })).toMatchObject({
      stage: 'fixing',
      from_tree: tree('1'),
    })
  })
})

it('an issue that an earlier fix has mended is fixed by that one, without a round', () => {
  expect(advance(at.queued, events.found_fixed)).toMatchObject({
    outcome: 'fixed',
    commit_sha: newTip.commit,
    evidence: 'E2',
    reason: 'the fix of BE-002 has fixed it too, with evidence E2: what raised it is silent',
    rounds: [],
  })
})

describe('a patch that is part of another', () => {
  it('waits for that one, and ends as it does', () => {
    const waiting = advance(at.queued, { ...events.batch_ended, lead: 'att_2' as AttemptId })
    expect(waiting).toMatchObject({ stage: 'bundled', lead: 'att_2', round: 1 })
    expect(advance(waiting, events.bundle_settled)).toMatchObject({
      outcome: 'fixed',
      commit_sha: newTip.commit,
      reason: 'together with BE-002: landed',
      rounds: [{ round: 1, refusal: null }],
    })
  })
  it('was judged with that one: its round tells of the same checks and scores, and what they cost counts once', () => {
    const waiting = advance(at.queued, { ...events.batch_ended, lead: 'att_2' as AttemptId })
    const accepted = { ...challenge('accepted', 96), tokens: 7, cost_usd: 0.5 }
    const led = advance(advance(at.challenging, { type: 'challenged', challenge: accepted }), events.landed)
    const round = led.rounds.at(-1)
    if (!round) throw new Error('no round')
    expect(advance(waiting, { ...events.bundle_settled, round }).rounds).toEqual([
      expect.objectContaining({
        run: finished,
        diff: round.diff,
        files: round.files,
        gates: round.gates,
        verification: round.verification,
        challenge: { ...accepted, tokens: 0, cost_usd: 0 },
      }),
    ])
  })
  it('names those that it stands for to its end', () => {
    const bundle = [{ attempt_id: 'att_2' as AttemptId, issue_id: 'iss_2' as IssueId, issue_code: 'BE-002' }]
    const leading = advance(at.queued, { ...events.batch_ended, bundle })
    expect(leading).toMatchObject({ stage: 'inspecting', bundle, divided: { tree: tree('1') } })
    expect(advance(leading, events.stopped)).toMatchObject({ stage: 'settled', bundle })
  })
  it('stands for nobody any more once it was refused, and begins again from the base', () => {
    const bundle = [{ attempt_id: 'att_2' as AttemptId, issue_id: 'iss_2' as IssueId, issue_code: 'BE-002' }]
    const approved = { tree: tree('1'), paths: ['a.test.ts'] }
    const next = advance(
      { ...at.challenging, bundle, approved },
      { type: 'challenged', challenge: challenge('refused', 40) },
    )
    expect(next).toMatchObject({ stage: 'fixing', round: 2, from_tree: base.tree })
    expect(next).not.toHaveProperty('bundle')
    expect(next).not.toHaveProperty('approved')
    expect(next.stage === 'fixing' && next.feedback[0]?.text).toContain('was also for BE-002')
  })
  it('is worked on alone, from the newest code, when that one was refused', () => {
    expect(advance(at.bundled, events.bundle_dissolved)).toMatchObject({
      stage: 'fixing',
      round: 2,
      base: newTip,
      from_tree: newTip.tree,
      feedback: [{ stage: 'bundle', text: expect.stringContaining('challenge: low') as string }],
    })
  })
  it('falls with it when no round is left', () => {
    const last = { ...at.bundled, policy: { ...common.policy, max_rounds: 1 } }
    expect(advance(last, events.bundle_dissolved)).toMatchObject({ stage: 'settled', outcome: 'refused' })
  })
})

it('an attempt fixes nothing with max_rounds 0', () => {
  const attempt = { ...at.queued, policy: { ...common.policy, max_rounds: 0 } }
  expect(advance(attempt, events.started)).toMatchObject({ stage: 'settled', outcome: 'not_sent' })
})

it('an attempt keeps what the open round had produced when it is stopped', () => {
  expect(advance(at.challenging, events.stopped).rounds).toMatchObject([
    { round: 1, refusal: 'a person said so', tree: tree('1') },
  ])
})
