import { builtInRules } from '../../adapters/agents/rules/built-in-rules.ts'
import { proposeFixes } from '../../adapters/agents/rules/propose.ts'
import type { ExportWriter } from '../../adapters/exports/export-format.ts'
import { findExport } from '../../adapters/exports/formats.ts'
import { lineFixesOf, lineFixOfEdits, type LineFix } from '../../adapters/exports/line-fixes.ts'
import type { Trees } from '../../loop/ports.ts'
import { splitLines } from '../../loop/triage/anchor.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import type { IssueId } from '../../model/id.ts'
import { builtInAgent } from '../../model/config/written.ts'
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
  /** Called, before a long document is written, with the limits of its receiver. */
  readonly onLimit?: (limit: string) => void
}

export interface Exported {
  readonly issues: readonly Issue[]
  /** A JSON value, or text. */
  readonly document: object | string
  /** The parts of the document that its receiver may not take. */
  readonly warnings: readonly string[]
}

/** The issues of a repository as a document for other tools or for people. */
export async function exportIssues(
  app: App,
  { format, version, statuses, onLimit = () => undefined }: ExportRequest,
): Promise<Exported> {
  const writer = await findExport(format).load()
  const wanted = statuses ?? IssueStatus.options.filter((status) => writer.suits.has(status))
  const early = await limitBefore(app, writer, wanted)
  if (early !== null) onLimit(early)
  const issues = await chooseIssues(app, { all: true, statuses: wanted })
  const limit = early === null ? (writer.limitOf?.(issues) ?? null) : null
  if (limit !== null) onLimit(limit)
  const document = await writer.write(issues, {
    version,
    newestReview: async () => (await app.store.reviews.list(app.repository.id, 1))[0]?.id ?? null,
    readFixes: (of) => readFixes(app, of),
    readRules: async () => new Map(builtInRules.map((rule) => [rule.id, rule])),
  })
  return { issues, document, warnings: writer.warningsOf?.(issues, document) ?? [] }
}

/** Reading hundreds of thousands of issues takes a while, and some of them show how large the document will be. */
async function limitBefore(
  { store, repository }: App,
  { limitOf }: ExportWriter,
  status: readonly IssueStatus[],
): Promise<string | null> {
  if (!limitOf) return null
  const counts = await store.issues.count({ repositoryId: repository.id, status })
  const count = counts.reduce((sum, each) => sum + each.count, 0)
  if (count < fewIssues) return null
  const { issues } = await store.issues.list({ repositoryId: repository.id, status, limit: fewIssues })
  return limitOf(issues, count)
}
const fewIssues = 2_000

/** What landed, and what the rules would change for their issues that nobody has fixed. */
async function readFixes(
  app: App,
  issues: readonly Issue[],
): Promise<ReadonlyMap<IssueId, readonly LineFix[]>> {
  const landed = issues.filter(({ fix_commit_sha: commit }) => commit !== null)
  const raised = issues.filter(
    ({ fix_commit_sha: commit, flagged_by }) => commit === null && flagged_by.includes(builtInAgent),
  )
  if (landed.length + raised.length === 0) return new Map()
  const { trees } = await app.ports()
  const head = await resolveBase(app)
  return new Map([
    ...(await readLineFixes(trees, head, landed)),
    ...(await readProposals(trees, head, raised.slice(0, maxFixes))),
  ])
}

async function readProposals(
  trees: Trees,
  head: Revision,
  issues: readonly Issue[],
): Promise<ReadonlyMap<IssueId, readonly LineFix[]>> {
  if (issues.length === 0) return new Map()
  const files = new Set(issues.flatMap(({ file }) => file ?? []))
  const texts = new Map<string, string>()
  for (const [file, bytes] of await trees.readMany(head.tree, [...files]))
    texts.set(file, new TextDecoder().decode(bytes))
  const signal = AbortSignal.timeout(proposalsMs)
  const proposed = await proposeFixes(issues, texts, { rules: builtInRules, signal })
  return new Map(
    [...proposed].flatMap(([id, { file, text, edits }]) => {
      const fix = lineFixOfEdits(file, text, edits)
      return redactor.value(fix) === fix ? [[id, [fix]] as const] : []
    }),
  )
}

const maxDiffBytes = 200_000
/** Each needs the objects of a commit; a report with more fixes names their commits only. */
const maxFixes = 500
/** Nobody waits longer for a part that a report can do without. */
const proposalsMs = 20_000

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
