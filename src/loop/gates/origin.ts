import { meetsEvidence } from '../../model/proof/evidence.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import { touchedPaths } from '../../model/proof/patch.ts'
import type { Origins, RaisedIssue } from '../ports.ts'
import type { GateDefinition, GateVerdict, JudgedPatch, VerifiedPatch } from './gate-definition.ts'

export const originGate: GateDefinition = {
  name: 'origin',
  description: 'is the tool that raised it silent now?',
  asks: null,
  grade: 'E2',
  needs: 'verification',
  async judge(judged, verified) {
    if (!judged.issue) return judgeUnknown(verified)
    const request = requestOf(judged, judged.issue)
    const verdicts: GateVerdict[] = []
    for (const tool of judged.ports.origins) {
      const verdict = await askAgain(tool, request)
      if (verdict?.status === 'failed') return verdict
      if (verdict) verdicts.push(verdict)
    }
    return summarize(verdicts, judged.issue)
  },
}

interface OriginRequest {
  readonly issue: RaisedIssue
  readonly base: Revision
  readonly patched: Revision
  readonly files: readonly string[]
  readonly signal: AbortSignal
}

function requestOf({ base, patch, signal }: JudgedPatch, issue: RaisedIssue): OriginRequest {
  const files = [...new Set([...touchedPaths(patch), ...(issue.file ? [issue.file] : [])])]
  return { issue, base, patched: { commit: base.commit, tree: patch.tree }, files, signal }
}

const judgeUnknown = ({ claim }: VerifiedPatch): GateVerdict =>
  claim && meetsEvidence(claim.grade, 'E2')
    ? { status: 'not_evaluated', reason: 'nothing here says which tool raised it' }
    : { status: 'not_applicable', reason: 'no tool to run again' }

/** A tool that found nothing on the base has nothing to say where another one has. */
function summarize(verdicts: readonly GateVerdict[], issue: RaisedIssue): GateVerdict {
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
async function askAgain(tool: Origins, request: OriginRequest): Promise<GateVerdict | null> {
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
