import type { AgentTask } from '../../../model/agent/agent.ts'
import type { Jail } from '../../../loop/ports.ts'
import type { AgentCli } from '../definition/setup.ts'
import type { ProcessRequest } from '../../process/start-process.ts'

export interface CommandAgentOptions {
  readonly name: string
  /** The command line as the person wrote it in the configuration. */
  readonly run: string
  readonly model: string | null
  readonly env: Readonly<Record<string, string>>
  /** FIXPOINT_HOME: task files are put there while an agent runs, outside of every workspace. */
  readonly home: string
  readonly jail: Jail
  readonly allowedHosts: readonly string[]
  /** The CLIs that there are, of which the program may be one. */
  readonly clis: readonly AgentCli[]
}

export type CommandLine = Pick<ProcessRequest, 'command' | 'shell' | 'cwd' | 'env' | 'stdin'>

/** Task → what to start: the prompt on stdin, the task in a file that `FIXPOINT_TASK` names. */
export function commandLine(
  options: CommandAgentOptions,
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
