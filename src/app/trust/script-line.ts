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
  /** Every `package.json` that there is. */
  readonly packages: () => Promise<readonly string[]>
}

/** The same, where what is outside counts as not there. */
export interface InnerSource extends Pick<ScriptSource, 'packages'> {
  readonly read: (path: string) => Promise<string | null>
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
}
