import { Fault } from '../../model/fault.ts'
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
  /** What can be said before a long document is written, or read: of all its issues, or of some that stand for `count`. */
  limitOf?(issues: readonly Issue[], count?: number): string | null
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
  return harmless(text)
}

const harmless = (json: string): string =>
  json.replaceAll(unescaped, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A document as it is printed or uploaded. */
export function documentText(document: object | string): string {
  if (typeof document === 'string') return document
  try {
    return `${formatJson(document)}\n`
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new Fault('usage', 'the document is longer than a text can be', {
      cause,
      hint: 'Write it to a file with --output, or choose fewer issues with --status.',
    })
  }
}

/** A document as it is written to a file: long lists come in parts, because no text can be longer than 512 MB. */
export function* documentParts(document: object | string): Generator<string> {
  if (typeof document === 'string' || !isLong(document)) yield documentText(document)
  else {
    yield* jsonParts(document)
    yield '\n'
  }
}

const longList = 1_000
const atOnce = 500

/** Whether a value is a long list, or has one inside. */
const isLong = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ((Array.isArray(value) && value.length > longList) || Object.values(value).some(isLong))

/** What `JSON.stringify` gives for a value that holds long lists of short members. */
function* jsonParts(value: object): Generator<string> {
  if (!Array.isArray(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined)
    for (const [index, [name, member]] of members.entries()) {
      yield `${index === 0 ? '{' : ','}${harmless(JSON.stringify(name))}:`
      if (isLong(member)) yield* jsonParts(member as object)
      else yield harmless(JSON.stringify(member))
    }
    yield '}'
  } else if (value.some(isLong)) {
    for (const [index, member] of value.entries()) {
      yield index === 0 ? '[' : ','
      if (isLong(member)) yield* jsonParts(member as object)
      else yield harmless(JSON.stringify(member))
    }
    yield ']'
  } else {
    for (let from = 0; from < value.length; from += atOnce)
      yield (from === 0 ? '[' : ',') + harmless(JSON.stringify(value.slice(from, from + atOnce)).slice(1, -1))
    yield ']'
  }
}
