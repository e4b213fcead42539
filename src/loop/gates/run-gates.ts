import { blockingGate, type Gate } from '../../model/proof/gate.ts'
import type { GateDefinition, GateVerdict, JudgedPatch, JudgedRun, VerifiedPatch } from './gate-definition.ts'
import { gates } from './gates.ts'

/** The subject of the gates: a patch, and whatever else is known of it by now. */
export interface GateCase {
  readonly patch: JudgedPatch
  readonly run?: JudgedRun
  readonly verified?: VerifiedPatch
}

export interface GateRun {
  /** Only the gates that need this; the others were asked before. */
  readonly only?: GateDefinition['needs']
  /** Asks every gate, also those behind one that refuses. */
  readonly isThorough?: boolean
  readonly list?: readonly GateDefinition[]
}

/**
 * Asks the gates of the list in order. A gate behind a refusal that nobody may allow is not asked; behind one that a
 * person may allow it is, so that the person knows what else there is.
 */
export async function runGates(
  given: GateCase,
  { only, isThorough, list = gates }: GateRun = {},
): Promise<readonly Gate[]> {
  const results: Gate[] = []
  for (const gate of list) {
    if (only && gate.needs !== only) continue
    const verdict = await ask(gate, given)
    if (!verdict) continue
    const result = resultOf(gate, verdict)
    results.push(result)
    if (blockingGate([result]) && !isThorough && (gate.asks === null || verdict.isFinal)) break
  }
  return results
}

/** Null when something that the gate needs does not exist here. */
function ask(
  gate: GateDefinition,
  { patch, run, verified }: GateCase,
): GateVerdict | Promise<GateVerdict> | null {
  switch (gate.needs) {
    case 'run':
      return run ? gate.judge(patch, run) : null
    case 'patch':
      return gate.judge(patch)
    case 'verification':
      return verified ? gate.judge(patch, verified) : null
  }
}

function resultOf({ name, asks, grade }: GateDefinition, { isFinal, ...verdict }: GateVerdict): Gate {
  const isAsked = asks !== null && verdict.status === 'failed' && !isFinal
  return {
    name,
    ...verdict,
    ...(isAsked && { asks }),
    ...(grade && verdict.status === 'passed' && { grade }),
  }
}
