import { isUnopposed } from '../../model/proof/judge-verification.ts'
import type { GateDefinition } from './gate-definition.ts'

const namedTests = 5

export const proofGate: GateDefinition = {
  name: 'proof',
  description: 'does a test fail without the fix? It may land without one, but no evidence is better',
  asks: null,
  grade: 'E3',
  needs: 'verification',
  async judge(_patch, { verification, claim }) {
    const { proof, judge } = verification
    const isGreen = isUnopposed(verification)
    if (proof) {
      const tests = proof.tests.slice(0, namedTests).join(', ')
      const whose = proof.source === 'existing' ? 'an existing test' : "the fixer's own test"
      return { status: 'passed', reason: `proven by ${whose}: without the fix these fail: ${tests}` }
    }
    if (isGreen && judge?.status === 'not_applicable')
      return { status: 'not_applicable', reason: `no test can prove anything: ${judge.reason}` }
    if (!claim) return { status: 'not_applicable', reason: 'no test fails without the fix by name' }
    if (claim.grade !== 'E3') return { status: 'not_applicable', reason: 'no test is claimed to prove it' }
    if (!isGreen)
      return {
        status: 'not_evaluated',
        reason: 'the commands are not green, so no test can prove anything',
      }
    return (await claim.namesTests())
      ? { status: 'failed', reason: 'every test passes without the fix as well' }
      : { status: 'not_evaluated', reason: 'the output of the commands does not name the tests' }
  },
}
