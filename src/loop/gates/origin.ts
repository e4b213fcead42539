import type { Revision } from '../../model/attempt/attempt.ts'
import type { Gate } from '../../model/proof/gate.ts'
import type { Origins, RaisedIssue } from '../ports.ts'

export interface OriginRequest {
  readonly issue: RaisedIssue
  readonly base: Revision
  readonly patched: Revision
  readonly files: readonly string[]
  readonly signal: AbortSignal
}

type Verdict = Pick<Gate, 'status' | 'reason'>

/** Asks the tools that raised the issue again: each that was loud on the base must be quieter on the patched tree. */
export async function originGate(origins: readonly Origins[], request: OriginRequest): Promise<Gate> {
  const verdicts: Verdict[] = []
  for (const tool of origins) {
    const verdict = await askAgain(tool, request)
    if (verdict?.status === 'failed') return { name: 'origin', ...verdict }
    if (verdict) verdicts.push(verdict)
  }
  return { name: 'origin', ...judge(verdicts, request.issue) }
}

/** A tool that found nothing on the base has nothing to say where another one has. */
function judge(verdicts: readonly Verdict[], issue: RaisedIssue): Verdict {
  const passed = verdicts.find(({ status }) => status === 'passed')
  const unanswered = verdicts.find(({ status }) => status === 'not_evaluated')
  const silent = verdicts.find(({ status }) => status === 'not_applicable')
  if (unanswered) return unanswered
  if (passed) return passed
  if (silent) return { status: 'not_evaluated', reason: silent.reason }
  return {
    status: 'not_applicable',
    reason: `no tool to run again: it was raised by ${issue.flagged_by.join(', ') || 'nobody'}`,
  }
}

/** Null when the tool did not raise the issue; `not_applicable` when it is silent on the base. */
async function askAgain(tool: Origins, request: OriginRequest): Promise<Verdict | null> {
  const { issue, base, patched } = request
  const before = await tool.ask(issue, base, request)
  if (!before) return null
  if ('unanswered' in before) return { status: 'not_evaluated', reason: `on the base: ${before.unanswered}` }
  const rule = issue.rule ?? issue.title
  if (before.loud === 0)
    return { status: 'not_applicable', reason: `${rule} is silent on the base: there is nothing to prove` }
  const after = await tool.ask(issue, patched, request)
  if (!after || 'unanswered' in after)
    return {
      status: 'not_evaluated',
      reason: `on the patched tree: ${after?.unanswered ?? 'the tool is gone'}`,
    }
  if (after.loud < before.loud)
    return { status: 'passed', reason: `${rule} was loud on the base and is silent here` }
  return { status: 'failed', reason: `${rule} still reports it (${before.loud} before, ${after.loud} after)` }
}
