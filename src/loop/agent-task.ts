import type { AgentTask } from '../model/agent/agent.ts'
import type { SessionOptions } from '../model/session/session.ts'

type Always = Pick<AgentTask, 'role' | 'access' | 'round' | 'issues' | 'workspace' | 'output_schema'>
type AtTimes = Partial<Pick<AgentTask, 'feedback' | 'notes' | 'review' | 'diff' | 'verification'>>

/** The task of an agent; a field that is not given is empty. */
export const agentTask = ({
  role,
  access,
  round,
  issues,
  feedback = [],
  notes = null,
  review = null,
  diff = null,
  verification = null,
  workspace,
  output_schema,
}: Always & AtTimes): AgentTask => ({
  role,
  access,
  round,
  issues,
  feedback,
  clarifications: Object.fromEntries(issues.map((issue) => [issue.code, [...issue.clarifications]])),
  notes,
  review,
  diff,
  verification,
  workspace,
  output_schema,
})

/** The commands that a fix will be verified with, before there is a result. */
export const plannedVerification = ({
  commands,
}: Pick<SessionOptions, 'commands'>): AgentTask['verification'] => ({
  commands: commands.map(({ name, run }) => ({ name, run })),
  result: null,
})
