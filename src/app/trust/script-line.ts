import { posix } from 'node:path'

/** Stands for a file that is not the repository's, which nobody is shown. */
export const outside = Symbol('outside')

/** Where a name leads that is used in a folder. */
export const pathSeenFrom = (folder: string, name: string): string =>
  posix.normalize(posix.isAbsolute(name) ? name : posix.join(folder, name))

/** Files that a command's words lead to: those of a commit, or of the checkout. */
export interface ScriptSource {
  /** Null when there is no such file. */
  readonly read: (path: string) => Promise<string | typeof outside | null>
  /** The names in a folder; none when there is no such folder. */
  readonly list: (folder: string) => Promise<readonly string[] | typeof outside>
  /** Tells one content of a file from another; null when there is no such file inside of the repository. */
  readonly digest: (path: string) => Promise<string | null>
  /** Whether others may see what the file holds: one that is in no commit may hold the person's keys. */
  readonly isShown: (path: string) => Promise<boolean>
  /** Every file of these names that there is. */
  readonly everywhere: (names: readonly string[]) => Promise<readonly string[]>
}

/** The same, where what is outside counts as not there. */
export interface InnerSource extends Omit<ScriptSource, 'read' | 'list'> {
  readonly read: (path: string) => Promise<string | null>
  readonly list: (folder: string) => Promise<readonly string[]>
  /** Takes note of what could not be looked at, and why. */
  readonly passOver: (file: string, why: string) => void
}

/** One line that a command would run without saying so itself: where it stands, its name there, and the line. */
export interface ScriptLine {
  readonly file: string
  readonly name: string
  readonly line: string
}

/** A line, and the folder that it would run in. */
export interface FoundLine extends ScriptLine {
  readonly folder: string
  /** What runs, where the line only tells one content of a file from another. */
  readonly runs?: string
}
