import type { OriginAnswer, Origins, RaisedIssue, Scanners, Trees } from '../../loop/ports.ts'
import type { WrittenFinding } from '../../model/issue/finding.ts'

/** The configured scanners, each as a tool that can be asked again about what it raised. */
export const createScannerOrigins = (scanners: Scanners, trees: Trees): readonly Origins[] =>
  scanners.names.map((name) => ({
    async ask(issue, revision, { files, signal }) {
      if (!issue.flagged_by.some((source) => source.toLowerCase() === name.toLowerCase())) return null
      // A file that is gone is silent too, but that is no fix.
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

/** What the source suppresses counts too: to silence a tool is no fix. */
function findingsIn(
  findings: readonly WrittenFinding[],
  issue: RaisedIssue,
  files: readonly string[],
): OriginAnswer {
  const found = findings.filter(({ file }) => (file === null ? issue.file === null : files.includes(file)))
  const unread = found.find(({ category, rule }) => category === 'syntax-error' && rule !== issue.rule)
  return unread ? { unanswered: `${unread.file}: ${unread.title}` } : { found }
}
