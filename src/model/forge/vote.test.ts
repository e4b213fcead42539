import { expect, test } from 'vitest'
import { judgeVotes, votedFinding, type BlockingFinding, type Vote } from './vote.ts'
import { writtenFinding } from '../issue/finding.ts'

const vote = (score: number | null): Vote =>
  ({
    agent: 'a',
    model: null,
    score,
    summary: '',
    findings: [],
    missing: score === null ? 'it timed out' : null,
  }) as unknown as Vote
const source = { kind: 'tool', name: 'scan' } as const
const confirmed = {
  ...votedFinding(writtenFinding({ source, title: 'a leak', severity: 'critical', file: 'a.ts', line: 1 })),
  confirmed_by: 'a check that is green on the base',
} as unknown as BlockingFinding

test.each([
  ['85 and 78', [vote(85), vote(78)], [], 'approved', 81.5],
  ['80 and 80', [vote(80), vote(80)], [], 'approved', 80],
  ['80 and 79', [vote(80), vote(79)], [], 'changes_needed', 79.5],
  ['95 and one that is missing', [vote(95), vote(null)], [], 'not_evaluated', null],
  ['95 alone', [vote(95)], [], 'not_evaluated', null],
  ['none', [], [], 'not_evaluated', null],
  ['90 and 90 against a confirmed finding', [vote(90), vote(90)], [confirmed], 'changes_needed', 90],
] as const)('%s', (_votes, votes, blocking, status, average) => {
  expect(judgeVotes(votes, blocking, 80)).toMatchObject({ status, average })
})

test('voters who are far apart are said to be', () => {
  expect(judgeVotes([vote(100), vote(60)], [], 80).reason).toContain('40 points apart')
})
