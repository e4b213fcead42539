import type { Revision } from '../model/attempt.ts'
import type { Gate } from '../model/gate.ts'
import type { Issue } from '../model/issue.ts'
import type { Origins } from './ports.ts'

export interface OriginRequest {
  readonly issue: Issue
  readonly base: Revision
  readonly patched: Revision
  readonly files: readonly string[]
}

/** Asks the tool that raised the issue again: it was loud on the base, and must be quieter on the patched tree. */
export async function originGate(origins: Origins, request: OriginRequest): Promise<Gate> {
  const { issue, files } = request
  const before = await origins.ask(issue, request.base, files)
  if (!before)
    return gate(
      'not_applicable',
      `no tool to run again: it was raised by ${issue.flagged_by.join(', ') || 'nobody'}`,
    )
  if ('unanswered' in before) return gate('not_evaluated', `on the base: ${before.unanswered}`)
  const after = await origins.ask(issue, request.patched, files)
  if (!after || 'unanswered' in after)
    return gate('not_evaluated', `on the patched tree: ${after?.unanswered ?? 'the tool is gone'}`)
  const rule = issue.rule ?? issue.title
  if (before.loud === 0)
    return gate('not_evaluated', `${rule} is silent on the base: there is nothing to prove`)
  if (after.loud < before.loud) return gate('passed', `${rule} was loud on the base and is silent here`)
  return gate('failed', `${rule} still reports it (${before.loud} before, ${after.loud} after)`)
}

const gate = (status: Gate['status'], reason: string): Gate => ({ name: 'origin', status, reason })
