import { expect, it } from 'vitest'
import { exitCodeOfVerdicts, judgeCommit, type CommitCheck } from './commit-verdict.ts'
import type { EvidenceGrade } from './evidence.ts'

const check = (status: CommitCheck['status']): CommitCheck => ({ name: 'verification', status, reason: '' })

it.each([
  ['E1', 'E1', 'passed', 'confirmed', 'E1'],
  ['E1', 'E2', 'passed', 'confirmed', 'E2'],
  ['E2', 'E1', 'not_evaluated', 'not_evaluated', 'E1'],
  ['E1', 'E0', 'failed', 'refuted', null],
  ['E1', 'E2', 'failed', 'refuted', null],
  ['E0', 'E0', 'not_evaluated', 'confirmed', 'E0'],
] as const)('claimed %s, seen %s, a check that %s: %s', (claimed, seen, status, verdict, confirmed) => {
  const claim = { commit: 'c', issueCode: 'BE-001', claimed: claimed as EvidenceGrade }
  expect(judgeCommit(claim, { grade: seen, isTied: true }, [check(status)])).toMatchObject({
    status: verdict,
    confirmed,
  })
})

it('a commit that nothing ties to what was verified is not confirmed, whatever is seen of it', () => {
  const claim = { commit: 'c', issueCode: 'BE-001', claimed: 'E1' as const }
  expect(judgeCommit(claim, { grade: 'E3', isTied: false }, [check('passed')])).toMatchObject({
    status: 'not_evaluated',
  })
})

it('the worst of several verdicts is the exit code', () => {
  expect(exitCodeOfVerdicts([])).toBe(0)
  expect(exitCodeOfVerdicts([{ status: 'confirmed' }, { status: 'refuted' }])).toBe(1)
  expect(exitCodeOfVerdicts([{ status: 'refuted' }, { status: 'not_evaluated' }])).toBe(3)
})
