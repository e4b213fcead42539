import { meetsEvidence } from '../../model/proof/evidence.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import { listPaths, touchedPaths } from '../../model/proof/patch.ts'
import type { OriginFinding, Origins, RaisedIssue } from '../ports.ts'
import { compareFindings, findHeld } from './compare-findings.ts'
import type {
  GateDefinition,
  GateVerdict,
  JudgedIssue,
  JudgedPatch,
  VerifiedPatch,
} from './gate-definition.ts'
import { readTexts } from '../read-code.ts'

export const originGate: GateDefinition = {
  name: 'origin',
  description: 'is the tool that raised it silent about this very finding now, and about nothing new?',
  asks: null,
  grade: 'E2',
  needs: 'verification',
  async judge(judged, verified) {
    if (!judged.issue) return judgeUnknown(verified)
    const verdicts: GateVerdict[] = []
    for (const issue of [judged.issue, ...(judged.others ?? [])]) {
      const verdict = await askOrigins(judged, issue)
      if (verdict.status === 'failed') return verdict
      verdicts.push(verdict)
    }
    // One issue that no tool speaks of leaves the others unproven together with it.
    const weakest = (['not_evaluated', 'not_applicable'] as const).flatMap((status) =>
      verdicts.filter((verdict) => verdict.status === status),
    )
    return weakest[0] ?? verdicts[0] ?? judgeUnknown(verified)
  },
}

/** Asks every tool that raised an issue whether it is silent about it now. */
export async function askOrigins(judged: JudgedPatch, issue: JudgedIssue): Promise<GateVerdict> {
  const request = await requestOf(judged, issue)
  const verdicts: GateVerdict[] = []
  for (const tool of judged.ports.origins) {
    const verdict = await askAgain(tool, request)
    if (verdict?.status === 'failed') return verdict
    if (verdict) verdicts.push(verdict)
  }
  return summarize(verdicts, issue)
}

interface OriginRequest {
  readonly issue: JudgedIssue
  readonly base: Revision
  readonly patched: Revision
  readonly files: readonly string[]
  readonly signal: AbortSignal
  /** Each file that is looked at: its name and lines on both sides. */
  readonly texts: readonly FileTexts[]
}

interface FileTexts {
  readonly was: string
  readonly now: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

async function requestOf(
  { base, patch, signal, changes, ports }: JudgedPatch,
  issue: JudgedIssue,
): Promise<OriginRequest> {
  const files = [...new Set([...touchedPaths(patch), ...(issue.file ? [issue.file] : [])])]
  const changed = changes.map(({ path, oldPath, before, after }) => ({
    was: oldPath ?? path,
    now: path,
    before: linesOf(before),
    after: linesOf(after),
  }))
  const untouched = files.filter((file) => !changed.some(({ was, now }) => was === file || now === file))
  const kept = [...(await readTexts(ports.trees, base.tree, untouched))].map(([path, text]) => ({
    was: path,
    now: path,
    before: linesOf(text),
    after: linesOf(text),
  }))
  const patched = { commit: base.commit, tree: patch.tree }
  return { issue, base, patched, files, signal, texts: [...changed, ...kept] }
}

const linesOf = (text: string | null): readonly string[] => (text ?? '').split(/\r\n|\n/)

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
  const { issue, base, patched, texts } = request
  const before = await tool.ask(issue, base, request)
  if (!before) return null
  if ('unanswered' in before) return { status: 'not_evaluated', reason: `on the base: ${before.unanswered}` }
  const rule = issue.rule ?? issue.title
  const held = findHeld(before.found, issue, texts.find(({ was }) => was === issue.file)?.before ?? [])
  if (held.size === 0)
    return { status: 'not_applicable', reason: `${rule} is silent on the base: there is nothing to prove` }
  const after = await tool.ask(issue, patched, request)
  if (!after || 'unanswered' in after)
    return {
      status: 'not_evaluated',
      reason: `on the patched tree: ${after?.unanswered ?? 'the tool is gone'}`,
    }
  return compareAnswers(before.found, after.found, { rule, held, texts })
}

interface Compared {
  readonly rule: string
  readonly held: ReadonlySet<OriginFinding>
  readonly texts: readonly FileTexts[]
}

function compareAnswers(
  before: readonly OriginFinding[],
  after: readonly OriginFinding[],
  { rule, held, texts }: Compared,
): GateVerdict {
  const files = texts.map((text) => ({
    before: { lines: text.before, found: before.filter(({ file }) => file === text.was) },
    after: { lines: text.after, found: after.filter(({ file }) => file === text.now) },
  }))
  const whole = {
    before: { lines: [], found: before.filter(({ file }) => file === null) },
    after: { lines: [], found: after.filter(({ file }) => file === null) },
  }
  const { left, fresh } = compareFindings([...files, whole], held)
  if (left.length > 0) {
    const count = (found: readonly OriginFinding[]): number =>
      found.filter((finding) => (finding.rule ?? finding.title) === rule).length
    const reason = `${rule} still reports it (${count(before)} before, ${count(after)} after)`
    return { status: 'failed', reason }
  }
  if (fresh.length > 0)
    return { status: 'failed', reason: `the tool that raised it reports something new${listFindings(fresh)}` }
  return { status: 'passed', reason: `${rule} was loud on the base and is silent here` }
}

const listFindings = (findings: readonly OriginFinding[]): string =>
  `: ${listPaths(findings.map(({ rule, title, file, line }) => `${rule ?? title} (${file ?? 'no file'}${line === null ? '' : `:${line}`})`))}`
