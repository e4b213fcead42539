import type { SubAgent } from '../../../loop/ports.ts'
import type { Access } from '../../../model/agent/agent.ts'
import { isRecord, type JsonObject } from '../../../model/json-text.ts'

export interface GeminiRun {
  readonly access: Access
  readonly model: string | null
  /** Files of this run: its own home, what its tools may do, where temporary files go. */
  readonly home: string
  /** Null when the person lets it do whatever it likes. */
  readonly policyFile: string | null
  readonly tmp: string
  readonly conversation: GeminiConversation | null
  /** More arguments, as the person configured them. */
  readonly args: readonly string[]
}

/** How an earlier conversation is continued: itself, or a copy made from its file. */
export type GeminiConversation = { readonly resume: string } | { readonly copyOf: string }

/** The arguments of one headless run; the prompt comes on stdin. */
export function geminiArguments(run: Omit<GeminiRun, 'home' | 'tmp'>): readonly string[] {
  const { access, model, policyFile, conversation, args } = run
  return [
    '--output-format',
    'stream-json',
    // The CLI does not ask whether to trust the folder; the repository's hooks, servers and agents stay off all the
    // same.
    '--skip-trust',
    '--approval-mode',
    ...(policyFile === null
      ? ['yolo']
      : [access === 'write' ? 'auto_edit' : 'default', '--policy', policyFile]),
    ...(model === null ? [] : ['--model', model]),
    ...conversationArguments(conversation),
    ...args,
  ]
}

function conversationArguments(conversation: GeminiConversation | null): readonly string[] {
  if (conversation === null) return []
  return 'resume' in conversation
    ? ['--resume', conversation.resume]
    : ['--session-file', conversation.copyOf]
}

export function geminiEnvironment(
  env: Readonly<Record<string, string>>,
  { home, tmp }: Pick<GeminiRun, 'home' | 'tmp'>,
): Readonly<Record<string, string>> {
  return {
    ...env,
    GEMINI_CLI_HOME: home,
    // Without it, the CLI starts itself again as a child and does not pass signals on.
    GEMINI_CLI_NO_RELAUNCH: 'true',
    // Reports about errors, with the prompt in them, go there.
    TMPDIR: tmp,
    NO_COLOR: '1',
  }
}

/** The mentions that the CLI sees in a prompt: `@` and what may be a path, a quoted one included. */
const mention = /(?<!\\)@((?:"[^"]*"|\\.|[^ \t\n\r,;!?()[\]{}.]|\.(?!$|[ \t\n\r]))+)/g
const builtInAgents = ['generalist', 'codebase_investigator', 'cli_help', 'browser_agent']

/**
 * The prompt as the CLI passes it on unchanged. It replaces `@name` by the file, folder or agent of that name, and code is
 * full of such words: those that would hit are written `\@name`.
 */
export function plainPrompt(prompt: string, means: (name: string) => boolean): string {
  const escaped = prompt.replaceAll(mention, (whole: string, name: string) =>
    means(unquoted(name)) || builtInAgents.includes(name) ? `\\${whole}` : whole,
  )
  // A prompt that begins with a slash is a command to it.
  return escaped.startsWith('/') ? `Task: ${escaped}` : escaped
}

const unquoted = (name: string): string => name.replaceAll(/\\(.)|"/g, '$1')

export interface GeminiSettings {
  readonly authType: string | null
  readonly model: string | null
  readonly thinkingBudget: number | null
  readonly maxTurns: number | null
}

/** The settings of a run: of the repository's and the person's own settings, only the way to log in counts. */
export function geminiSettings(given: GeminiSettings): JsonObject {
  const { authType, model, thinkingBudget, maxTurns } = given
  return {
    security: {
      ...(authType === null ? {} : { auth: { selectedType: authType } }),
      // Keys stay out of what the shell of the agent sees.
      environmentVariableRedaction: { enabled: true },
    },
    general: {
      // Fixpoint itself waits and tries again.
      maxAttempts: 1,
      retryFetchErrors: false,
      enableAutoUpdate: false,
      // The CLI's own cleaning removes a conversation that was continued in a later minute.
      sessionRetention: { enabled: false },
    },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ...(maxTurns === null ? {} : { model: { maxSessionTurns: maxTurns } }),
    advanced: { ignoreLocalEnv: true },
    // A word such as "@lib" in a prompt is code, not a request to search for such a file.
    context: { fileFiltering: { enableRecursiveFileSearch: false } },
    ...(model !== null && thinkingBudget !== null ? thinkingSettings(model, thinkingBudget) : {}),
  }
}

const lowThinking = 4_096

/** Models up to 2.5 take a number of tokens, later ones a level. */
function thinkingSettings(model: string, budget: number): JsonObject {
  const thinkingConfig = /^gemini-[12]\b/.test(model)
    ? { thinkingBudget: budget }
    : { thinkingLevel: budget < lowThinking ? 'LOW' : 'HIGH' }
  const modelConfig = { generateContentConfig: { thinkingConfig } }
  return { modelConfigs: { customOverrides: [{ match: { model }, modelConfig }] } }
}

/** How the person logs in: as their own settings say, else what the environment offers. */
export function authTypeOf(
  ownSettings: unknown,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const security = isRecord(ownSettings) ? ownSettings['security'] : null
  const auth = isRecord(security) ? security['auth'] : null
  const selected = isRecord(auth) ? auth['selectedType'] : null
  if (typeof selected === 'string' && selected !== '') return selected
  if (env['GOOGLE_GENAI_USE_GCA'] === 'true') return 'oauth-personal'
  if (env['GOOGLE_GENAI_USE_VERTEXAI'] === 'true') return 'vertex-ai'
  return env['GEMINI_API_KEY'] ? 'gemini-api-key' : null
}

const readingTools = ['read_file', 'read_many_files', 'list_directory', 'glob', 'grep_search']
const planningTools = ['update_topic', 'write_todos']
const writingTools = ['replace', 'write_file', 'run_shell_command']

/**
 * The CLI's policy file for a role: what is not named is not even offered to the model. With write access a shell is
 * allowed, so that the agent can run the checks; it runs where those checks run anyway.
 */
export function geminiPolicy(access: Access, subagents: readonly SubAgent[]): string {
  const allowed = [
    ...readingTools,
    ...planningTools,
    ...(access === 'write' ? writingTools : []),
    ...(subagents.length > 0 ? ['invoke_agent', 'complete_task'] : []),
  ]
  return [rule(allowed, 'allow', 100), rule(['*'], 'deny', 1)].join('\n')
}

const rule = (tools: readonly string[], decision: string, priority: number): string =>
  `[[rule]]\ntoolName = ${JSON.stringify(tools.length === 1 ? tools[0] : tools)}\ndecision = "${decision}"\npriority = ${priority}\n`

interface SubAgentFile {
  readonly file: string
  readonly text: string
}

/** The file by which the CLI knows a sub-agent; JSON strings are YAML strings. */
export const subAgentFile = ({ name, description, prompt }: SubAgent): SubAgentFile => ({
  file: `${name.replaceAll(/[^\w-]/g, '-')}.md`,
  text: `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n---\n${prompt}\n`,
})
