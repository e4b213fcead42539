import type { Own } from '../own-text.ts'
import type { AgentRun, AgentTask } from '../../model/agent/agent.ts'
import { readFixerReport, type IssueReport } from '../../model/agent/report.ts'
import type { AttemptAt } from '../../model/attempt/attempt.ts'
import { spentBy, withSpent } from '../../model/attempt/spending.ts'
import type { Workspace } from '../../model/attempt/workspace.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Session } from '../../model/session/session.ts'
import { agentTask, plannedVerification } from '../agent-task.ts'
import { aboutTime } from '../context/about-time.ts'
import type { WatchedRun } from '../context/own-waits.ts'
import { continueOrBegin, runRole } from '../context/run-role.ts'
import type { Rest } from '../context/slots.ts'
import { issueOf, noMoreAgents, recordWait, type SessionContext } from '../context/session-context.ts'
import { createTranscript, type Transcript } from '../context/transcript.ts'
import type { Ports, RoleAgent } from '../ports.ts'
import { continuedPrompt, fixerPrompt, type FixerPrompt } from '../prompts/build.ts'
import { fixerSchema } from '../prompts/contracts.ts'
import { readConventions } from '../prompts/conventions.ts'
import { placeIssues } from '../prompts/placed-issue.ts'
import type { LastRound } from '../prompts/rounds.ts'
import { fixTodo } from '../prompts/todo.ts'
import { openConversation } from './conversation.ts'

type Fixing = AttemptAt<'fixing'>

export interface Fixed {
  readonly run: AgentRun
  readonly report: IssueReport | null
}

/** Lets the fixer work on one issue in its workspace, which holds exactly the tree that the round starts from. Null when no agent may start any more. */
export async function fixIssue(attempt: Fixing, context: SessionContext): Promise<Fixed | null> {
  const fixers = context.ports.agents.forRole('fixer')
  if (fixers.length === 0) throw new Error('the role "fixer" has no agent')
  const round = await beginRound(attempt, context)
  const run = await runFixers(fixers, round, context)
  if (!run) return null
  context.limits.noteEnding(attempt, run)
  if (run.ending.ended === 'finished') await context.ports.pace.note(paceOf(run.agent), run.duration_ms)
  await keepAnswer(round, run, context)
  const { code } = round.issue
  const report = run.ending.ended === 'finished' ? readFixerReport(run.text, [code]) : null
  return { run, report: report?.issues.get(code) ?? null }
}

const paceOf = (agent: string): string => `fixer ${agent}`

/** One round of one attempt, as its fixers are asked for it. */
interface FixerRound {
  readonly attempt: Fixing
  readonly issue: Issue
  readonly session: Session
  readonly given: FixerPrompt
  readonly transcript: Transcript
  /** Where the artifacts of the round are. */
  readonly folder: string
}

async function beginRound(attempt: Fixing, context: SessionContext): Promise<FixerRound> {
  const { ports, recorder } = context
  const issue = issueOf(context, attempt)
  const session = recorder.session()
  const folder = `${issue.code}/round-${attempt.round}`
  const others = [...context.issues.values()]
  const given = await readForPrompt({ issue, others, session, round: attempt }, ports)
  const todo = await fixTodo(given.issue, attempt.from_tree, ports)
  await ports.artifacts.write(session.id, `fix_todo_${issue.code}.json`, todo)
  return { attempt, issue: given.issue, session, given, folder, transcript: createTranscript() }
}

/**
 * Runs the first fixer that its provider lets run. The workspace is made before the fixer takes a place, so that no
 * place is held while waiting.
 */
async function runFixers(
  fixers: readonly RoleAgent[],
  round: FixerRound,
  context: SessionContext,
): Promise<AgentRun | null> {
  const { ports, recorder, slots, limits, endNow } = context
  const { id, from_tree: tree, base } = round.attempt
  const open = () => ports.workspaces.open({ id, tree, head: base.commit })
  let untouched: Workspace | null = await open()
  const takeWorkspace = async (): Promise<Workspace> => {
    const workspace = untouched ?? (await open())
    untouched = null
    return workspace
  }
  const askedMs = ports.clock.now()
  const { attempt } = round
  const work = async (rest: Rest): Promise<AgentRun | null> => {
    const details = { waited_ms: Math.max(0, ports.clock.now() - askedMs) }
    const usual = await ports.pace.usualMs(paceOf(fixers[0]?.agent.name ?? ''))
    const message = `the fixer is at work${aboutTime(usual)}`
    await recorder.recordEvents([{ type: 'fix_agent_invoked', attempt, message, details }])
    return runRole(
      fixers,
      (fixer, watched) => askFixer(fixer, { ...round, takeWorkspace, watched }, context),
      {
        limits,
        signal: endNow,
        rest,
        key: attempt.id,
        onWait: recordWait(context, attempt),
      },
    )
  }
  const run = await slots.run(noMoreAgents(context), work, () =>
    recorder.publishEvent({ type: 'fix_issue_generating', attempt, message: 'waiting for an agent’s place' }),
  )
  if (untouched) await ports.workspaces.close(id)
  return run
}

interface FixerCall extends FixerRound {
  /** A workspace that holds exactly the tree that the round starts from. */
  readonly takeWorkspace: () => Promise<Workspace>
  readonly watched: WatchedRun
}

async function askFixer(
  { agent, timeoutMs }: RoleAgent,
  call: FixerCall,
  { recorder, limits, ports }: SessionContext,
): Promise<AgentRun> {
  const { attempt, given, transcript, watched } = call
  const first = fixerTask(call, await call.takeWorkspace())
  const { conversation, knowsTask, spent } = await openConversation(agent, call, { task: first, ...watched })
  const run = await continueOrBegin(conversation, async (known) => {
    const prompt = known && knowsTask ? continuedPrompt(given) : fixerPrompt(given)
    await ports.artifacts.write(call.session.id, `${call.folder}/prompt.md`, prompt)
    // The changes of a conversation that was lost are not part of the round.
    const task = known === conversation ? first : fixerTask(call, await call.takeWorkspace())
    const share = limits.share([attempt], recorder.attempts())
    return agent
      .run({
        task,
        prompt,
        timeoutMs,
        signal: watched.signal,
        onUpdate(update) {
          watched.hear(update)
          transcript.hear(update)
          recorder.publishUpdate(attempt, update)
          if (update.type === 'usage') limits.noteUsage(attempt.id, spentBy(update))
        },
        ...(share.usd !== null && { budgetUsd: share.usd }),
        ...(known && { conversation: known }),
      })
      .finally(share.release)
  })
  return withSpent(run, spent)
}

/** What a fixer is asked in one round. */
const fixerTask = ({ attempt, issue, session, given }: FixerRound, { path }: Workspace): AgentTask =>
  agentTask({
    role: 'fixer',
    access: 'write',
    round: attempt.round,
    issues: [issue],
    feedback: attempt.feedback,
    notes: session.options.notes,
    diff: given.last?.diff ?? null,
    verification: plannedVerification(session.options),
    workspace: path,
    output_schema: fixerSchema(issue.code),
  })

async function keepAnswer(
  { session, folder, transcript }: FixerRound,
  { text }: AgentRun,
  { ports: { artifacts } }: SessionContext,
): Promise<void> {
  await artifacts.write(session.id, `${folder}/answer.txt`, text)
  const heard = transcript.text()
  if (heard !== '') await artifacts.write(session.id, `${folder}/transcript.jsonl`, heard)
}

/** What a fixer's prompt is built from; without a round it is the first one's. */
export interface PromptRequest {
  readonly issue: Issue
  /** All issues of the session. */
  readonly others: readonly Issue[]
  readonly session: Pick<Session, 'base' | 'options'>
  readonly round?: Fixing
}

type PromptPorts = Pick<Ports, 'trees' | 'prompts'>

/** The prompt a fixer gets for an issue in the first round: what a dry run prints. */
export const draftFixerPrompt = async (request: PromptRequest, ports: PromptPorts): Promise<Own> =>
  fixerPrompt(await readForPrompt(request, ports))

async function readForPrompt(
  { issue, others, session, round }: PromptRequest,
  { trees, prompts }: PromptPorts,
): Promise<FixerPrompt> {
  const { base, options } = session
  const shown = { base: base.tree, now: round?.from_tree ?? base.tree }
  const [placed] = await placeIssues([issue], shown, trees)
  return {
    texts: await prompts.read(base.tree),
    issue,
    code: null,
    ...placed,
    others,
    conventions: await readConventions(trees, base.tree, {
      file: issue.file,
      configured: options.conventions,
    }),
    commands: options.commands,
    feedback: round?.feedback ?? [],
    last: round ? await readLastRound(round, trees) : null,
    notes: options.notes,
  }
}

const wholeDiff = 4 * 1024 * 1024

/** The changes of the round before, and the part of the fix that the next round begins with. */
async function readLastRound(
  { rounds, base, from_tree: now }: Fixing,
  trees: Pick<Ports['trees'], 'diff'>,
): Promise<LastRound | null> {
  const last = rounds.at(-1)
  if (!last) return null
  const { round, from_tree: from, tree } = last
  const left = now === tree ? 'all' : now === base.tree ? 'none' : 'some'
  const isTold = left === 'none' || (left === 'all' && from === base.tree)
  return {
    round,
    // Records of older versions do not say what a round began with.
    diff: from && tree ? await trees.diff(from, tree, wholeDiff) : last.diff || null,
    left,
    held: isTold ? null : await trees.diff(base.tree, now, wholeDiff),
  }
}
