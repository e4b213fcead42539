import { mayLandUnverified } from '../../model/proof/evidence.ts'
import type { GateDefinition } from './gate-definition.ts'

export const verificationGate: GateDefinition = {
  name: 'verification',
  description: 'are your commands as green as on the base, with every test still there?',
  asks: null,
  grade: 'E1',
  needs: 'verification',
  judge(_patch, { verification: { status, reason, commands }, minEvidence }) {
    const isWaived = mayLandUnverified({ min_evidence: minEvidence, commands })
    return { status, reason, ...(isWaived && { is_waived: true }) }
  },
}
