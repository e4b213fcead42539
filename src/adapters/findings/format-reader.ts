import type { Fault } from '../../model/fault.ts'
import type { WrittenFinding } from '../../model/issue/finding.ts'
import type { Coverage } from '../../model/issue/coverage.ts'
import type { JsonVisitor } from './json/json-splitter.ts'

/** What a format's reader is given. */
export interface ReaderContext {
  /** The repository's root, for absolute paths. */
  readonly root: string
  /** Who the findings are by when the file does not say. */
  readonly sourceName: string
  /** Counts one more claim; a report with too many is refused before they fill the memory. */
  readonly admit: () => void
  readonly add: (finding: WrittenFinding) => void
  readonly fail: (what: string, hint: string) => Fault
}

/** Reads one format out of the parts of a file, in whatever order they come. */
export interface FormatReader extends JsonVisitor {
  /** Called at the end of a file that was read to its end. */
  finish(): ReportEnd
}

export interface ReportEnd {
  /** Entries that are no findings: passed, informational, gone since the baseline. */
  readonly notFindings: number
  /** Why the report may not tell all, such as a tool that says it failed. */
  readonly incomplete: readonly string[]
  readonly coverage: Coverage | null
}
