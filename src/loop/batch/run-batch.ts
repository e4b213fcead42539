import type { AgentRun } from '../../model/agent/agent.ts'
import {
  isSettled,
  type Attempt,
  type AttemptAt,
  type AttemptEvent,
  type BundledIssue,
  type Outcome,
  type Revision,
} from '../../model/attempt/attempt.ts'
import { isSessionFault } from '../../model/fault.ts'
import { divideFiles } from '../../model/session/divide.ts'
import type { AttemptId, IssueId } from '../../model/id.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { touchedPaths, type Patch } from '../../model/proof/patch.ts'
import { readFixerReport, type FixerReport, type IssueReport } from '../../model/agent/report.ts'
import { whyUnprovable } from '../../model/proof/evidence.ts'
import { whyAbsent } from '../attempt/run-attempt.ts'
import { awaitsReproduction, reproduceIssue } from '../proof/reproduce.ts'
import { askForBatch, type AskedBatch } from './ask-batch.ts'
import { stepOf, type Recorder } from '../context/recorder.ts'
import type { SessionContext } from '../context/session-context.ts'

type Queued = AttemptAt<'queued'>
type BatchEnded = Extract<AttemptEvent, { type: 'batch_ended' }>

/** Lets one agent work on several issues at once, divides its changes, and sends each part through the gates. */
export async function runBatch(batch: readonly Queued[], context: SessionContext): Promise<void> {
  try {
    await workOn(batch, context)
  } catch (error) {
    if (context.endNow.aborted) return
    if (isSessionFault(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const event = { type: 'stopped', outcome: 'not_evaluated', reason } as const
    const ids = new Set(batch.map(({ id }) => id))
    const open = context.recorder.attempts().filter((one) => ids.has(one.id) && isQueued(one))
    for (const attempt of open) await context.recorder.recordStep(stepOf(attempt, event))
  }
}

async function workOn(batch: readonly Queued[], context: SessionContext): Promise<void> {
  const { recorder, ports, limits } = context
  const [first] = batch
  const allowance = limits.allowance(batch, recorder.attempts())
  if (limits.halted()) return
  const base = recorder.session().tip
  if (first?.policy.max_rounds === 0) {
    const event: AttemptEvent = { type: 'started', base }
    for (const attempt of batch) await recorder.recordStep(stepOf(attempt, event))
    return
  }
  const hopeful = await dropHopeless(batch, base, context)
  for (const attempt of hopeful) await recorder.recordStart(attempt)
  const present = await reproduceAll(hopeful, context)
  if (present.length === 0 || limits.halted() || context.endNow.aborted) return
  const codes = present.map(({ issue_code }) => issue_code).join(', ')
  await recorder.recordEvents([
    ...present.map(
      (attempt) => ({ type: 'fix_issue_generating', attempt, message: 'the fixer begins' }) as const,
    ),
    { type: 'fix_agent_invoked', message: `the fixer is at work on ${codes}` },
  ])
  const budgetUsd = allowance.allowed ? allowance.budgetUsd : 0
  const asked = await askForBatch({ batch: present, base, budgetUsd }, context)
  if (!asked || context.endNow.aborted) return
  const members = present.filter(({ issue_code }) => !asked.notSent.includes(issue_code))
  const events = await divide(members, { ...asked, base }, context)
  await recorder.recordTogether({
    session: { type: 'batch_done' },
    steps: members.flatMap((before) => {
      const event = events.get(before.id)
      return event ? [stepOf(before, event)] : []
    }),
  })
  await ports.workspaces.close(asked.workspaceId)
}

/** A finding whose file is gone, or whose fix nothing could prove, never reaches an agent. */
async function dropHopeless(
  batch: readonly Queued[],
  base: Revision,
  { recorder, ports, issues }: SessionContext,
): Promise<readonly Queued[]> {
  const files = await ports.trees.list(base.tree)
  const present: Queued[] = []
  for (const attempt of batch) {
    const unprovable = whyUnprovable({ ...attempt.policy, commands: recorder.session().options.commands })
    const issue = issues.get(attempt.issue_id)
    const event =
      issue?.file && !files.has(issue.file)
        ? stopped('deleted', `blocked before any agent ran: ${whyAbsent(issue)}`)
        : unprovable && stopped('not_evaluated', unprovable)
    if (event) await recorder.recordStep(stepOf(attempt, event))
    else present.push(attempt)
  }
  return present
}

/** Tests that the fixer never sees are written before it is asked; an issue that needs one and has none is over. */
async function reproduceAll(batch: readonly Queued[], context: SessionContext): Promise<readonly Queued[]> {
  const { recorder, endNow } = context
  await Promise.all(
    batch.map(async (attempt) => {
      const event = awaitsReproduction(attempt, context) ? await reproduceIssue(attempt, context) : null
      if (event && !endNow.aborted) await recorder.recordStep(stepOf(attempt, event))
    }),
  )
  const ids = new Set(batch.map(({ id }) => id))
  return recorder
    .attempts()
    .filter(isQueued)
    .filter(({ id }) => ids.has(id))
}

const stopped = (outcome: Outcome, reason: string): AttemptEvent => ({ type: 'stopped', outcome, reason })

async function divide(
  members: readonly Queued[],
  { run, patch, base }: AskedBatch & { readonly base: Revision },
  context: SessionContext,
): Promise<ReadonlyMap<AttemptId, BatchEnded>> {
  const codes = members.map(({ issue_code }) => issue_code)
  const reports = run.ending.ended === 'finished' ? readFixerReport(run.text, codes) : null
  const share = shareOf(run, members.length)
  const reportOf = (attempt: Queued): IssueReport | null => reports?.issues.get(attempt.issue_code) ?? null
  const events = new Map<AttemptId, BatchEnded>(
    members.map((attempt) => [
      attempt.id,
      {
        type: 'batch_ended',
        base,
        run: share,
        report: reportOf(attempt),
        divided: { tree: base.tree, refused: [] },
        bundle: [],
        lead: null,
      },
    ]),
  )
  for (const { lead, followers, files } of bundlesOf(
    members,
    { reports, paths: allPaths(patch) },
    context.issues,
  )) {
    const event = events.get(lead.id)
    if (!event) continue
    const others = allPaths(patch).filter((path) => !files.includes(path))
    const tree = await context.ports.composer.restore(patch.tree, base.tree, others)
    const refused = patch.refused.filter(({ path }) => files.includes(path))
    events.set(lead.id, { ...event, divided: { tree, refused }, bundle: followers.map(bundled) })
    for (const follower of followers) {
      const own = events.get(follower.id)
      if (own) events.set(follower.id, { ...own, lead: lead.id })
    }
  }
  return events
}

const bundled = ({ id, issue_id, issue_code }: Queued): BundledIssue => ({
  attempt_id: id,
  issue_id,
  issue_code,
})

const allPaths = (patch: Patch): readonly string[] => [
  ...new Set([...touchedPaths(patch), ...patch.refused.map(({ path }) => path)]),
]

interface LedBundle {
  readonly lead: Queued
  readonly followers: readonly Queued[]
  readonly files: readonly string[]
}

/** Only issues that are reported as fixed have a share in the patch; changes in the other issues' own files are dropped. */
function bundlesOf(
  members: readonly Queued[],
  { reports, paths }: { readonly reports: FixerReport | null; readonly paths: readonly string[] },
  issues: ReadonlyMap<IssueId, Issue>,
): readonly LedBundle[] {
  const fixed = members.filter(({ issue_code }) => reports?.issues.get(issue_code)?.outcome === 'fixed')
  const claims = members.map((attempt) => ({
    code: attempt.issue_code,
    file: issues.get(attempt.issue_id)?.file ?? null,
    reported: fixed.includes(attempt) ? (reports?.issues.get(attempt.issue_code)?.files_modified ?? []) : [],
  }))
  return divideFiles(paths, claims).flatMap(({ codes, files }) => {
    const [lead, ...followers] = fixed.filter(({ issue_code }) => codes.includes(issue_code))
    return lead ? [{ lead, followers, files }] : []
  })
}

/** The cost of one run is divided evenly among its issues; none of them can go on with the conversation about all. */
const shareOf = (run: AgentRun, count: number): AgentRun => ({
  ...run,
  conversation_id: count === 1 ? run.conversation_id : null,
  tokens: Math.round(run.tokens / count),
  cost_usd: run.cost_usd / count,
})

type BundleRecorder = Pick<Recorder, 'session' | 'attempts' | 'recordStep'>

/**
 * An attempt whose patch is part of another attempt's ends as that one does; a killed session does this when it goes
 * on. Where the other one had to begin again, alone, this one does so after it.
 */
export async function endBundles(recorder: BundleRecorder): Promise<void> {
  for (const attempt of recorder.attempts()) {
    if (attempt.stage !== 'bundled') continue
    const event = endOfBundle(attempt, recorder)
    if (event) await recorder.recordStep(stepOf(attempt, event))
  }
}

function endOfBundle(follower: AttemptAt<'bundled'>, recorder: BundleRecorder): AttemptEvent | null {
  const attempts = recorder.attempts()
  const isOpen = (id: AttemptId): boolean => attempts.some((one) => one.id === id && !isSettled(one))
  const lead = attempts.find(({ id }) => id === follower.lead)
  if (lead?.stage !== 'settled') return null
  const { outcome, reason, commit_sha, commit_message, evidence, issue_code: lead_code } = lead
  const round = lead.rounds.at(-1)
  if (lead.bundle?.some(({ attempt_id }) => attempt_id === follower.id))
    return {
      type: 'bundle_settled',
      outcome,
      reason,
      commit_sha,
      commit_message,
      evidence,
      lead_code,
      ...(round && { round }),
    }
  if (follower.after.some(isOpen)) return null
  const refusal = lead.rounds[0]?.refusal ?? reason
  return { type: 'bundle_dissolved', base: recorder.session().tip, lead_code, reason: refusal }
}

const isQueued = (attempt: Attempt): attempt is Queued => attempt.stage === 'queued'
