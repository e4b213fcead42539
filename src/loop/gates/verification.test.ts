import { expect, it } from 'vitest'
import { judgedPatch, patchedTree } from '../../../test/fixtures/judged-patch.ts'
import type { EvidenceGrade } from '../../model/proof/evidence.ts'
import { blockingGate } from '../../model/proof/gate.ts'
import type { CommandResult, Verification } from '../../model/proof/verification.ts'
import { runGates } from './run-gates.ts'

const command: CommandResult = {
  name: 'test',
  status: 'not_evaluated',
  reason: 'it was ended by a signal',
  exit_code: null,
  output: '',
  duration_ms: 1,
}
const verified = (status: Verification['status'], commands: readonly CommandResult[]): Verification => ({
  status,
  reason: 'why',
  tree: patchedTree,
  commands,
  depends_on_patch: true,
})
const gatesOf = (verification: Verification, minEvidence: EvidenceGrade) =>
  runGates(
    {
      patch: judgedPatch([['a.js', 'a()\n', 'b()\n']]),
      verified: { verification, minEvidence, claim: null },
    },
    { only: 'verification' },
  )

it('green commands are E1, and the gates behind are asked', async () => {
  expect(await gatesOf(verified('passed', [{ ...command, status: 'passed' }]), 'E1')).toMatchObject([
    { name: 'verification', status: 'passed', grade: 'E1' },
    { name: 'alone', status: 'not_applicable' },
    { name: 'origin', status: 'not_applicable' },
    { name: 'proof', status: 'not_applicable' },
    { name: 'reproduction', status: 'not_applicable' },
  ])
})

it('red commands close it, and no gate behind it is asked', async () => {
  expect(await gatesOf(verified('failed', [command]), 'E1')).toEqual([
    { name: 'verification', status: 'failed', reason: 'why' },
  ])
})

it('the verification gate is waived only where no command is configured and E0 may land', async () => {
  const waived = await gatesOf(verified('not_evaluated', []), 'E0')
  expect(waived[0]).toMatchObject({ status: 'not_evaluated', is_waived: true })
  expect(blockingGate(waived)).toBeUndefined()
  for (const blocked of [
    await gatesOf(verified('not_evaluated', []), 'E1'),
    await gatesOf(verified('not_evaluated', [command]), 'E0'),
  ])
    expect(blockingGate(blocked)).toMatchObject({ name: 'verification' })
})
