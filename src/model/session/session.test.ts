import { describe, expect, it } from 'vitest'
import type { AttemptId, CommitId, IssueId, RepositoryId, SessionId, TreeId } from '../id.ts'
import { advanceSession, isOver, type BaseMoved, type Session, type SessionEvent } from './session.ts'

const revision = (digit: string) => ({
  commit: digit.repeat(40) as CommitId,
  tree: digit.repeat(40) as TreeId,
})
const session: Session = {
  id: 'ses_1' as SessionId,
  repository_id: 'rep_1' as RepositoryId,
  task_id: null,
  status: 'running',
  reason: null,
  base: revision('a'),
  tip: revision('a'),
  branch: 'fix/x',
  branch_made: false,
  issue_ids: ['iss_1' as IssueId],
  plan: { execution_steps: [] },
  options: {
    strategy: 'isolated',
    concurrency: 4,
    policy: { max_rounds: 3, threshold: 90, challenge: true, min_evidence: 'E1', unattended: 'hold' },
    notes: null,
    scope: { path: null, extra: [], reach: 'related' },
    commands: [],
    fixer: 'rules',
    challenger: 'rules',
    conventions: [],
    protected: [],
    assisted_by: true,
  },
  landing: null,
  verifications_run: 0,
  owner: 'me',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  ended_at: null,
}
const landing = {
  from: revision('a'),
  to: revision('b'),
  commits: [
    {
      attempt_id: 'att_1' as AttemptId,
      commit_sha: 'b'.repeat(40) as CommitId,
      message: 'm',
      evidence: 'E1' as const,
    },
  ],
}
const moved: BaseMoved = {
  branch: 'main',
  from: revision('a').commit,
  to: revision('b').commit,
  together: 'green',
  reason: 'r',
}
const landingNow: Session = { ...session, landing }
const over: Session = { ...session, status: 'completed', owner: null, ended_at: 'then' }

const halt = { kind: 'quota' as const, reason: 'used up', until: null }
const events: readonly SessionEvent[] = [
  { type: 'taken', owner: 'you', progress: '' },
  { type: 'queued' },
  { type: 'landing_planned', landing, branch: 'fix/named' },
  { type: 'landing_done' },
  { type: 'landing_dropped' },
  { type: 'verified', count: 2 },
  { type: 'spent_in_vain', spent: { usd: 2, tokens: 3 } },
  { type: 'base_moved', moved },
  { type: 'warned', warning: 'look' },
  { type: 'released', reason: 'stopped' },
  { type: 'held', reason: 'ask' },
  { type: 'halted', halt },
  { type: 'budget_changed', budget_usd: 9 },
  { type: 'ended', status: 'partial', reason: 'why', at: 'now' },
]

const expected: Readonly<Record<string, Partial<Session> | 'impossible'>> = {
  'running × taken': {
    status: 'running',
    owner: 'you',
    reason: null,
    halt: null,
    takeovers: { count: 1, progress: '' },
  },
  'running × queued': { status: 'pending', owner: null, reason: null, halt: null },
  'landing × queued': { status: 'pending', owner: null, reason: null, halt: null, landing },
  'running × halted': { status: 'parked', owner: null, halt, reason: 'quota: used up' },
  'running × budget_changed': { options: { ...session.options, budget_usd: 9 } },
  'landing × halted': { status: 'parked', owner: null, halt, reason: 'quota: used up', landing },
  'landing × budget_changed': { options: { ...session.options, budget_usd: 9 } },
  'running × landing_planned': { landing, branch: 'fix/named' },
  'running × landing_done': 'impossible',
  'running × landing_dropped': { landing: null },
  'running × verified': { verifications_run: 2 },
  'running × spent_in_vain': { spent_in_vain: { usd: 2, tokens: 3 } },
  'running × base_moved': { base_moved: moved },
  'running × warned': { warnings: ['look'] },
  'running × released': { owner: null, reason: 'stopped', status: 'running' },
  'running × held': { status: 'awaiting_approval', owner: null, reason: 'ask' },
  'running × ended': { status: 'partial', reason: 'why', owner: null, ended_at: 'now' },
  'landing × taken': { owner: 'you', landing, halt: null, takeovers: { count: 1, progress: '' } },
  'landing × landing_planned': 'impossible',
  'landing × landing_done': { tip: landing.to, branch_made: true, landing: null },
  'landing × landing_dropped': { landing: null, tip: session.tip, branch_made: false },
  'landing × verified': { verifications_run: 2, landing },
  'landing × spent_in_vain': { spent_in_vain: { usd: 2, tokens: 3 }, landing },
  'landing × base_moved': { base_moved: moved, landing },
  'landing × warned': { warnings: ['look'], landing },
  'landing × released': { owner: null, reason: 'stopped', landing },
  'landing × held': { status: 'awaiting_approval', owner: null, reason: 'ask', landing },
  'landing × ended': 'impossible',
}

describe('every state × every event', () => {
  const states = { running: session, landing: landingNow, over }
  for (const [name, state] of Object.entries(states))
    for (const event of events)
      it(`${name} × ${event.type}`, () => {
        const outcome = expected[`${name} × ${event.type}`] ?? 'impossible'
        if (outcome === 'impossible') expect(() => advanceSession(state, event)).toThrow()
        else expect(advanceSession(state, event)).toEqual({ ...state, ...outcome })
      })
})

it('a session counts how often it was taken over without getting any further', () => {
  const taken = (from: Session, progress: string): Session =>
    advanceSession(from, { type: 'taken', owner: 'next', progress })
  const twice = taken(taken(session, '1 fixing'), '1 fixing')
  expect(twice.takeovers).toEqual({ count: 2, progress: '1 fixing' })
  expect(taken(twice, '1 verifying').takeovers).toEqual({ count: 1, progress: '1 verifying' })
  const released = advanceSession(twice, { type: 'released', reason: 'stopped' })
  expect(taken(released, '1 fixing').takeovers).toBeNull()
})

it('a session rests like one that was stopped when nobody has begun to drive it', () => {
  const pending = advanceSession(session, { type: 'queued' })
  expect(advanceSession(pending, { type: 'released', reason: 'stopped' })).toMatchObject({
    status: 'running',
    owner: null,
    reason: 'stopped',
  })
})

it.each([
  ['pending', false],
  ['running', false],
  ['parked', false],
  ['completed', true],
  ['partial', true],
  ['failed', true],
  ['cancelled', true],
] as const)('%s is over: %s', (status, answer) => expect(isOver({ status })).toBe(answer))
