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
