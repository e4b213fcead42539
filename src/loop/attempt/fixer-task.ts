import type { AgentTask } from '../../model/agent/agent.ts'
import type { AttemptAt } from '../../model/attempt/attempt.ts'
import type { Issue } from '../../model/issue/issue.ts'
import type { Session } from '../../model/session/session.ts'
import { fixerSchema } from '../prompts/contracts.ts'

export interface FixerWork {
  readonly attempt: AttemptAt<'fixing'>
  readonly issue: Issue
  readonly session: Session
}

/** What a fixer is asked in one round. */
export function fixerTask({ attempt, issue, session }: FixerWork, workspace: string): AgentTask {
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
