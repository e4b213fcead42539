import type { IssueId } from '../../model/id.ts'
import type { Issue, IssueStatus } from '../../model/issue/issue.ts'
import type { LineFix } from './line-fixes.ts'

/** A kind of document that issues can be exported as. The writer is loaded by those who write, not by every command. */
export interface ExportFormat {
  readonly name: string
  /** One line for help and documentation. */
  readonly description: string
  /** A forge takes it as what a scanner found. */
  readonly isUploadable?: boolean
  readonly load: () => Promise<ExportWriter>
}

export interface ExportWriter {
  /** Which issues the document holds where nobody chooses. */
  readonly suits: StatusChoice
  /** A JSON value, or text. */
  write(issues: readonly Issue[], sources: ExportSources): Promise<object | string>
  /** What can be said before a long document is written. */
  limitOf?(issues: readonly Issue[]): string | null
  /** The parts of the document that its receiver may not take. */
  warningsOf?(issues: readonly Issue[], document: object | string): readonly string[]
}

/** What a writer may ask for beside the issues. */
export interface ExportSources {
  /** Of this program. */
  readonly version: string
  /** The newest review: what it raised first is new, everything else was there before. */
  newestReview(): Promise<string | null>
  /** What was changed to fix issues, where the code still is as the fix found it, or what their rule would change. */
  readFixes(issues: readonly Issue[]): Promise<ReadonlyMap<IssueId, readonly LineFix[]>>
  /** What is known of the built-in rules, by their ids. */
  readRules(): Promise<ReadonlyMap<string, RuleText>>
}

/** What a rule says of itself. */
export interface RuleText {
  readonly why: string
  /** What to do instead. */
  readonly advice?: string
  readonly references?: readonly string[]
}

interface StatusChoice {
  /** For the documentation. */
  readonly words: string
  has(status: IssueStatus): boolean
}

/** For tools: what the code still holds. */
export const stillThere: StatusChoice = {
  words: 'all but merged and duplicate',
  has: (status) => status !== 'merged' && status !== 'duplicate',
}

export const unresolved: StatusChoice = {
  words: 'open, in progress, failed',
  has: (status) => status === 'open' || status === 'in_progress' || status === 'failed',
}

/** For people. */
export const everything: StatusChoice = { words: 'all', has: () => true }

/** Characters that terminals obey and that JSON does not escape. */
const unescaped = /[\u007F-\u009F\u200E\u200F\u2028-\u202E\u2066-\u2069]/g

/** A longer document is for programs only. */
const longestIndented = 2_000_000

/** A value as JSON text that is exact and harmless wherever it is shown; indented where a person may read it. */
export function formatJson(value: unknown): string {
  const compact = JSON.stringify(value)
  const text = compact.length > longestIndented ? compact : JSON.stringify(value, null, 2)
  return text.replaceAll(
    unescaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** A document as it is printed or written to a file. */
export const documentText = (document: object | string): string =>
  typeof document === 'string' ? document : `${formatJson(document)}\n`
