import type { AgentRun, AgentTask } from '../model/agent.ts'
import type { AttemptAt } from '../model/attempt.ts'
import type { Issue } from '../model/issue.ts'
import { readFixerReport, type IssueReport } from '../model/report.ts'
import type { Session } from '../model/session.ts'
import { readConventions } from './conventions.ts'
import type { Ports } from './ports.ts'
import { fixerPrompt } from './prompts/build.ts'
import { fixerSchema } from './prompts/contracts.ts'
import { readText } from './read-text.ts'
import type { Slots } from './slots.ts'

export interface FixRequest {
  readonly attempt: AttemptAt<'fixing'>
  readonly issue: Issue
  readonly session: Session
  readonly slots: Slots
  /** Start no agent any more. */
  readonly stop: AbortSignal
  readonly signal: AbortSignal
  readonly onText: (text: string) => void
}

/** Lets the fixer work on one issue in its workspace, which holds exactly the tree that the round starts from. Null when no agent may start any more. */
export async function fixIssue(
  request: FixRequest,
  ports: Ports,
): Promise<{ readonly run: AgentRun; readonly report: IssueReport | null } | null> {
  const { attempt, issue, session } = request
  const fixer = ports.agents.forRole('fixer')[0]
  if (!fixer) throw new Error('the role "fixer" has no agent')
  const workspace = await ports.workspaces.open({
    id: attempt.id,
    tree: attempt.from_tree,
    head: attempt.base.commit,
  })
  const prompt = await buildFixerPrompt(issue, session, ports, attempt)
  await ports.artifacts.write(session.id, `${issue.code}/round-${attempt.round}/prompt.md`, prompt)
  const run = await request.slots.run(request.stop, () =>
    fixer.agent.run({
      task: fixerTask(request, workspace.path),
      prompt,
      timeoutMs: fixer.timeoutMs,
      signal: request.signal,
      onSignal: (signal) => signal.type === 'text' && request.onText(signal.text),
    }),
  )
  if (!run) return null
  await ports.artifacts.write(session.id, `${issue.code}/round-${attempt.round}/answer.txt`, run.text)
  const report = run.ending.ended === 'finished' ? readFixerReport(run.text, [issue.code]) : null
  return { run, report: report?.issues.get(issue.code) ?? null }
}

/** The prompt a fixer gets for an issue, from the code of its round: also what a dry run prints. */
export async function buildFixerPrompt(
  issue: Issue,
  session: Pick<Session, 'base' | 'options'>,
  ports: Pick<Ports, 'trees' | 'inspector'>,
  round?: Pick<AttemptAt<'fixing'>, 'from_tree' | 'feedback' | 'rounds'>,
): Promise<string> {
  const code = issue.file
    ? await readText(ports.trees, round?.from_tree ?? session.base.tree, issue.file)
    : null
  const conventions = await readConventions(ports.trees, session.base.tree, {
    file: issue.file,
    configured: session.options.conventions,
  })
  const prompt = fixerPrompt({
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

function fixerTask({ attempt, issue, session }: FixRequest, workspace: string): AgentTask {
  return {
    role: 'fixer',
    access: 'write',
    round: attempt.round,
    issues: [issue],
    feedback: attempt.feedback,
    clarifications: { [issue.code]: [...issue.clarifications] },
    notes: session.options.notes,
    review: null,
    diff: attempt.rounds.at(-1)?.diff ?? null,
    verification: {
      commands: session.options.commands.map(({ name, run }) => ({ name, run })),
      result: null,
    },
    workspace,
    output_schema: fixerSchema(issue.code),
  }
}
