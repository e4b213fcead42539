import type { CheckoutFiles } from './checkout.ts'

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

/** A linter of the project, as a scanner, with the built-in rules that it doubles. */
export interface OfferedScanner {
  readonly name: string
  readonly run: string
  readonly doubles: readonly string[]
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
  readonly scanners: readonly OfferedScanner[]
  readonly setup: Guess<string> | null
  readonly share: readonly Guess<string>[]
  readonly classes: { readonly BE: readonly Guess<string>[]; readonly FE: readonly Guess<string>[] }
  /** Files that were seen and left out on purpose, or could not be read. */
  readonly notes: readonly string[]
}

/** What one toolchain adds to a detection. */
export interface DetectedTools extends Pick<Detection, 'commands' | 'setup' | 'share' | 'notes'> {
  /** Folders that its own commands cover: the members of a monorepo. */
  readonly packages: readonly Guess<string>[]
}

export const nothingFound: DetectedTools = { commands: [], setup: null, share: [], notes: [], packages: [] }

/** Reads what one toolchain has in a folder; the root is the empty text. */
export type Detect = (checkout: CheckoutFiles, folder: string) => Promise<DetectedTools>

/** Everything that is known of one toolchain. */
export interface Toolchain {
  readonly name: string
  /** The names of the files that show a project of it. */
  readonly manifest: RegExp
  /** The names of the files that show that a project stands by itself. */
  readonly lock: RegExp
  readonly detect: Detect
}

export const guessCommand = (name: string, run: string, why: string): GuessedCommand => ({
  name,
  run,
  paths: [],
  why,
})

/** A word as a shell takes it whole. */
export const shellWord = (word: string): string =>
  /^[\w./@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
