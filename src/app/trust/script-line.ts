/** Files that a command's words lead to: those of a commit, or of the checkout. */
export interface ScriptSource {
  /** Null when there is no such file. */
  readonly read: (path: string) => Promise<string | null>
  /** Every `package.json` that there is. */
  readonly packages: () => Promise<readonly string[]>
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
