import type { Revision } from '../../model/attempt/attempt.ts'
import type { Finding, WrittenFinding } from '../../model/issue/finding.ts'
import type { FindingId, IssueId, TreeId } from '../../model/id.ts'
import type { Issue, IssueClass } from '../../model/issue/issue.ts'
import { foldersAbove } from '../../model/repository-path.ts'
import type { Review } from '../../model/issue/review.ts'
import { anchorFinding, splitLines, type FindingIdentity } from './anchor.ts'
import { createClassifier, isBrowserPackage } from './classify.ts'
import type { Ports } from '../ports.ts'
import { locateCode } from './revisit.ts'
import { planTriage } from './plan-triage.ts'

export interface FindingsRequest {
  readonly review: Review
  readonly revision: Revision
  /** What is committed, where the reviewed code is not. */
  readonly committed?: TreeId
  readonly findings: readonly WrittenFinding[]
  readonly classes: Readonly<Record<IssueClass, readonly string[]>>
}

/** How much is stored in one transaction, and in memory for it; findings of one file always stay together. */
const findingsAtOnce = 8_000
const filesAtOnce = 400

export interface StoredFindings {
  readonly created: number
  readonly changed: number
}

/** Ties findings to the code they cite, and merges them with what is known. Storing the same ones again changes nothing. */
export async function storeFindings(request: FindingsRequest, ports: Ports): Promise<StoredFindings> {
  const { review, revision } = request
  const classOf = createClassifier({
    classes: request.classes,
    hasBrowserDependency: await browserPackages(request.findings, revision, ports),
  })
  const files = await ports.trees.list(revision.tree)
  const readFiles = (batch: Batch | undefined) =>
    ports.trees.readMany(revision.tree, batch ? filesOf(batch) : [])
  const store = (findings: readonly Finding[]) => {
    const now = new Date(ports.clock.now()).toISOString()
    const nextId = () => ports.ids.next('iss') as IssueId
    const newIssue = { repositoryId: review.repository_id, nextId, now, classOf }
    const fileExists = (path: string) => files.has(path)
    const plan = (known: readonly Issue[]) => planTriage({ findings, known, fileExists, newIssue })
    return ports.issues.triage({ review, findings, plan })
  }
  const batches = batchesOf(request.findings)
  let texts = await readFiles(batches[0])
  let created = 0
  let changed = 0
  for (const [index, batch] of batches.entries()) {
    const anchored = anchorAll(batch, texts, { reviewId: review.id, ...ports })
    const findings = request.committed
      ? markUncommitted(anchored, await ports.trees.readMany(request.committed, filesOf(batch)))
      : anchored
    // The next files are read while these findings are stored.
    const [outcome, nextTexts] = await Promise.all([store(findings), readFiles(batches[index + 1])])
    texts = nextTexts
    created += outcome.created.length
    changed += outcome.changed.length
  }
  return { created, changed }
}

/** Findings by file. */
type Batch = Map<string | null, readonly WrittenFinding[]>

/** Findings in batches of whole files, in the order in which files first appear; one batch also when there are none. */
function batchesOf(findings: readonly WrittenFinding[]): readonly Batch[] {
  let last: Batch = new Map()
  let count = 0
  const batches = [last]
  for (const [file, ofFile] of Map.groupBy(findings, (finding) => finding.file)) {
    if (last.size >= filesAtOnce || (count > 0 && count + ofFile.length > findingsAtOnce)) {
      batches.push((last = new Map()))
      count = 0
    }
    last.set(file, ofFile)
    count += ofFile.length
  }
  return batches
}

const filesOf = (batch: Batch): readonly string[] => [...batch.keys()].filter((file) => file !== null)

function anchorAll(
  batch: Batch,
  texts: ReadonlyMap<string, Uint8Array>,
  { reviewId, ids, hash }: Pick<FindingIdentity, 'reviewId'> & Pick<Ports, 'ids' | 'hash'>,
): readonly Finding[] {
  const anchored: Finding[] = []
  const decoder = new TextDecoder()
  for (const [file, claims] of batch) {
    const bytes = file === null ? undefined : texts.get(file)
    const lines = bytes ? splitLines(decoder.decode(bytes)) : null
    for (const claim of claims)
      anchored.push(anchorFinding(claim, lines, { id: ids.next('fnd') as FindingId, reviewId, hash }))
  }
  return anchored
}

/** What is said of code that no commit holds yet cannot be fixed from a commit, and is marked. */
function markUncommitted(
  findings: readonly Finding[],
  committed: ReadonlyMap<string, Uint8Array>,
): readonly Finding[] {
  const decoder = new TextDecoder()
  const lines = new Map([...committed].map(([file, bytes]) => [file, splitLines(decoder.decode(bytes))]))
  return findings.map((finding) => {
    const { anchor, file, line, current_code: code } = finding
    if (anchor !== 'exact' || file === null) return finding
    const there = lines.get(file)
    const isCommitted =
      there !== undefined && (code === null || line === null || locateCode(code, line, there) !== null)
    return isCommitted ? finding : { ...finding, anchor: 'uncommitted' }
  })
}

/** Reads the package.json files above the findings' files; the nearest one above a path decides. */
async function browserPackages(
  findings: readonly WrittenFinding[],
  revision: Revision,
  ports: Ports,
): Promise<(path: string) => boolean> {
  const files = new Set(findings.map(({ file }) => file).filter((file) => file !== null))
  const folders = new Set([...files].flatMap(foldersAbove))
  const texts = await ports.trees.readMany(
    revision.tree,
    [...folders].map((folder) => `${folder}package.json`),
  )
  const isBrowser = new Map(
    [...texts].map(([path, bytes]) => [path, isBrowserPackage(new TextDecoder().decode(bytes))]),
  )
  return (path) => {
    const nearest = foldersAbove(path).find((folder) => isBrowser.has(`${folder}package.json`))
    return nearest !== undefined && isBrowser.get(`${nearest}package.json`) === true
  }
}
