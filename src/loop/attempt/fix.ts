import type { Own } from '../own-text.ts'
import type { AgentRun, AgentTask } from '../../model/agent/agent.ts'
import { readFixerReport, type IssueReport } from '../../model/agent/report.ts'
import type { AttemptAt } from '../../model/attempt/attempt.ts'
import { withSpent } from '../../model/attempt/spending.ts'
import type { Workspace } from '../../model/attempt/workspace.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Session } from '../../model/session/session.ts'
import { agentTask, plannedVerification } from '../agent-task.ts'
import { continueOrBegin, runRole } from '../context/run-role.ts'
import { issueOf, noMoreAgents, type SessionContext } from '../context/session-context.ts'
import { createTranscript, type Transcript } from '../context/transcript.ts'
import type { Ports, RoleAgent } from '../ports.ts'
import { fixerPrompt } from '../prompts/build.ts'
import { fixerSchema } from '../prompts/contracts.ts'
import { readConventions } from '../prompts/conventions.ts'
import { fixTodo } from '../prompts/todo.ts'
import { readCode } from '../read-code.ts'
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
  await keepAnswer(round, run, context)
  const { code } = round.issue
  const report = run.ending.ended === 'finished' ? readFixerReport(run.text, [code]) : null
  return { run, report: report?.issues.get(code) ?? null }
}

/** One round of one attempt, as its fixers are asked for it. */
interface FixerRound {
  readonly attempt: Fixing
  readonly issue: Issue
  readonly session: Session
  readonly prompt: Own
  readonly transcript: Transcript
  /** Where the artifacts of the round are. */
  readonly folder: string
}

async function beginRound(attempt: Fixing, context: SessionContext): Promise<FixerRound> {
  const { ports, recorder } = context
  const issue = issueOf(context, attempt)
  const session = recorder.session()
  const folder = `${issue.code}/round-${attempt.round}`
  const todo = await fixTodo(issue, attempt.from_tree, ports)
  await ports.artifacts.write(session.id, `fix_todo_${issue.code}.json`, todo)
  const prompt = await buildFixerPrompt({ issue, session, round: attempt }, ports)
  await ports.artifacts.write(session.id, `${folder}/prompt.md`, prompt)
  return { attempt, issue, session, prompt, folder, transcript: createTranscript() }
}

/** The first fixer that its provider lets run. Its workspace is made before there is a place for it: a place is not for waiting. */
async function runFixers(
  fixers: readonly RoleAgent[],
  round: FixerRound,
  context: SessionContext,
): Promise<AgentRun | null> {
  const { ports, slots, limits, endNow } = context
  const { id, from_tree: tree, base } = round.attempt
  const open = () => ports.workspaces.open({ id, tree, head: base.commit })
  let untouched: Workspace | null = await open()
  const takeWorkspace = async (): Promise<Workspace> => {
    const workspace = untouched ?? (await open())
    untouched = null
    return workspace
  }
  const run = await slots.run(noMoreAgents(context), (rest) =>
    runRole(fixers, (fixer) => askFixer(fixer, { ...round, takeWorkspace }, context), {
      limits,
      signal: endNow,
      rest,
    }),
  )
  if (untouched) await ports.workspaces.close(id)
  return run
}

interface FixerCall extends FixerRound {
  /** A workspace that holds exactly the tree that the round starts from. */
  readonly takeWorkspace: () => Promise<Workspace>
}

async function askFixer(
  { agent, timeoutMs }: RoleAgent,
  call: FixerCall,
  { recorder, limits, endNow: signal }: SessionContext,
): Promise<AgentRun> {
  const { attempt, prompt, transcript } = call
  const first = fixerTask(call, await call.takeWorkspace())
  const { conversation, spent } = await openConversation(agent, call, { task: first, signal })
  const run = await continueOrBegin(conversation, async (known) => {
    // What a conversation that was lost has changed meanwhile is not part of the round.
    const task = known === conversation ? first : fixerTask(call, await call.takeWorkspace())
    const share = limits.share([attempt], recorder.attempts())
    return agent
      .run({
        task,
        prompt,
        timeoutMs,
        signal,
        onUpdate(update) {
          transcript.hear(update)
          recorder.publishUpdate(attempt, update)
        },
        ...(share.usd !== null && { budgetUsd: share.usd }),
        ...(known && { conversation: known }),
      })
      .finally(share.release)
  })
  return withSpent(run, spent)
}

/** What a fixer is asked in one round. */
const fixerTask = ({ attempt, issue, session }: FixerRound, { path }: Workspace): AgentTask =>
  agentTask({
    role: 'fixer',
    access: 'write',
    round: attempt.round,
    issues: [issue],
    feedback: attempt.feedback,
    notes: session.options.notes,
    diff: attempt.rounds.at(-1)?.diff ?? null,
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
  readonly session: Pick<Session, 'base' | 'options'>
  readonly round?: Pick<Fixing, 'from_tree' | 'feedback' | 'rounds'>
}

/** The prompt a fixer gets for an issue, from the code of its round: also what a dry run prints. */
export async function buildFixerPrompt(
  { issue, session, round }: PromptRequest,
  ports: Pick<Ports, 'trees' | 'prompts'>,
): Promise<Own> {
  const code = await readCode(ports.trees, round?.from_tree ?? session.base.tree, issue)
  const conventions = await readConventions(ports.trees, session.base.tree, {
    file: issue.file,
    configured: session.options.conventions,
  })
  return fixerPrompt({
    texts: await ports.prompts.read(session.base.tree),
    issue,
    code,
    conventions,
    commands: session.options.commands,
    feedback: round?.feedback ?? [],
    lastDiff: round?.rounds.at(-1)?.diff ?? null,
    notes: session.options.notes,
  })
}
