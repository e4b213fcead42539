import { describe, expect, it } from 'vitest'
import { patchFile, sampleRun } from '../../../test/fixtures/attempt-samples.ts'
import { advance } from './advance-attempt.ts'
import type { Attempt } from './attempt.ts'
import type { AttemptId, CommitId, IssueId, SessionId, TreeId } from '../id.ts'
import type { Patch, PatchFile } from '../proof/patch.ts'
import { isReproductionWanted, Reproduction } from './reproduction.ts'
import type { Gate } from '../proof/gate.ts'
import { spentOn } from './spending.ts'
import type { CommandResult, Verification } from '../proof/verification.ts'

const tree = (digit: string): TreeId => digit.repeat(40) as TreeId
const base = { commit: 'c'.repeat(40) as CommitId, tree: tree('0') }
const run = sampleRun({ agent: 'other', tokens: 10, cost_usd: 0.5, duration_ms: 1 })
const file = (path: string, status: PatchFile['status'], additions = 1): PatchFile =>
  patchFile(path, { status, old_mode: '000000', additions, deletions: 0 })
const reproduction: Reproduction = {
  run,
  test: {
    files: [{ path: 'test/adds.test.ts', text: 'TEST' }],
    command: 'test',
    tests: ['adds'],
    excerpt: 'EXCERPT',
  },
  reason: 'reproduced by adds',
}
const fixed: Patch = {
  base_tree: base.tree,
  tree: tree('1'),
  files: [file('src/a.ts', 'modified')],
  refused: [],
}

const queued: Attempt = {
  stage: 'queued',
  id: 'att_1' as AttemptId,
  session_id: 'ses_1' as SessionId,
  issue_id: 'iss_1' as IssueId,
  issue_code: 'BE-001',
  position: 0,
  files: ['src/a.ts'],
  after: [],
  policy: { max_rounds: 2, threshold: 90, challenge: false, min_evidence: 'E1', unattended: 'hold' },
  rounds: [],
  deferrals: 0,
}
const report = {
  outcome: 'fixed',
  files_modified: [],
  changes_summary: '',
  explanation: '',
  confidence: 90,
  completeness: 'full',
  risks: [],
} as const
const verification = (status: CommandResult['status']): Verification => ({
  status,
  reason: status,
  tree: tree('2'),
  commands: [{ name: 'test', status, reason: '', exit_code: 0, output: 'OUT', duration_ms: 1 }],
  depends_on_patch: true,
})
/** The attempt that is about to be verified. */
function verifying(): Attempt {
  const known = advance(queued, { type: 'reproduced', reproduction })
  const started = advance(known, { type: 'started', base })
  const ran = advance(started, { type: 'agent_ended', run: { ...run, cost_usd: 1 }, report })
  return advance(ran, {
    type: 'inspected',
    patch: fixed,
    diff: 'DIFF',
    gates: [],
    next_tree: fixed.tree,
    files_outside_finding: [],
  })
}

const red: Gate = {
  name: 'reproduction',
  status: 'failed',
  reason: 'an independent test fails',
  asks: { whom: 'fixer_once', question: 'Is the fix right?' },
}
const green: Gate = { name: 'reproduction', status: 'passed', reason: '', grade: 'E4' }
const verified = (gate: Gate) =>
  ({ type: 'verified', verification: verification('passed'), gates: [gate] }) as const
const comesBack = (attempt: Attempt): Attempt =>
  advance(advance(attempt, { type: 'agent_ended', run, report }), {
    type: 'inspected',
    patch: fixed,
    diff: 'DIFF',
    gates: [],
    next_tree: fixed.tree,
    files_outside_finding: [],
  })

describe('a test that another agent wrote before the fix', () => {
  it('is no part of the patch, and makes it E4 when it is green', () => {
    expect(advance(verifying(), verified(green))).toMatchObject({
      stage: 'accepted',
      patch: fixed,
      evidence: 'E4',
    })
  })

  it('tells the fixer once that it fails, and nothing of what is in it', () => {
    const next = advance(verifying(), verified(red))
    expect(next).toMatchObject({
      stage: 'fixing',
      from_tree: fixed.tree,
      reproduction,
      feedback: [{ round: 1, stage: 'reproduction', text: 'an independent test fails' }],
    })
  })

  it('waits for a person the second time, also when the fixer left its fix as it was, and also where one is there', () => {
    for (const attended of [false, true]) {
      const first: Attempt = { ...verifying(), policy: { ...queued.policy, max_rounds: 3, attended } }
      const again = comesBack(advance(first, verified(red)))
      expect(again).toMatchObject({ stage: 'verifying', round: 2 })
      expect(advance(again, verified(red))).toMatchObject({ stage: 'held', question: red })
    }
  })

  it('counts for nothing once a person has said that the fix is right all the same', () => {
    const again = comesBack(advance(verifying(), verified(red)))
    const held = advance(again, verified(red))
    const approved = advance(held, { type: 'approved', paths: [], by: 'Ada' })
    expect(approved).toMatchObject({ gates: [{ status: 'passed', reason: 'approved by Ada' }] })
    expect(advance(approved, verified(red))).toMatchObject({ stage: 'accepted', evidence: 'E1' })
  })

  it('is counted in what the issue has cost', () => {
    expect(spentOn(verifying())).toEqual({ usd: 1.5, tokens: 20 })
  })
})

describe('without such a test', () => {
  const none = { run: null, test: null, reason: 'not reproduced: it cannot' }
  it('the fix goes on', () =>
    expect(advance(queued, { type: 'reproduced', reproduction: none })).toEqual({
      ...queued,
      reproduction: none,
    }))
  it('nothing is evaluated where one is required, and no fixer is asked', () =>
    expect(
      advance(
        { ...queued, policy: { ...queued.policy, requires_reproduction: true } },
        { type: 'reproduced', reproduction: none },
      ),
    ).toMatchObject({
      stage: 'settled',
      outcome: 'not_evaluated',
      reason: expect.stringContaining('it cannot'),
    }))
})

it.each([
  ['critical', 'auto', true],
  ['major', 'auto', true],
  ['minor', 'auto', false],
  ['info', true, true],
  ['critical', false, false],
] as const)('for a %s issue with %s one is wanted: %s', (severity, mode, isWanted) => {
  expect(isReproductionWanted(severity, { mode, isRequired: false })).toBe(isWanted)
  expect(isReproductionWanted(severity, { mode, isRequired: true })).toBe(true)
})

it('what older records kept as part of a patch is not run again', () => {
  const old = { run, test: { tree: tree('7'), files: [], tests: ['adds'] }, reason: 'reproduced by adds' }
  expect(Reproduction.parse(old)).toEqual({ run, test: null, reason: 'reproduced by adds' })
})
