/** What people with write permission can say in a comment on a pull request. */
export const commentCommands = [
  { name: 'review', takes: '', does: 'agents vote on this pull request, none knowing of the others' },
  {
    name: 'fix',
    takes: '[CODE…|all]',
    does: 'fixes its open review threads, the named issues, or all open issues in the files that it changes',
  },
  { name: 'approve', takes: 'CODE', does: 'lets a patch that waits for a person go on' },
  { name: 'reject', takes: 'CODE', does: 'sends a patch that waits for a person back' },
  { name: 'explain', takes: 'CODE', does: 'tells what an issue is about and what was tried' },
  { name: 'ignore', takes: 'CODE REASON', does: 'leaves an issue as it is, for a reason' },
  { name: 'retry', takes: '', does: 'starts again with what the last session here left' },
  { name: 'stop', takes: '', does: 'stops the sessions of this pull request; they can be resumed' },
  { name: 'help', takes: '', does: 'shows this list' },
] as const

interface CommandWords {
  readonly review: object
  readonly retry: object
  readonly stop: object
  readonly help: object
  readonly fix: { readonly codes: readonly string[]; readonly all: boolean }
  readonly approve: { readonly code: string }
  readonly explain: { readonly code: string }
  readonly reject: { readonly code: string; readonly reason: string }
  readonly ignore: { readonly code: string; readonly reason: string }
  /** Why it cannot be done as it is written. */
  readonly misread: { readonly why: string }
}

export type CommandNamed<Name extends keyof CommandWords> = CommandWords[Name] & { readonly name: Name }
export type CommentCommand = { [Name in keyof CommandWords]: CommandNamed<Name> }[keyof CommandWords]

const mostCodes = 50
const mostReason = 500
const isCode = (word: string): boolean => /^[a-z]{1,5}-\d{1,9}$/i.test(word)

/**
 * The command of a comment: its first line begins with `/fixpoint`. Quotes, code and what stands further below are
 * conversation; null for a comment that is nothing else.
 */
export function readCommentCommand(body: string): CommentCommand | null {
  const line = body.trimStart().split(/\r?\n/, 1)[0] ?? ''
  const written = /^\/fixpoint(?:\s+(.*))?$/.exec(line.slice(0, 4_000))
  if (!written) return null
  const [name = 'help', ...words] = (written[1] ?? '').trim().split(/\s+/).filter(Boolean)
  const known = commentCommands.find((command) => command.name === name.toLowerCase())
  if (!known) return { name: 'misread', why: 'there is no such command' }
  return readWords(known, words)
}

function readWords(
  { name, takes }: (typeof commentCommands)[number],
  words: readonly string[],
): CommentCommand {
  const misread: CommentCommand = {
    name: 'misread',
    why: `/fixpoint ${name} takes ${takes || 'nothing more'}`,
  }
  const [first = '', ...rest] = words
  const code = first.toUpperCase()
  switch (name) {
    case 'review':
    case 'retry':
    case 'stop':
    case 'help':
      return words.length === 0 ? { name } : misread
    case 'fix': {
      const all = words.length === 1 && first.toLowerCase() === 'all'
      if (!all && (!words.every(isCode) || words.length > mostCodes)) return misread
      return { name, all, codes: all ? [] : [...new Set(words.map((word) => word.toUpperCase()))] }
    }
    case 'approve':
    case 'explain':
      return isCode(first) && rest.length === 0 ? { name, code } : misread
    case 'reject':
      return isCode(first)
        ? { name, code, reason: rest.join(' ').slice(0, mostReason) || 'rejected in the pull request' }
        : misread
    case 'ignore':
      return isCode(first) && rest.length > 0
        ? { name, code, reason: rest.join(' ').slice(0, mostReason) }
        : misread
  }
}
