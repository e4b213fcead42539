/** Something that was guessed from files, and from which. */
export interface Guess<Value> {
  readonly value: Value
  readonly why: string
}

export interface GuessedCommand {
  readonly name: string
  readonly run: string
  readonly paths: readonly string[]
  readonly why: string
}

export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun'

/** What a checkout looks like, by its files alone; nothing was run. */
export interface Detection {
  /** Most files first. */
  readonly languages: readonly Guess<string>[]
  readonly packageManager: Guess<PackageManager> | null
  /** Folders of the packages in a monorepo. */
  readonly workspaces: readonly Guess<string>[]
  readonly commands: readonly GuessedCommand[]
  readonly setup: Guess<string> | null
  readonly share: readonly Guess<string>[]
  readonly classes: { readonly BE: readonly Guess<string>[]; readonly FE: readonly Guess<string>[] }
  /** Agents on the PATH, with the file that was found. */
  readonly agents: readonly Guess<string>[]
  /** What was seen and left out on purpose, or could not be read. */
  readonly notes: readonly string[]
}

/** What one toolchain adds to a detection. */
export type Found = Pick<Detection, 'commands' | 'share' | 'notes'> & { readonly setup: Detection['setup'] }

export const nothingFound: Found = { commands: [], share: [], notes: [], setup: null }
