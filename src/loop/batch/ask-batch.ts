import type { AgentRun, AgentTask } from '../../model/agent/agent.ts'
import { sharedConversation } from '../../model/issue/conversation.ts'
import type { AttemptAt, Revision } from '../../model/attempt/attempt.ts'
import { spentBy } from '../../model/attempt/spending.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { predecessorsIn } from '../../model/session/plan.ts'
import { divideWork, joinParts } from '../../model/session/batch.ts'
import type { Patch } from '../../model/proof/patch.ts'
import { readFixerReport } from '../../model/agent/report.ts'
import type { Session } from '../../model/session/session.ts'
import { agentTask, plannedVerification } from '../agent-task.ts'
import { defaultBatch, effortOf, workloadOf } from '../plan.ts'
import { own, type Own } from '../own-text.ts'
import { readConventions } from '../prompts/conventions.ts'
import type { AgentRequest, Ports, RoleAgent, SubAgent } from '../ports.ts'
import { batchPrompt, type BuiltBatch } from '../prompts/batch.ts'
import { fixersSchema } from '../prompts/contracts.ts'
import { fixerRules } from '../prompts/rules.ts'
import { placeIssues } from '../prompts/placed-issue.ts'
import type { WatchedRun } from '../context/own-waits.ts'
import { continueOrBegin, runRole } from '../context/run-role.ts'
import { noMoreAgents, recordWait, type SessionContext } from '../context/session-context.ts'
import { firstBatch } from './next-batch.ts'
import { fixTodo, masterTodo } from '../prompts/todo.ts'
import { createTranscript, type Transcript } from '../context/transcript.ts'

export interface BatchRequest {
  readonly batch: readonly AttemptAt<'queued'>[]
  readonly base: Revision
  /** What the run may cost at most; null without a budget. */
  readonly budgetUsd: number | null
}

export interface AskedBatch {
  readonly run: AgentRun
  readonly patch: Patch
  readonly workspaceId: string
  /** Codes that did not fit into the prompt. */
  readonly notSent: readonly string[]
}

/** One agent call for all issues of the batch, in one workspace. Null when no agent may run: the session is halted or stopped then. */
export async function askForBatch(
  { batch, base, budgetUsd }: BatchRequest,
  context: SessionContext,
): Promise<AskedBatch | null> {
  const { recorder, issues, ports } = context
  const session = recorder.session()
  const chosen = batch.flatMap(({ issue_id }) => issues.get(issue_id) ?? [])
  const workspaceId = `${session.id}-batch-${batch[0]?.id ?? ''}`
  for (const issue of chosen)
    await ports.artifacts.write(
      session.id,
      `fix_todo_${issue.code}.json`,
      await fixTodo(issue, base.tree, ports),
    )
  const name = `batch-${batch[0]?.issue_code ?? ''}`
  const runs: AgentRun[] = []
  let notSent: readonly string[] = []
  for (const [part, onlyFiles] of partsOf(chosen, session).entries()) {
    const built = await buildBatch({ issues: chosen, session, base, onlyFiles }, ports)
    notSent = built.notSent
    await ports.artifacts.write(session.id, `${name}/prompt-${part + 1}.md`, built.prompt)
    const sent = chosen.filter(({ code }) => !notSent.includes(code))
    const transcript = createTranscript()
    const run = await askOnce(
      { batch, base, budgetUsd, sent, workspaceId, prompt: built.prompt, transcript, isFirst: part === 0 },
      context,
    )
    if (!run) return null
    const told = transcript.text()
    if (told !== '') await ports.artifacts.write(session.id, `${name}/transcript-${part + 1}.jsonl`, told)
    await ports.artifacts.write(session.id, `${name}/answer-${part + 1}.txt`, run.text)
    runs.push(run)
    if (run.ending.ended === 'failed') break
  }
  const run = joinRuns(
    runs,
    chosen.map(({ code }) => code),
  )
  const workspace = await ports.workspaces.find(workspaceId)
  if (!workspace) throw new Error('the workspace was gone before its patch was captured')
  const patch = await ports.workspaces.capture(workspace, base.tree)
  return { run, patch, workspaceId, notSent }
}

/** An issue that is too large for one go, and whose files are known, is asked for in parts; everything else at once. */
function partsOf(
  issues: readonly Issue[],
  { options }: Pick<Session, 'options'>,
): readonly (readonly string[] | null)[] {
  const [issue, ...others] = issues
  if (!issue || others.length > 0) return [null]
  const work = { workload: workloadOf(issue), effort: effortOf(issue), files: issue.plan?.files ?? [] }
  return divideWork(work, options.max_batch_points ?? defaultBatch.maxPoints) ?? [null]
}

/** The runs of one issue's parts as one run: the issue is fixed only when every part is. */
function joinRuns(runs: readonly AgentRun[], codes: readonly string[]): AgentRun {
  const last = runs.at(-1)
  if (!last) throw new Error('no agent was asked')
  if (runs.length === 1) return last
  const reports = runs.map((run) => readFixerReport(run.text, codes))
  const issues = codes.map((code) => {
    const parts = reports.map((report) => report?.issues.get(code))
    const outcome = joinParts(parts.map((part) => part?.outcome ?? 'deferred'))
    const files_modified = [...new Set(parts.flatMap((part) => part?.files_modified ?? []))]
    return [code, { ...parts.at(-1), outcome, files_modified }] as const
  })
  return {
    ...last,
    text: JSON.stringify({ issues: Object.fromEntries(issues) }),
    tokens: runs.reduce((sum, { tokens }) => sum + tokens, 0),
    cost_usd: runs.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
    duration_ms: runs.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
  }
}

interface BatchAsk extends BatchRequest {
  readonly sent: readonly Issue[]
  readonly workspaceId: string
  readonly prompt: Own
  readonly transcript: Transcript
  /** Later parts go on from the files that the earlier ones left in the workspace. */
  readonly isFirst: boolean
}

async function askOnce(call: BatchAsk, context: SessionContext): Promise<AgentRun | null> {
  const { recorder, ports, limits, slots, endNow } = context
  const { options, clarified } = recorder.session()
  const subagents = options.strategy === 'single-call' ? await singleFixer(call.base, ports) : []
  const known = clarified?.conversation ?? sharedConversation(call.sent)
  const ask = ({ agent, timeoutMs }: RoleAgent, watched: WatchedRun): Promise<AgentRun> => {
    const own = known?.agent === agent.name && agent.can.fork ? { id: known.id, fork: true } : null
    return continueOrBegin(own, async (conversation) =>
      agent.run({
        ...(await batchRequest({ ...call, watched }, context)),
        timeoutMs: timeoutMs * Math.max(1, call.sent.length),
        ...(agent.can.subagents && subagents.length > 0 && { subagents }),
        ...(conversation && { conversation }),
      }),
    )
  }
  return slots.run(noMoreAgents(context), (rest) =>
    runRole(ports.agents.forRole('fixer'), ask, {
      limits,
      signal: endNow,
      rest,
      ...(call.batch[0] && { key: call.batch[0].id }),
      onWait: recordWait(context, call.batch[0]),
    }),
  )
}

/** The part of the request that is the same for every agent. */
async function batchRequest(
  {
    batch: [first],
    sent,
    base,
    budgetUsd,
    workspaceId: id,
    prompt,
    transcript,
    isFirst,
    watched,
  }: BatchAsk & { readonly watched: WatchedRun },
  { recorder, limits, ports: { workspaces } }: SessionContext,
): Promise<Omit<AgentRequest, 'timeoutMs'>> {
  const left = isFirst ? null : await workspaces.find(id)
  const { path } = left ?? (await workspaces.open({ id, tree: base.tree, head: base.commit }))
  return {
    task: batchTask(sent, recorder.session(), path),
    prompt,
    signal: watched.signal,
    onUpdate(update) {
      watched.hear(update)
      transcript.hear(update)
      if (!first) return
      recorder.publishUpdate(first, update)
      if (update.type === 'usage') limits.noteUsage(first.id, spentBy(update))
    },
    ...(budgetUsd !== null && { budgetUsd }),
  }
}

type DraftSession = Pick<Session, 'base' | 'options' | 'plan'>

export interface BatchDraft {
  /** The issues that it is about, and which part of one that is asked for in parts. */
  readonly name: string
  readonly prompt: Own
}

type PromptPorts = Pick<Ports, 'prompts' | 'trees' | 'inspector'>

/** The prompts of all agent calls that the issues would need if every one were fixed at once: what a dry run prints. */
export async function draftBatches(
  issues: readonly Issue[],
  session: DraftSession,
  ports: PromptPorts,
): Promise<readonly BatchDraft[]> {
  const before = predecessorsIn(session.plan)
  const drafts: BatchDraft[] = []
  for (let left = issues; left.length > 0;) {
    const ids = new Set(left.map(({ id }) => id))
    const waits = left.map((issue) => ({
      issue,
      after: (before.get(issue.id) ?? []).filter((id) => ids.has(id)),
    }))
    const first = firstBatch(waits, session.options)
    const batch = left.filter(({ id }) => first.has(id))
    let sent: readonly string[] = []
    const parts = partsOf(batch, session)
    for (const [part, onlyFiles] of parts.entries()) {
      const built = await buildBatch({ issues: batch, session, base: session.base, onlyFiles }, ports)
      sent = batch.map(({ code }) => code).filter((code) => !built.notSent.includes(code))
      const which = parts.length > 1 ? ` (part ${part + 1} of ${parts.length})` : ''
      drafts.push({ name: `${sent.join(', ')}${which}`, prompt: built.prompt })
    }
    left = left.filter(({ code }) => !sent.includes(code))
  }
  return drafts
}

interface BatchPart {
  readonly issues: readonly Issue[]
  readonly session: DraftSession
  readonly base: Revision
  readonly onlyFiles: readonly string[] | null
}

async function buildBatch(
  { issues, session, base, onlyFiles }: BatchPart,
  ports: PromptPorts,
): Promise<BuiltBatch> {
  const { options } = session
  return batchPrompt({
    texts: await ports.prompts.read(base.tree),
    issues: await placeIssues(issues, { base: session.base.tree, now: base.tree }, ports.trees),
    todo: options.strategy === 'single-call' ? masterTodo(session.plan) : null,
    conventions: await readConventions(ports.trees, base.tree, {
      file: null,
      files: issues.flatMap(({ file }) => file ?? []),
      configured: options.conventions,
    }),
    commands: options.commands,
    notes: options.notes,
    onlyFiles,
  })
}

/** The sub-agent that fixes exactly one issue, for agents that can start some. */
async function singleFixer(base: Revision, ports: Pick<Ports, 'prompts'>): Promise<readonly SubAgent[]> {
  const { fixer_single } = await ports.prompts.read(base.tree)
  return [
    {
      name: 'fixer-single',
      description: 'Fixes exactly one issue of the plan.',
      prompt: own`${fixer_single}\n\n${fixerRules}`,
    },
  ]
}

const batchTask = (issues: readonly Issue[], { options }: Session, workspace: string): AgentTask =>
  agentTask({
    role: 'fixer',
    access: 'write',
    round: 1,
    issues,
    notes: options.notes,
    verification: plannedVerification(options),
    workspace,
    output_schema: fixersSchema(issues.map(({ code }) => code)),
  })
