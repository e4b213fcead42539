import type { Access } from '../../../model/agent/agent.ts'

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

/** How an earlier conversation is gone on with: itself, or a copy made from its file. */
export type GeminiConversation = { readonly resume: string } | { readonly copyOf: string }

/** The arguments of one headless run; the prompt comes on stdin. */
export function geminiArguments(run: Omit<GeminiRun, 'home' | 'tmp'>): readonly string[] {
  const { access, model, policyFile, conversation, args } = run
  return [
    '--output-format',
    'stream-json',
    // Not asked whether to trust the folder; hooks, servers and agents of the repository stay off all the same.
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
    // It would start itself again as a child and not pass signals on.
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
