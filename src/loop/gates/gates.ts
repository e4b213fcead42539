import { aloneGate } from './alone.ts'
import { changedGate } from './changed.ts'
import type { GateDefinition } from './gate-definition.ts'
import { originGate } from './origin.ts'
import { proofGate } from './proof.ts'
import { ranGate } from './ran.ts'
import { reproductionGate } from './reproduction.ts'
import { scopeGate } from './scope.ts'
import { secretsGate } from './secrets.ts'
import { tamperGate } from './tamper.ts'
import { verificationGate } from './verification.ts'

/** Every gate, in the order in which a patch meets them. */
export const gates: readonly GateDefinition[] = [
  ranGate,
  changedGate,
  scopeGate,
  tamperGate,
  secretsGate,
  verificationGate,
  aloneGate,
  originGate,
  proofGate,
  reproductionGate,
]
