import { findExport } from '../../adapters/exports/formats.ts'
import { lineFixesOf, type LineFix } from '../../adapters/exports/line-fixes.ts'
import type { Trees } from '../../loop/ports.ts'
import { splitLines } from '../../loop/triage/anchor.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import type { IssueId } from '../../model/id.ts'
import { IssueStatus, type Issue } from '../../model/issue/issue.ts'
import { chooseIssues } from '../fix/choose-issues.ts'
import type { App } from '../open-app.ts'
import { redactor } from '../redact/redact-exits.ts'
import { resolveBase } from '../resolve-base.ts'

export interface ExportRequest {
  /** The name of an export. */
  readonly format: string
  /** What is exported; without it, what suits the format. */
  readonly statuses?: readonly IssueStatus[]
  /** Of this program, which SARIF names. */
  readonly version: string
}

export interface Exported {
  readonly issues: readonly Issue[]
  /** A JSON value, or text. */
  readonly document: object | string
  /** What the receiver of the document may stumble over. */
  readonly warnings: readonly string[]
}

/** The issues of a repository as a document for other tools or for people. */
export async function exportIssues(
  app: App,
  { format, version, statuses }: ExportRequest,
): Promise<Exported> {
  const writer = await findExport(format).load()
  const issues = await chooseIssues(app, {
    all: true,
    statuses: statuses ?? IssueStatus.options.filter((status) => writer.suits.has(status)),
  })
  const document = await writer.write(issues, {
    version,
    newestReview: async () => (await app.store.reviews.list(app.repository.id, 1))[0]?.id ?? null,
    readFixes: async (of) => {
      const fixed = of.filter(({ fix_commit_sha: commit }) => commit !== null)
      return fixed.length === 0
        ? new Map()
        : readLineFixes((await app.ports()).trees, await resolveBase(app), fixed)
    },
  })
  return { issues, document, warnings: writer.warningsOf?.(issues, document) ?? [] }
}

const maxDiffBytes = 200_000
/** Each needs the objects of a commit; a report with more fixes names their commits only. */
const maxFixes = 500

/** What was changed to fix issues, where the code of `head` still is as the fix found it. */
async function readLineFixes(
  trees: Trees,
  head: Revision,
  fixed: readonly Issue[],
): Promise<ReadonlyMap<IssueId, readonly LineFix[]>> {
  const fixes = new Map<IssueId, readonly LineFix[]>()
  for (const issue of fixed.slice(0, maxFixes)) {
    const diff = await diffOf(trees, issue.fix_commit_sha ?? '')
    if (diff === null) continue
    const files = await trees.readMany(head.tree, issue.fix_files_modified)
    const linesOf = (file: string) => {
      const bytes = files.get(file)
      return bytes === undefined ? null : splitLines(new TextDecoder().decode(bytes))
    }
    const found = lineFixesOf(diff, linesOf)
    // A fix with a mark in it could not be applied, so one that holds a secret is left out.
    if (found && redactor.value(found) === found) fixes.set(issue.id, found)
  }
  return fixes
}

/** Null when the commit is gone, has no parent, or changes too much to be shown. */
async function diffOf(trees: Trees, commit: string): Promise<string | null> {
  const [fixed, before] = [await trees.resolve(commit), await trees.resolve(`${commit}^`)]
  if (!fixed || !before) return null
  const diff = await trees.diff(before.tree, fixed.tree, maxDiffBytes)
  return diff.length < maxDiffBytes ? diff : null
}
