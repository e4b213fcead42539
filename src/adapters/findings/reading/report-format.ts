import type { Fault } from '../../../model/fault.ts'
import type { Coverage } from '../../../model/issue/coverage.ts'
import type { WrittenFinding } from '../../../model/issue/finding.ts'

/** A kind of report. Its reader is loaded by those who read, not by every command. */
export interface ReportFormat {
  /** As `--format` takes it. */
  readonly name: string
  /** One line for help and documentation. */
  readonly description: string
  /** One finding per line: a report of nothing is an empty file. */
  readonly isByLine?: true
  readonly load: () => Promise<ReportReader>
}

export interface ReportReader {
  /** Whether a file that begins so is in this format. */
  recognise(beginning: Beginning): boolean
  /** Reads a report to its end, or fails as a whole. */
  read(source: AsyncIterable<Uint8Array>, reading: Reading): Promise<ReportEnd>
}

/** What the first bytes of a file show. */
export interface Beginning {
  readonly kind: ReportKind
  /** The names in the first JSON object, as far as the bytes go. */
  readonly keys: readonly string[]
  /** The first element of XML. */
  readonly root: string | null
  /** The beginning itself. */
  readonly text: string
}

export type ReportKind = 'object' | 'list' | 'xml' | 'text'

export interface Reading {
  readonly context: ReaderContext
  /** What the file begins with; a tool may have several ways to write. */
  readonly kind: ReportKind
  readonly limits: ReportLimits
}

/** What a report may take, whatever its format. */
export interface ReportLimits {
  readonly maxBytes: number
  readonly maxValueBytes: number
  readonly maxDepth: number
  readonly maxFindings: number
  /** Of the texts of all findings together: a short file can make long ones out of a rule's message. */
  readonly maxTextLength: number
}

/** What a format's reader is given. */
export interface ReaderContext {
  /** The repository's root, for absolute paths. */
  readonly root: string
  /** Who the findings are by when the file does not say. */
  readonly sourceName: string
  /** The format that a person asked for; null when it was recognised. */
  readonly askedFormat: string | null
  /** Counts one more claim; a report with too many is refused before they fill the memory. */
  readonly admit: () => void
  readonly add: (finding: WrittenFinding) => void
  readonly fail: (what: string, hint: string) => Fault
}

export interface ReportEnd {
  /** Entries that are no findings: passed, informational, gone since the baseline. */
  readonly notFindings: number
  /** Why the report may not tell all, such as a tool that says it failed. */
  readonly incomplete: readonly string[]
  readonly coverage: Coverage | null
}
