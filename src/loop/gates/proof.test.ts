import { expect, it } from 'vitest'
import { baseTree, judgedPatch, patchedTree } from '../../../test/fixtures/judged-patch.ts'
import type { Verification } from '../../model/proof/verification.ts'
import type { EvidenceClaim } from './gate-definition.ts'
import { proofGate } from './proof.ts'
import { runGates } from './run-gates.ts'

const green: Verification = {
  status: 'passed',
  reason: '',
  tree: patchedTree,
  commands: [],
  depends_on_patch: true,
}
const claim = (given: Partial<EvidenceClaim> = {}): EvidenceClaim => ({
  grade: 'E3',
  namesTests: async () => true,
  ...given,
})
const proofOf = async (verification: Verification, claimed: EvidenceClaim | null) =>
  (
    await runGates(
      {
        patch: judgedPatch([['a.js', 'a()\n', 'b()\n']]),
        verified: { verification, minEvidence: 'E1', claim: claimed },
      },
      { list: [proofGate] },
    )
  )[0]

it.each([
  ['added', "the fixer's own test"],
  ['existing', 'an existing test'],
] as const)('tests that fail without the fix are E3 and say whose they are: %s', async (source, whose) => {
  const tests = ['adds']
  const proof = {
    source,
    command: 'test',
    tests,
    red_tree: baseTree,
    green_tree: patchedTree,
    excerpt: '',
  } as const
  expect(await proofOf({ ...green, proof }, null)).toEqual({
    name: 'proof',
    status: 'passed',
    reason: `proven by ${whose}: without the fix these fail: adds`,
    grade: 'E3',
  })
})

it.each<[string, Verification, EvidenceClaim | null, string]>([
  ['a patch that claims nothing needs none', green, null, 'not_applicable'],
  ['a commit that claims less needs none', green, claim({ grade: 'E2' }), 'not_applicable'],
  ['a claim is refuted where every test is named and passes without the fix', green, claim(), 'failed'],
  [
    'a claim cannot be judged where tests are not named',
    green,
    claim({ namesTests: async () => false }),
    'not_evaluated',
  ],
  ['a claim cannot be judged by red commands', { ...green, status: 'failed' }, claim(), 'not_evaluated'],
  ['a claim of another agent’s test is not about this', green, claim({ grade: 'E4' }), 'not_applicable'],
])('%s', async (_name, verification, claimed, status) => {
  expect(await proofOf(verification, claimed)).toMatchObject({ status })
})
