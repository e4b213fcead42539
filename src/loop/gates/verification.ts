import { mayLandUnverified } from '../../model/proof/evidence.ts'
import { listPaths } from '../../model/proof/patch.ts'
import { isPartial } from '../../model/proof/verification.ts'
import { isUnopposed } from '../../model/proof/judge-verification.ts'
import type { GateDefinition, GateVerdict, JudgedPatch, VerifiedPatch } from './gate-definition.ts'
import { findUnrunTests } from './tamper.ts'

export const verificationGate: GateDefinition = {
  name: 'verification',
  description: 'are your commands as green as on the base, with every test still there?',
  asks: {
    whom: 'fixer_first',
    question: 'May this patch change what these tests expect, or whether they run?',
  },
  grade: 'E1',
  needs: 'verification',
  async judge(judged, verified) {
    const { verification, minEvidence } = verified
    const { status, commands, expects, extent } = verification
    const isGreen = isUnopposed(verification)
    const reason = isGreen && extent ? `${verification.reason}; ${extent.reason}` : verification.reason
    // Commands that are only put off exist all the same.
    const isWaived = !isPartial(verification) && mayLandUnverified({ min_evidence: minEvidence, commands })
    if (status === 'failed' && expects)
      return { status, reason: `${listPaths(expects)} expect something else now; ${reason}`, paths: expects }
    const unrun = isGreen ? await refuseUnrun(judged, verified) : null
    return unrun ?? { status, reason, isFinal: true, ...(isWaived && { is_waived: true }) }
  },
}

/** A new test that may skip itself counts once it was seen to run. */
async function refuseUnrun(judged: JudgedPatch, { passed }: VerifiedPatch): Promise<GateVerdict | null> {
  const candidates = await findUnrunTests(judged)
  if (candidates.length === 0) return null
  const names = (await passed?.()) ?? []
  const unrun = candidates.filter(({ unlessRan }) => !names.some((name) => name.includes(unlessRan)))
  if (unrun.length === 0) return null
  const said = unrun.map(({ path, line, what }) => `${path}:${line ?? 1} ${what}`)
  return {
    status: 'failed',
    reason: `new tests did not run in the verification: ${said.join('; ')}`,
    paths: [...new Set(unrun.map(({ path }) => path))],
  }
}
