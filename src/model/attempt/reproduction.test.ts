import { describe, expect, it } from 'vitest'
import { patchFile, sampleRun } from '../../../test/fixtures/attempt-samples.ts'
import { advance } from './advance-attempt.ts'
import type { Attempt } from './attempt.ts'
import type { AttemptId, CommitId, IssueId, SessionId, TreeId } from '../id.ts'
import type { Patch, PatchFile } from '../proof/patch.ts'
import { withTest, type Reproduction } from './reproduction.ts'
import { spentOn } from './spending.ts'
import type { Verification } from '../proof/verification.ts'

const tree = (digit: string): TreeId => digit.repeat(40) as TreeId
const base = { commit: 'c'.repeat(40) as CommitId, tree: tree('0') }
const run = sampleRun({ agent: 'other', tokens: 10, cost_usd: 0.5, duration_ms: 1 })
const file = (path: string, status: PatchFile['status'], additions = 1): PatchFile =>
  patchFile(path, { status, old_mode: '000000', additions, deletions: 0 })
const test = file('test/be-001.test.ts', 'added', 9)
const reproduction: Reproduction = {
  run,
  test: { tree: tree('7'), files: [test], command: 'test', tests: ['adds'], excerpt: '' },
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
const verification = (status: Verification['status']): Verification => ({
  status,
  reason: status,
  tree: tree('2'),
  commands: [{ name: 'test', status, reason: '', exit_code: 0, output: 'OUT', duration_ms: 1 }],
  depends_on_patch: true,
})
const tested = { patch: withTest(fixed, tree('2'), { files: [test] }), diff: 'WITH TEST' }

/** The attempt that is about to be verified. */
function verifying(): Attempt {
  const started = advance(queued, { type: 'started', base, reproduction })
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

describe('a reproducing test', () => {
  it('is part of what is accepted, once it was verified', () => {
    const gates = [{ name: 'verification', status: 'passed', reason: '' }] as const
    expect(
      advance(verifying(), { type: 'verified', verification: verification('passed'), gates, tested }),
    ).toMatchObject({
      stage: 'accepted',
      patch: { tree: tree('2'), files: [{ path: 'src/a.ts' }, test] },
      diff: 'WITH TEST',
    })
  })

  it('stays hidden from the fixer while the fix does not pass it, and stays with the attempt', () => {
    const gates = [{ name: 'verification', status: 'failed', reason: '' }] as const
    const next = advance(verifying(), {
      type: 'verified',
      verification: verification('failed'),
      gates,
      tested,
    })
    expect(next).toMatchObject({ stage: 'fixing', from_tree: fixed.tree, reproduction })
    expect(next.rounds).toMatchObject([{ tree: fixed.tree, diff: 'DIFF' }])
  })

  it('is paid for, whatever becomes of the attempt', () => {
    expect(spentOn(verifying())).toEqual({ usd: 1.5, tokens: 20 })
    const stopped = advance(verifying(), { type: 'stopped', outcome: 'cancelled', reason: 'stop' })
    expect(spentOn(stopped)).toEqual({ usd: 1.5, tokens: 20 })
  })

  it('is committed in its own words, whatever the fix wrote in its place', () => {
    const taken = { ...fixed, files: [...fixed.files, file(test.path, 'added', 1)] }
    expect(withTest(taken, tree('2'), { files: [test] }).files).toEqual([...fixed.files, test])
  })
})
