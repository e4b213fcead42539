import { gzipSync } from 'node:zlib'
import { IssueStatus, type Issue } from '../../model/issue/issue.ts'
import { chooseIssues } from '../fix/choose-issues.ts'
import { resolveBase } from '../resolve-base.ts'
import type { App } from '../open-app.ts'
import { formatJson } from './json-text.ts'
import { readFixes } from './read-fixes.ts'
import { toGithub } from './to-github.ts'
import { toFindingsJson } from './to-json.ts'
import { toJunit } from './to-junit.ts'
import { toMarkdown } from './to-markdown.ts'
import { toRdjson } from './to-rdjson.ts'
import { toSarif } from './to-sarif.ts'

export const exportFormats = ['sarif', 'json', 'markdown', 'junit', 'github', 'rdjson'] as const
export type ExportFormat = (typeof exportFormats)[number]

export interface ExportRequest {
  readonly format: ExportFormat
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

const unresolved: readonly IssueStatus[] = ['open', 'in_progress', 'failed']
/** Reports for other tools hold what the code still holds; the ones for people hold everything. */
const stillThere = IssueStatus.options.filter((status) => status !== 'merged' && status !== 'duplicate')
const defaultStatuses: Readonly<Record<ExportFormat, readonly IssueStatus[]>> = {
  sarif: stillThere,
  json: stillThere,
  junit: stillThere,
  github: unresolved,
  rdjson: unresolved,
  markdown: IssueStatus.options,
}

/** The issues of a repository as a document for other tools or for people. */
export async function exportIssues(app: App, request: ExportRequest): Promise<Exported> {
  const statuses = request.statuses ?? defaultStatuses[request.format]
  const issues = await chooseIssues(app, { all: true, statuses })
  const document = await documentOf(app, issues, request)
  return { issues, document, warnings: warningsFor(request.format, issues, document) }
}

async function documentOf(
  app: App,
  issues: readonly Issue[],
  { format, version }: ExportRequest,
): Promise<object | string> {
  switch (format) {
    case 'sarif': {
      const [newest] = await app.store.reviews.list(app.repository.id, 1)
      const isFixed = issues.some((issue) => issue.fix_commit_sha !== null)
      const fixes = isFixed
        ? await readFixes((await app.ports()).trees, await resolveBase(app), issues)
        : new Map<never, never>()
      return toSarif(issues, { version, newestReview: newest?.id ?? null, fixes })
    }
    case 'json':
      return toFindingsJson(issues)
    case 'rdjson':
      return toRdjson(issues)
    case 'junit':
      return toJunit(issues)
    case 'github':
      return toGithub(issues)
    case 'markdown':
      return toMarkdown(issues)
  }
}

export const documentText = (document: object | string): string =>
  typeof document === 'string' ? document : `${formatJson(document)}\n`

/** What GitHub takes of one upload. */
const maxUploadBytes = 10_000_000
const maxRuns = 20
/** So many issues pack into less than that, whatever they say. */
const certainlyFits = 50_000
const annotationsShown = 10

function warningsFor(
  format: ExportFormat,
  issues: readonly Issue[],
  document: object | string,
): readonly string[] {
  const placeless = issues.filter(({ file }) => file === null).length
  if (format === 'rdjson' && placeless > 0)
    return [`${placeless} issues without a file are not in it: rdjson has no way to tell them`]
  if (format === 'github' && issues.length > annotationsShown)
    return [`GitHub shows ${annotationsShown} annotations of a kind for each step; --summary has them all`]
  if (format !== 'sarif') return []
  const isTooMany = (document as { runs: unknown[] }).runs.length > maxRuns
  const isTooLarge =
    issues.length > certainlyFits && gzipSync(JSON.stringify(document)).length > maxUploadBytes
  return isTooMany || isTooLarge
    ? ['this is more than GitHub code scanning takes in one upload; choose fewer with --status']
    : []
}
