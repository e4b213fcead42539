import type { AgentRequest, ModelKey } from '../../../loop/ports.ts'
import { keepsConversation, type AgentTask } from '../../../model/agent/agent.ts'
import type { ModelPrice } from '../../../model/agent/price.ts'
import type { ProcessRequest } from '../../process/start-process.ts'
import type { CliOptions } from '../definition/setup.ts'
import { effortFor } from '../program/effort.ts'

export interface CodexOptions extends CliOptions {
  /** By model: Codex reports tokens only. */
  readonly prices: Readonly<Record<string, ModelPrice>>
}

type Asked = Pick<AgentRequest, 'task' | 'prompt' | 'conversation' | 'subagents'>

/** Files that were written for one run. */
export interface CodexFiles {
  readonly schema: string | null
  /** One for each sub-agent, by its name. */
  readonly roles: ReadonlyMap<string, string>
  /**
   * The run's own folder for temporary files. With an older bubblewrap on the system, Codex needs links to itself in
   * its configuration folder. It refuses to make them below the folder for temporary files, and then no tool would run.
   */
  readonly temporary: string
}

/** Task → what to start. */
export function codexCommand(
  options: CodexOptions,
  asked: Asked,
  files: CodexFiles,
): Pick<ProcessRequest, 'command' | 'args' | 'cwd' | 'env' | 'stdin'> {
  const { task, prompt, conversation } = asked
  return {
    command: options.program,
    args: [
      'exec',
      ...(conversation ? [conversation.fork ? 'fork' : 'resume'] : []),
      ...fixedArgs,
      ...settings({ ...isolation(task), ...modelSettings(options), ...roleSettings(asked, files) }),
      ...jailSettings(options),
      // Its own sandbox cannot be made inside of the jail, which does the same.
      ...(options.permissions === 'bypass' || options.jail.state.isThere
        ? ['--dangerously-bypass-approvals-and-sandbox']
        : settings({ sandbox_mode: toml(task.access === 'write' ? 'workspace-write' : 'read-only') })),
      ...(options.model === null ? [] : ['--model', options.model]),
      ...(files.schema === null ? [] : ['--output-schema', files.schema]),
      ...(conversation || keepsConversation(task.role) ? [] : ['--ephemeral']),
      ...options.args,
      ...(conversation ? [conversation.id] : []),
      '-',
    ],
    cwd: task.workspace,
    env: {
      ...options.env,
      TMPDIR: files.temporary,
      ...(options.configFolder === null ? {} : { CODEX_HOME: options.configFolder }),
    },
    stdin: prompt,
  }
}

/**
 * With a key, Codex asks the service as a provider that Fixpoint defines: only then can it be told where the service
 * is.
 */
function jailSettings({ jail, env, args }: CodexOptions): readonly string[] {
  if (!jail.state.isThere || !env['CODEX_API_KEY'] || args.some((word) => word.includes('model_provider')))
    return []
  return settings({
    'model_providers.fixpoint':
      '{name="OpenAI",base_url="https://api.openai.com/v1",env_key="CODEX_API_KEY",wire_api="responses"}',
    model_provider: toml('fixpoint'),
  })
}

/** The keys that Codex gets. A provider that the person configured has its own key and its own address. */
export function keysFor({ args }: CodexOptions, keys: readonly ModelKey[]): readonly ModelKey[] {
  const own = args.flatMap((word) => {
    const baseUrl = /\bbase_url\s*=\s*"([^"]+)"/.exec(word)?.[1]
    const variable = /\benv_key\s*=\s*"(\w+)"/.exec(word)?.[1]
    return baseUrl === undefined || variable === undefined
      ? []
      : [{ variable, baseVariable: null, baseUrl, header: 'authorization', prefix: 'Bearer ' }]
  })
  return [...own, ...keys.filter(({ variable }) => !own.some((key) => key.variable === variable))]
}

const fixedArgs: readonly string[] = [
  '--json',
  '--skip-git-repo-check',
  '--ignore-user-config',
  '--disable=plugins',
  '--disable=apps',
]

/** Nothing that a repository brings along is trusted, and Codex talks to nothing but the model. */
const isolation = (task: AgentTask): Readonly<Record<string, string>> => ({
  'analytics.enabled': 'false',
  check_for_update_on_startup: 'false',
  approval_policy: toml('never'),
  web_search: toml('disabled'),
  project_doc_max_bytes: '0',
  // Set here, because Codex would otherwise record the folder as trusted in its own configuration.
  projects: `{${toml(task.workspace)}={trust_level="untrusted"}}`,
})

const modelSettings = ({ thinkingBudget }: CodexOptions): Readonly<Record<string, string>> =>
  thinkingBudget === null ? {} : { model_reasoning_effort: toml(effortFor(thinkingBudget)) }

const roleSettings = ({ subagents = [] }: Asked, { roles }: CodexFiles): Readonly<Record<string, string>> =>
  Object.fromEntries(
    subagents.map(({ name, description }) => [
      `agents.${name}`,
      `{description=${toml(description)},config_file=${toml(roles.get(name) ?? '')}}`,
    ]),
  )

const settings = (values: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(values).flatMap(([key, value]) => ['--config', `${key}=${value}`])

/** A text in TOML, which is JSON's notation but for one character. */
export const toml = (text: string): string => JSON.stringify(text).replaceAll('\u007F', String.raw`\u007f`)

type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The schema as the service demands it: every object closed, every property required, every choice with its type. Null
 * where that is impossible, as for objects with free keys.
 */
export function strictSchema(schema: Schema): Schema | null {
  if (schema['type'] === 'object') return strictObject(schema)
  if (schema['type'] === 'array') {
    const items = isSchema(schema['items']) ? strictSchema(schema['items']) : null
    return items && { ...schema, items }
  }
  const choices = schema['enum']
  if (schema['type'] === undefined && Array.isArray(choices))
    return choices.every((choice) => typeof choice === 'string') ? { type: 'string', ...schema } : null
  return typeof schema['type'] === 'string' ? schema : null
}

function strictObject(schema: Schema): Schema | null {
  const { properties, additionalProperties = false } = schema
  if (!isSchema(properties) || additionalProperties !== false) return null
  const strict: [string, Schema][] = []
  for (const [name, property] of Object.entries(properties)) {
    const inner = isSchema(property) ? strictSchema(property) : null
    if (inner === null) return null
    strict.push([name, inner])
  }
  return {
    ...schema,
    properties: Object.fromEntries(strict),
    required: strict.map(([name]) => name),
    additionalProperties: false,
  }
}
