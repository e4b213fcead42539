import type { Access } from '../../../model/agent/agent.ts'

const readingTools = ['read_file', 'read_many_files', 'list_directory', 'glob', 'grep_search']
const planningTools = ['update_topic', 'write_todos']
const writingTools = ['replace', 'write_file', 'run_shell_command']

/**
 * The CLI's policy file for a role: what is not named is not even offered to the model. With write access a shell is
 * allowed, so that the agent can run the checks; it runs where those checks run anyway.
 */
export function geminiPolicy(access: Access, hasSubagents: boolean): string {
  const allowed = [
    ...readingTools,
    ...planningTools,
    ...(access === 'write' ? writingTools : []),
    ...(hasSubagents ? ['invoke_agent', 'complete_task'] : []),
  ]
  return [rule(allowed, 'allow', 100), rule(['*'], 'deny', 1)].join('\n')
}

const rule = (tools: readonly string[], decision: string, priority: number): string =>
  `[[rule]]\ntoolName = ${JSON.stringify(tools.length === 1 ? tools[0] : tools)}\ndecision = "${decision}"\npriority = ${priority}\n`
