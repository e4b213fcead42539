import { hasLostConversation, type AgentRun, type AgentSignal } from '../../model/agent/agent.ts'
import type { AttemptAt } from '../../model/attempt/attempt.ts'
import type { Workspace } from '../../model/attempt/workspace.ts'
import type { Issue } from '../../model/issue/issue.ts'
import { nothingSpent, spentBy, withSpent } from '../../model/attempt/spending.ts'
import { readFixerReport, type IssueReport } from '../../model/agent/report.ts'
import type { Session } from '../../model/session/session.ts'
import { conversationFor } from './conversation.ts'
import { readConventions } from '../prompts/conventions.ts'
import type { Limits, Share } from '../session/limits.ts'
import type { Ports, RoleAgent } from '../ports.ts'
import { fixerPrompt } from '../prompts/build.ts'
import { fixerTask } from './fixer-task.ts'
import { readCode } from '../read-code.ts'
import { runRole } from './run-role.ts'
import { fixTodo } from './todo.ts'
import { createTranscript } from './transcript.ts'
import type { Slots } from '../session/slots.ts'

export interface FixRequest {
  readonly attempt: AttemptAt<'fixing'>
  readonly issue: Issue
  readonly session: Session
  readonly slots: Slots
  readonly limits: Limits
  /** Takes what a run that begins now may cost at most. */
  readonly takeShare: () => Share
  /** Start no agent any more. */
  readonly stop: AbortSignal
  readonly signal: AbortSignal
  readonly onSignal: (signal: AgentSignal) => void
}

/** Lets the fixer work on one issue in its workspace, which holds exactly the tree that the round starts from. Null when no agent may start any more. */
export async function fixIssue(
  request: FixRequest,
  ports: Ports,
): Promise<{ readonly run: AgentRun; readonly report: IssueReport | null } | null> {
  const { attempt, issue, session } = request
  const fixers = ports.agents.forRole('fixer')
  if (fixers.length === 0) throw new Error('the role "fixer" has no agent')
  const todo = await fixTodo(issue, attempt.from_tree, ports)
  await ports.artifacts.write(session.id, `fix_todo_${issue.code}.json`, todo)
  const prompt = await buildFixerPrompt(issue, session, ports, attempt)
  await ports.artifacts.write(session.id, `${issue.code}/round-${attempt.round}/prompt.md`, prompt)
  const transcript = createTranscript()
  const { id, from_tree: tree, base } = attempt
  const open = () => ports.workspaces.open({ id, tree, head: base.commit })
  // Before there is a place for the agent: a place is not for waiting.
  let untouched: Workspace | null = await open()
  const ask = async ({ agent, timeoutMs }: RoleAgent, isAnew = false): Promise<AgentRun> => {
    const workspace = untouched ?? (await open())
    untouched = null
    const going = isAnew ? null : await conversationFor(agent, request, workspace.path)
    const conversation = going?.conversation ?? null
    const share = request.takeShare()
    const run = await agent
      .run({
        task: fixerTask(request, workspace.path),
        prompt,
        timeoutMs,
        signal: request.signal,
        onSignal(signal) {
          transcript.hear(signal)
          request.onSignal(signal)
        },
        ...(share.usd !== null && { budgetUsd: share.usd }),
        ...(conversation && { conversation }),
      })
      .finally(share.release)
    // The prompt holds all that was said before, so a new conversation starts with the same knowledge.
    const isLost = hasLostConversation(run)
    const paid = withSpent(run, going?.spent ?? nothingSpent)
    return conversation && isLost ? withSpent(await ask({ agent, timeoutMs }, true), spentBy(paid)) : paid
  }
  const { limits, signal } = request
  const run = await request.slots.run(AbortSignal.any([request.stop, limits.signal]), (rest) =>
    runRole(fixers, (fixer) => ask(fixer), limits, signal, rest),
  )
  if (untouched) await ports.workspaces.close(id)
  if (!run) return null
  limits.noteEnding(attempt, run)
  await ports.artifacts.write(session.id, `${issue.code}/round-${attempt.round}/answer.txt`, run.text)
  const told = `${issue.code}/round-${attempt.round}/transcript.jsonl`
  if (transcript.text() !== '') await ports.artifacts.write(session.id, told, transcript.text())
  const report = run.ending.ended === 'finished' ? readFixerReport(run.text, [issue.code]) : null
  return { run, report: report?.issues.get(issue.code) ?? null }
}

/** The prompt a fixer gets for an issue, from the code of its round: also what a dry run prints. */
export async function buildFixerPrompt(
  issue: Issue,
  session: Pick<Session, 'base' | 'options'>,
  ports: Pick<Ports, 'trees' | 'inspector' | 'prompts'>,
  round?: Pick<AttemptAt<'fixing'>, 'from_tree' | 'feedback' | 'rounds'>,
): Promise<string> {
  const code = await readCode(ports.trees, round?.from_tree ?? session.base.tree, issue)
  const conventions = await readConventions(ports.trees, session.base.tree, {
    file: issue.file,
    configured: session.options.conventions,
  })
  const prompt = fixerPrompt({
    texts: await ports.prompts.read(session.base.tree),
    issue,
    code,
    conventions,
    commands: session.options.commands,
    feedback: round?.feedback ?? [],
    lastDiff: round?.rounds.at(-1)?.diff ?? null,
    notes: session.options.notes,
  })
  return ports.inspector.redact(prompt)
}
