import { expect, it } from 'vitest'
import { judgedPatch, patchedTree } from '../../../test/fixtures/judged-patch.ts'
import type { Verification } from '../../model/proof/verification.ts'
import type { VerifiedPatch } from './gate-definition.ts'
import { reproductionGate } from './reproduction.ts'
import { runGates } from './run-gates.ts'

type Status = NonNullable<Verification['reproduction']>['status']

const judge = async (status: Status | null, more: Partial<VerifiedPatch> = {}) => {
  const verification: Verification = {
    status: 'passed',
    reason: '',
    tree: patchedTree,
    commands: [],
    depends_on_patch: true,
    ...(status && { reproduction: { status, reason: 'said so' } }),
  }
  const patch = judgedPatch([['a.js', 'a()\n', 'b()\n']])
  const verified = { verification, minEvidence: 'E1', claim: null, ...more } as const
  return (await runGates({ patch, verified }, { list: [reproductionGate] }))[0]
}
const claim = { grade: 'E4', namesTests: async () => true } as const

it('a green one is E4', async () =>
  expect(await judge('passed')).toMatchObject({ status: 'passed', grade: 'E4' }))

it('a red one is told to the fixer once, and then a person is asked', async () =>
  expect(await judge('failed')).toMatchObject({ status: 'failed', asks: { whom: 'fixer_once' } }))

it.each<[string, Status | null, Partial<VerifiedPatch>, string]>([
  ['without one nothing is blocked', null, {}, 'not_applicable'],
  ['one that says nothing blocks nothing', 'not_evaluated', {}, 'not_applicable'],
  ['unless one is required', 'not_evaluated', { requiresReproduction: true }, 'not_evaluated'],
  ['a commit that claims one has it in its note', null, { claim }, 'not_evaluated'],
  ['a commit whose one says nothing proves nothing', 'not_evaluated', { claim }, 'not_evaluated'],
])('%s', async (_name, status, more, expected) =>
  expect(await judge(status, more)).toMatchObject({ status: expected }),
)
