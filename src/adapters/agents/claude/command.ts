import type { AgentRequest } from '../../../loop/ports.ts'
import { keepsConversation } from '../../../model/agent/agent.ts'
import type { ModelPrice } from '../../../model/agent/price.ts'
import type { ProcessRequest } from '../../process/start-process.ts'
import type { CliOptions } from '../definition/setup.ts'
import { effortFor } from '../program/effort.ts'

export interface ClaudeOptions extends CliOptions {
  readonly maxTurns: number | null
  readonly prices: Readonly<Record<string, ModelPrice>>
}

type Asked = Pick<AgentRequest, 'task' | 'prompt' | 'conversation' | 'subagents' | 'budgetUsd'>

/** `/compact` shortens a conversation instead of continuing it; the words after it say what must be kept. */
export const isCompaction = ({ prompt, conversation }: Asked): boolean =>
  conversation?.fork === false && /^\/compact(\s|$)/.test(prompt)

const fixedArgs: readonly string[] = [
  '--print',
  '--output-format=stream-json',
  '--verbose',
  // Hooks, servers, memory and settings of a repository are not trusted; other arguments say what Claude may do.
  '--setting-sources=',
  '--strict-mcp-config',
]

/** Task → what to start. `newId` names the conversation that begins. */
export function claudeCommand(
  options: ClaudeOptions,
  asked: Asked,
  newId: string,
): Pick<ProcessRequest, 'command' | 'args' | 'cwd' | 'env' | 'stdin'> {
  const { task, prompt } = asked
  // A prompt must never be taken for a command of the CLI, whatever it begins with.
  const stdin = prompt.startsWith('/') && !isCompaction(asked) ? `\n${prompt}` : prompt
  return {
    command: options.program,
    args: [
      ...fixedArgs,
      ...(isCompaction(asked) ? [] : ['--disable-slash-commands']),
      ...permissionArgs(options, asked),
      ...modelArgs(options),
      ...conversationArgs(asked, newId),
      ...limitArgs(options, asked),
      ...(task.output_schema === null || isCompaction(asked)
        ? []
        : ['--json-schema', JSON.stringify(task.output_schema)]),
      ...options.args,
    ],
    cwd: task.workspace,
    env: environmentOf(options),
    stdin,
  }
}

const readTools = ['Read', 'Grep', 'Glob', 'Bash']
const writeTools = [...readTools, 'Edit', 'Write']

/**
 * Read access runs commands that only read; write access edits inside the workspace and runs the verification commands
 * of the configuration, nothing else. Whatever would need to be asked is refused.
 */
function permissionArgs({ permissions }: ClaudeOptions, { task, subagents = [] }: Asked): readonly string[] {
  const commands = task.verification?.commands ?? []
  const allow = task.access === 'write' ? commands.map(({ run }) => `Bash(${run})`) : []
  const tools = [
    ...(task.access === 'write' ? writeTools : readTools),
    ...(subagents.length > 0 ? ['Agent'] : []),
  ]
  const roleMode = task.access === 'write' ? 'acceptEdits' : 'dontAsk'
  const definitions = subagents.map(({ name, description, prompt }) => [name, { description, prompt }])
  return [
    `--permission-mode=${permissions === 'bypass' ? 'bypassPermissions' : roleMode}`,
    `--tools=${tools.join(',')}`,
    ...(allow.length > 0 ? ['--settings', JSON.stringify({ permissions: { allow } })] : []),
    ...(definitions.length > 0 ? ['--agents', JSON.stringify(Object.fromEntries(definitions))] : []),
  ]
}

/** Newer models think as hard as an effort says and take no budget; older ones take the budget. */
function modelArgs({ model, thinkingBudget }: ClaudeOptions): readonly string[] {
  return [
    ...(model === null ? [] : ['--model', model]),
    ...(thinkingBudget === null ? [] : ['--effort', effortFor(thinkingBudget)]),
  ]
}

function conversationArgs({ task, conversation }: Asked, newId: string): readonly string[] {
  if (conversation && !conversation.fork) return ['--resume', conversation.id]
  const begins = ['--session-id', newId]
  if (conversation) return ['--resume', conversation.id, '--fork-session', ...begins]
  return keepsConversation(task.role) ? begins : [...begins, '--no-session-persistence']
}

function limitArgs({ maxTurns }: ClaudeOptions, { budgetUsd }: Asked): readonly string[] {
  return [
    ...(maxTurns === null ? [] : ['--max-turns', String(maxTurns)]),
    ...(budgetUsd === undefined ? [] : ['--max-budget-usd', String(budgetUsd)]),
  ]
}

/** Enough to outlast a short failure in the middle of long work; Fixpoint itself waits out longer ones. */
const retries = '3'

const environmentOf = ({ env, thinkingBudget, configFolder }: ClaudeOptions): Record<string, string> => ({
  CLAUDE_CODE_MAX_RETRIES: retries,
  ...env,
  ...(configFolder === null ? {} : { CLAUDE_CONFIG_DIR: configFolder }),
  ...(thinkingBudget === null ? {} : { MAX_THINKING_TOKENS: String(thinkingBudget) }),
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
})
