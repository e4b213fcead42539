import type { OriginAnswer, Origins, RaisedIssue, ScannerResult, Scanners, Trees } from '../../loop/ports.ts'
import type { WrittenFinding } from '../../model/issue/finding.ts'
import { runScanner, type Scanner, type ScannerOptions } from './run-scanner.ts'

export type { Scanner } from './run-scanner.ts'

/** Trees that are remembered: the base of each running session, and the patches of the last attempts. */
const remembered = 32

/** The configured scanners; a scanner looks at a tree once, however often it is asked. */
export function createScanners(scanners: readonly Scanner[], options: ScannerOptions): Scanners {
  const known = new Map<string, Promise<ScannerResult>>()
  const byName = new Map(scanners.map((scanner) => [scanner.name, scanner]))

  function remember(key: string, scan: Promise<ScannerResult>): Promise<ScannerResult> {
    known.set(key, scan)
    const [oldest] = known.keys()
    if (known.size > remembered && oldest !== undefined) known.delete(oldest)
    return scan
  }

  return {
    names: scanners.map(({ name }) => name),
    async scan(name, revision, signal) {
      const scanner = byName.get(name)
      if (!scanner) return { failed: `no scanner is called "${name}"` }
      const key = `${name}\0${revision.tree}`
      const earlier = await known.get(key)
      if (earlier && !('failed' in earlier)) return earlier
      const own = remember(key, runScanner(scanner, { revision, signal }, options))
      const scan = await own
      // A failure is not remembered: it may have been bad luck, or the cancellation of another caller.
      if ('failed' in scan && known.get(key) === own) known.delete(key)
      return scan
    },
  }
}

/** The configured scanners, each as a tool that can be asked again about what it raised. */
export const createScannerOrigins = (scanners: Scanners, trees: Trees): readonly Origins[] =>
  scanners.names.map((name) => ({
    async ask(issue, revision, { files, signal }) {
      if (!issue.flagged_by.some((source) => source.toLowerCase() === name.toLowerCase())) return null
      // A tool says nothing of a file that is gone, but that is no fix.
      if (issue.file && !(await trees.list(revision.tree)).has(issue.file))
        return { unanswered: `${issue.file} is not there any more` }
      const scan = await scanners.scan(name, revision, signal)
      if ('failed' in scan) return { unanswered: `${name}: ${scan.failed}` }
      const [reason] = scan.incomplete
      return reason === undefined
        ? findingsIn(scan.findings, issue, files)
        : { unanswered: `${name}: ${reason}` }
    },
  }))

/** Findings that the source suppresses count too: silencing a tool is no fix. */
function findingsIn(
  findings: readonly WrittenFinding[],
  issue: RaisedIssue,
  files: readonly string[],
): OriginAnswer {
  const found = findings.filter(({ file }) => (file === null ? issue.file === null : files.includes(file)))
  const unread = found.find(({ category, rule }) => category === 'syntax-error' && rule !== issue.rule)
  return unread ? { unanswered: `${unread.file}: ${unread.title}` } : { found }
}
