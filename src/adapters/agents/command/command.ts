import type { AgentTask } from '../../../model/agent/agent.ts'
import type { ProgramOptions } from '../definition/setup.ts'
import type { ProcessRequest } from '../../process/start-process.ts'

export type CommandLine = Pick<ProcessRequest, 'command' | 'shell' | 'cwd' | 'env' | 'stdin'>

/** Task → what to start: the prompt on stdin, the task in a file that `FIXPOINT_TASK` names. */
export function commandLine(
  options: ProgramOptions,
  task: AgentTask,
  given: { readonly prompt: string; readonly taskFile: string },
): CommandLine {
  return {
    command: options.run,
    shell: true,
    cwd: task.workspace,
    env: { ...options.env, FIXPOINT_TASK: given.taskFile },
    stdin: given.prompt,
  }
}
