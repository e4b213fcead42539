import type { AgentTask } from '../model/agent/agent.ts'
import type { SessionOptions } from '../model/session/session.ts'

type Asked = Pick<AgentTask, 'role' | 'access' | 'round' | 'issues' | 'workspace' | 'output_schema'>

/** What an agent is asked about issues of which nothing has been tried yet. */
export const issueTask = (
  { role, access, round, issues, workspace, output_schema }: Asked,
  { notes, commands }: Pick<SessionOptions, 'notes' | 'commands'>,
): AgentTask => ({
  role,
  access,
  round,
  issues,
  feedback: [],
  clarifications: Object.fromEntries(issues.map((issue) => [issue.code, [...issue.clarifications]])),
  notes,
  review: null,
  diff: null,
  verification: { commands: commands.map(({ name, run }) => ({ name, run })), result: null },
  workspace,
  output_schema,
})
