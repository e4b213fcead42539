import { describe, expect, it } from 'vitest'
import { sampleRound, sampleRun } from '../../../test/fixtures/attempt-samples.ts'
import { Attempt } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { Session } from '../../model/session/session.ts'
import { formatSessionHtml } from './session-html.ts'
import { formatSessionReport } from './session-report.ts'

const commit = 'a'.repeat(40)
const tree = 'b'.repeat(40)
const policy = { max_rounds: 3, threshold: 90, challenge: true, min_evidence: 'E1' }

const session = Session.parse({
  id: 'ses_1',
  repository_id: 'rep_1',
  task_id: null,
  status: 'partial',
  reason: 'one of two was refused',
  base: { commit, tree },
  tip: { commit, tree },
  branch: 'fix/one',
  branch_made: true,
  issue_ids: ['iss_1', 'iss_2'],
  plan: { execution_steps: [] },
  options: {
    strategy: 'isolated',
    concurrency: 1,
    policy,
    notes: null,
    scope: { path: null, extra: [] },
    commands: [],
    fixer: 'rules',
    challenger: 'judge',
    conventions: [],
    assisted_by: true,
  },
  landing: null,
  verifications_run: 2,
  owner: null,
  created_at: '2030-01-01T00:00:00.000Z',
  updated_at: '2030-01-01T00:01:00.000Z',
  ended_at: '2030-01-01T00:01:00.000Z',
})

const emptyRound = sampleRound({ no_changes: true, refusal: 'nothing was changed', duration_ms: 1500 })

const verification = {
  status: 'failed',
  reason: 'test: exit 1',
  tree,
  depends_on_patch: true,
  commands: [
    { name: 'lint', status: 'passed', reason: 'exit 0', exit_code: 0, output: 'all well', duration_ms: 5 },
    {
      name: 'test',
      status: 'failed',
      reason: 'exit 1; it was green on the base',
      exit_code: 1,
      output: `${'x'.repeat(10_000)}\nnot ok 1 - adds`,
      duration_ms: 50,
    },
  ],
}

const challenge = {
  status: 'refused',
  score: 71.5,
  quality_scores: { correctness: 60, safety: 90 },
  feedback: 'It hides the error.',
  improvements_needed: ['Say why.'],
  agent: 'judge',
}

const attempt = (given: object): Attempt =>
  Attempt.parse({
    stage: 'queued',
    id: 'att_1',
    session_id: 'ses_1',
    issue_id: 'iss_1',
    issue_code: 'BE-001',
    position: 0,
    files: [],
    after: [],
    policy,
    rounds: [],
    deferrals: 0,
    ...given,
  })

describe('the report of a session', () => {
  it('tells every round: agent, gates, commands with the end of their output, challenge, files, diff', () => {
    const full = {
      ...emptyRound,
      round: 2,
      gates: [
        { name: 'scope', status: 'passed', reason: 'all inside' },
        { name: 'verification', status: 'failed', reason: 'test: exit 1' },
      ],
      verification,
      challenge,
      diff: '-a == b\n+a === b\n',
      files: ['a.js'],
      files_outside_finding: ['b.js'],
      no_changes: false,
      refusal: 'the challenger is not convinced',
    }
    const text = formatSessionReport(
      session,
      [
        attempt({
          stage: 'settled',
          outcome: 'refused',
          reason: 'two rounds were not enough',
          commit_sha: null,
          commit_message: null,
          evidence: null,
          rounds: [emptyRound, full],
        }),
      ],
      [],
    )
    expect(text).toContain('# Session ses_1\n\n- Status: partial (one of two was refused)')
    expect(text).toContain('**refused**: two rounds were not enough')
    expect(text).toContain(
      '### Round 1\n\nAgent: rules, finished, 1.5 s.\n\nRefused: nothing was changed\n\nNo changes applied.',
    )
    expect(text).toContain('- scope: passed: all inside\n- verification: failed: test: exit 1')
    expect(text).toContain('Command `lint`: passed (exit 0, 0.0 s): exit 0')
    expect(text).not.toContain('all well')
    expect(text).toContain('not ok 1 - adds\n```')
    expect(text.length).toBeLessThan(6_000)
    expect(text).toContain(
      'Challenge by judge: refused, score 71.5 (correctness 60, safety 90).\n\nIt hides the error.\n\n- Say why.',
    )
    expect(text).toContain('Files outside the finding: `b.js`')
    expect(text).toContain('```diff\n-a == b\n+a === b\n```')
  })

  it('says how a person answered a dispute, on the page too', () => {
    const disputed = attempt({
      stage: 'settled',
      outcome: 'disputed',
      reason: 'They do not agree. A person decides.',
      commit_sha: null,
      commit_message: null,
      evidence: null,
    })
    const issue = { id: 'iss_1', code: 'BE-001', title: 'a', status: 'ignored', clarifications: [] }
    const issues = [issue as unknown as Issue]
    const said = 'They do not agree. A person decided: the issue is ignored.'
    expect(formatSessionReport(session, [disputed], issues)).toContain(said)
    expect(formatSessionHtml(session, [disputed], issues)).toContain(said)
  })

  it('tells what landed, and what has not ended, in the order of the plan', () => {
    const landed = attempt({
      stage: 'settled',
      outcome: 'fixed',
      reason: 'proven',
      commit_sha: commit,
      commit_message: 'fix',
      evidence: 'E2',
    })
    const open = attempt({ id: 'att_2', issue_id: 'iss_2', issue_code: 'BE-002', position: 1 })
    const text = formatSessionReport(session, [open, landed], [])
    expect(text.indexOf('## BE-001')).toBeLessThan(text.indexOf('## BE-002'))
    expect(text).toContain(`Commit \`${commit}\`, evidence E2.`)
    expect(text).toContain('**not finished**: it is at the stage "queued"\n\nNo round was run.')
  })

  it('says how long the service of an agent was waited for', () => {
    const waited = sampleRound({ run: sampleRun({ waited_ms: 12_000 }) })
    const settled = {
      stage: 'settled',
      outcome: 'fixed',
      reason: '',
      commit_sha: null,
      commit_message: null,
      evidence: null,
    }
    expect(formatSessionReport(session, [attempt({ ...settled, rounds: [waited] })], [])).toContain(
      'after waiting 12.0 s for its service',
    )
  })
})
