import type { FixEvent } from '../../../src/model/session/event.ts'
import { StatusBadge } from '../ui/badge.tsx'
import { formatSentence } from '../ui/format.ts'
import { visible } from '../ui/visible.ts'

interface GateResult {
  readonly name: string
  readonly status: string
  readonly reason: string
}

/** An outcome as it stands in messages: alone at the end, or before its reason. */
const outcomeWord = /(?<=^the \w+ ended: )[a-z_]+$|^[a-z]+(?:_[a-z]+)+(?=: )/

/** The text of an event: the result and the reason of a gate, and the message of every other event. */
export function SaidByEvent({ event: { type, message, details } }: { readonly event: FixEvent }) {
  const gate = type === 'fix_gate_result' ? (details['gate'] as GateResult | undefined) : undefined
  // The line of the gate says why.
  if (type === 'fix_approval_needed') return 'Waits for your answer'
  if (!gate) return visible(formatSentence(message.replace(outcomeWord, (word) => word.replaceAll('_', ' '))))
  return (
    <>
      <StatusBadge status={gate.status} /> {gate.name.replaceAll('_', ' ')}
      {gate.reason !== '' && <span className="text-muted">: {visible(gate.reason)}</span>}
    </>
  )
}
