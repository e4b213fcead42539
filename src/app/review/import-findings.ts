import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Mapping } from '../../adapters/findings/mapped/mapping.ts'
import { readReport, type Report } from '../../adapters/findings/read-report.ts'
import { followFixes } from '../../loop/triage/follow-fixes.ts'
import { respectIgnores } from '../../loop/triage/respect-ignores.ts'
import { revisitIssues, wakeIssues } from '../../loop/triage/revisit-issues.ts'
import { storeFindings } from '../../loop/triage/store-findings.ts'
import type { Revision } from '../../model/attempt/attempt.ts'
import type { WrittenFinding } from '../../model/issue/finding.ts'
import { Fault } from '../../model/fault.ts'
import { ReviewId } from '../../model/id.ts'
import type { Review } from '../../model/issue/review.ts'
import type { App } from '../open-app.ts'
import { resolveBase } from '../resolve-base.ts'
import { projectIgnores } from './change-base.ts'
import { countedFrom, findElsewhere, folderInside, type Elsewhere } from './report-folder.ts'
import type { Reviewed } from './review-repository.ts'
import { onlyCloneOf } from '../carry/only-clone.ts'

export interface ImportRequest {
  /** A path, or `-` for standard input. */
  readonly file: string
  /** What the report is called in messages, when not by its path. */
  readonly name?: string
  /** A format's name; recognised by content when it is null. */
  readonly format: string | null
  /** How to read JSON of a kind that has no reader. */
  readonly mapping?: Mapping
  /** What absolute paths in the report begin with, where it was made in another checkout; a folder of this one is where all its paths are counted from. */
  readonly root?: string
  readonly stdin: Readable
}

export interface Imported extends Omit<Reviewed, 'found'> {
  readonly format: Report['format']
  /** Why the report may not hold everything, in its own words. */
  readonly incomplete: readonly string[]
  /** What is said of files that are not in the revision. */
  readonly elsewhere: Elsewhere | null
}

/** Reads a report of another tool, and keeps what it says. */
export async function importFindings(app: App, request: ImportRequest): Promise<Imported> {
  const revision = await resolveBase(app)
  return keepFindings(app, await readRequested(app, request, revision), revision)
}

export async function readRequested(
  app: App,
  request: ImportRequest,
  revision: Revision,
): Promise<DatedReport> {
  const ports = await app.ports()
  // Only begun here: the commit's content is awaited once the report has been read.
  ports.trees.list(revision.tree).catch(() => undefined)
  const { content, madeAtMs } = await openReport(request)
  const root = request.root ?? app.git.root
  const report = await readReport(content, {
    root,
    sourceName: request.name ?? (request.file === '-' ? 'standard input' : request.file),
    format: request.format ?? undefined,
    mapping: request.mapping,
  })
  const folder = folderInside(app.git.root, root)
  const findings = folder === null ? report.findings : countedFrom(folder, report.findings)
  return { ...report, findings, madeAtMs }
}

/** The record of a report that was read. */
export async function reviewOfReport(app: App, report: Report, revision: Revision): Promise<Review> {
  const { ids, clock } = await app.ports()
  return {
    id: ReviewId.parse(ids.next('rev')),
    repository_id: app.repository.id,
    kind: 'import',
    commit: revision.commit,
    state: report.incomplete.length > 0 ? 'partial' : 'complete',
    reviewers: toolsOf(report),
    created_at: new Date(clock.now()).toISOString(),
  }
}

/** A report, and when it was made where that is known. */
type DatedReport = Omit<Report, 'findings'> & {
  readonly findings: WrittenFinding[]
  readonly madeAtMs?: number | undefined
}

/** Keeps what others found in a revision, whoever read it. The report's list is emptied: what is stored need not be kept. */
export async function keepFindings(app: App, report: DatedReport, revision: Revision): Promise<Imported> {
  const { format, incomplete } = report
  const count = report.findings.length
  const ports = await app.ports()
  const ignores = await projectIgnores(app)
  const head = await resolveBase(app)
  await wakeIssues(app.repository.id, ports)
  const review = await reviewOfReport(app, report, revision)
  const classes = app.loaded.config.classes
  const elsewhere = findElsewhere(report.findings, await ports.trees.list(revision.tree))
  const { discarded, ahead } = await followFixes(
    { repositoryId: app.repository.id, revision: head, clone: onlyCloneOf(app) },
    { ...ports, sessions: app.store.sessions },
  )
  const outcome = await storeFindings(
    {
      review,
      revision,
      findings: handedOver(report.findings),
      classes,
      discarded,
      ...(revision.commit === head.commit && { ahead }),
      madeAtMs: report.madeAtMs,
    },
    ports,
  )
  const stale = revision.commit === head.commit ? await revisitFew(app, revision) : 0
  return {
    ...outcome,
    review,
    findings: count,
    stale,
    absent: 0,
    shared: await respectIgnores(app.repository.id, ignores, ports),
    format,
    incomplete,
    elsewhere,
  }
}

/** The list is empty when all were taken. */
function* handedOver(findings: WrittenFinding[]): Generator<WrittenFinding> {
  yield* findings
  findings.length = 0
}

const maxTools = 100

function toolsOf({ findings }: Report): Review['reviewers'] {
  const counts = new Map<string, number>()
  for (const { source } of findings) counts.set(source.name, (counts.get(source.name) ?? 0) + 1)
  return [...counts]
    .slice(0, maxTools)
    .map(([agent, count]) => ({ agent, state: 'complete', reason: null, findings: count, coverage: null }))
}

/** Looks again at known issues, unless they are many: an import should take as long as its report, and a review looks at all. */
async function revisitFew(app: App, revision: Revision): Promise<number> {
  const ports = await app.ports()
  const counts = await ports.issues.count({ repositoryId: app.repository.id })
  const unresolved = counts.filter(({ status }) => status === 'open' || status === 'failed')
  const isMany = unresolved.reduce((sum, { count }) => sum + count, 0) > maxRevisited
  return isMany ? 0 : revisitIssues({ repositoryId: app.repository.id, revision }, ports)
}

const maxRevisited = 5_000

async function openReport({ file, stdin }: ImportRequest): Promise<{
  readonly content: Readable
  readonly madeAtMs?: number
}> {
  if (file === '-') return { content: stdin }
  const found = await stat(file).catch((cause: unknown) => {
    throw new Fault('input_invalid', `${file} cannot be read`, {
      cause,
      hint: 'Give the path of a report, or - for standard input.',
    })
  })
  // A pipe is read to its end, such as <(tool).
  if (!found.isFile() && !found.isFIFO() && !found.isCharacterDevice())
    throw new Fault('input_invalid', `${file} is not a file`)
  const content = createReadStream(file, { highWaterMark: 1024 * 1024 })
  return found.isFile() ? { content, madeAtMs: found.mtimeMs } : { content }
}
