import type { Token } from '../../../model/syntax/tokens.ts'

export type Renames = ReadonlyMap<string, string>

/** Which variables must be called otherwise for the first to read like the second; null when that is not all. */
export function renamesBetween(before: readonly Token[], after: readonly Token[]): Renames | null {
  if (before.length !== after.length || before.length === 0) return null
  const renames = new Map<string, string>()
  for (const [index, old] of before.entries()) {
    const now = after[index]
    if (!now || now.kind !== old.kind) return null
    if (now.text === old.text) continue
    if (!isVariable(before, index) || !isVariable(after, index)) return null
    if ((renames.get(old.text) ?? now.text) !== now.text) return null
    renames.set(old.text, now.text)
  }
  return renames.size > 0 ? renames : null
}

/** Types, members, called functions, keys and arguments by name are part of what is tested. */
function isVariable(tokens: readonly Token[], index: number): boolean {
  const next = tokens[index + 1]?.text ?? ''
  const previous = tokens[index - 1]?.text ?? ''
  const token = tokens[index]
  if (token?.kind !== 'name' || /^\p{Lu}\p{L}*\p{Ll}/u.test(token.text)) return false
  return !/^[(:=]$/.test(next) && !/^(?:\.|->|::)$/.test(previous)
}

/** A variable was renamed when the old name is gone and the new one was not there. */
export function areRenamed(
  renames: Renames,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): boolean {
  return [...renames].every(([old, now]) => !after.has(old) && !before.has(now))
}
