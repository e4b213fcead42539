import type { AgentTask } from '../../model/agent/agent.ts'
import type { AttemptAt } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Session } from '../../model/session/session.ts'
import { issueTask } from '../issue-task.ts'
import { fixerSchema } from '../prompts/contracts.ts'

export interface FixerWork {
  readonly attempt: AttemptAt<'fixing'>
  readonly issue: Issue
  readonly session: Session
}

/** What a fixer is asked in one round. */
export function fixerTask({ attempt, issue, session }: FixerWork, workspace: string): AgentTask {
  const asked = {
    role: 'fixer',
    access: 'write',
    round: attempt.round,
    issues: [issue],
    workspace,
    output_schema: fixerSchema(issue.code),
  } as const
  return {
    ...issueTask(asked, session.options),
    feedback: attempt.feedback,
    diff: attempt.rounds.at(-1)?.diff ?? null,
  }
}
