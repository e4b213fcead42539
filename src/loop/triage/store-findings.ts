import type { Revision } from '../../model/attempt/attempt.ts'
import type { Finding, WrittenFinding } from '../../model/issue/finding.ts'
import type { FindingId, IssueId, SessionId, TreeId } from '../../model/id.ts'
import type { IssueClass } from '../../model/issue/issue.ts'
import { foldersAbove } from '../../model/repository-path.ts'
import type { Review } from '../../model/issue/review.ts'
import { anchorFinding, splitLines, type FindingIdentity } from './anchor.ts'
import { createClassifier, isBrowserPackage } from './classify.ts'
import type { Ports, TriagePart } from '../ports.ts'
import { locateCode } from './revisit.ts'
import { planTriage } from './plan-triage.ts'

export interface FindingsRequest {
  readonly review: Review
  readonly revision: Revision
  /** The committed revision, where the reviewed code is not committed. */
  readonly committed?: TreeId
  /** Gone through once: who hands over an iterator keeps none of them, and those that are stored make room. */
  readonly findings: Iterable<WrittenFinding>
  readonly classes: Readonly<Record<IssueClass, readonly string[]>>
  /** Fixed issues whose fix is on no branch any more. */
  readonly discarded?: ReadonlySet<IssueId>
  /** Sessions whose fixes the revision cannot hold yet. */
  readonly ahead?: ReadonlySet<SessionId>
  /** When the report was made, where that is known. */
  readonly madeAtMs?: number | undefined
  /** Hears the issues that the findings belong to, part by part. */
  readonly onRaised?: (issues: readonly IssueId[]) => void
}

/** How many are planned, and kept in memory, at once; the findings of one file always stay together. */
const findingsAtOnce = 1_000
const filesAtOnce = 100
/** How many batches one transaction stores; other writers wait for it. */
const batchesAtOnce = 32

export interface StoredFindings {
  readonly created: number
  readonly changed: number
}

type FindingsPorts = Pick<Ports, 'ids' | 'hash'> & {
  readonly trees: Pick<Ports['trees'], 'list' | 'readMany'>
  readonly issues: Pick<Ports['issues'], 'triage'>
  readonly clock: Pick<Ports['clock'], 'now'>
}

/** Ties findings to the code they cite, and merges them with the known issues. Storing the same findings again changes nothing. */
export async function storeFindings(request: FindingsRequest, ports: FindingsPorts): Promise<StoredFindings> {
  const { review, revision } = request
  const byFile = Map.groupBy(request.findings, (finding) => finding.file)
  const classOf = createClassifier({
    classes: request.classes,
    hasBrowserDependency: await browserPackages(byFile.keys(), revision, ports),
  })
  const files = await ports.trees.list(revision.tree)
  const newIssue = {
    repositoryId: review.repository_id,
    nextId: () => ports.ids.next('iss') as IssueId,
    now: new Date(ports.clock.now()).toISOString(),
    classOf,
  }
  const fileExists = (path: string) => files.has(path)
  const { discarded, ahead, madeAtMs, onRaised } = request
  const became = { ...(discarded && { discarded }), ...(ahead && { ahead }), madeAtMs }
  const anchor = async (batch: Batch): Promise<TriagePart> => ({
    findings: await anchorBatch(batch, request, ports),
    plan(known, findings, voicesOf) {
      const planned = planTriage({ findings, known, voicesOf, fileExists, newIssue, ...became })
      onRaised?.(planned.issueOf)
      return planned
    },
  })
  let created = 0
  let changed = 0
  for (const batches of transactionsOf(batchesOf(byFile))) {
    const count = batches.reduce((sum, batch) => sum + sizeOf(batch), 0)
    const outcome = await ports.issues.triage({ review, count, parts: inTurn(batches, anchor) })
    created += outcome.created
    changed += outcome.changed
  }
  return { created, changed }
}

/** Makes something of each item in turn; the next one is made while the caller works with the last. */
function inTurn<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Promise<Made>,
): AsyncIterable<Made> {
  const begin = (item: Item | undefined): Promise<Made> | undefined => {
    const made = item && make(item)
    // The failure is thrown where the promise is awaited.
    made?.catch(() => undefined)
    return made
  }
  let next = begin(items[0])
  return (async function* () {
    for (let index = 1; next; index += 1) {
      const made = await next
      next = begin(items[index])
      yield made
    }
  })()
}

async function anchorBatch(
  batch: Batch,
  { review, revision, committed }: FindingsRequest,
  ports: FindingsPorts,
): Promise<readonly Finding[]> {
  const files = filesOf(batch)
  const texts = await ports.trees.readMany(revision.tree, files)
  const anchored = anchorAll(batch, texts, { reviewId: review.id, ...ports })
  batch.clear()
  return committed ? markUncommitted(anchored, await ports.trees.readMany(committed, files)) : anchored
}

/** Findings by file. */
type Batch = Map<string | null, readonly WrittenFinding[]>

/** Findings in batches of whole files, in the order in which files first appear; one batch also when there are none. */
function batchesOf(byFile: Batch): readonly Batch[] {
  let last: Batch = new Map()
  let count = 0
  const batches = [last]
  for (const [file, ofFile] of byFile) {
    if (last.size >= filesAtOnce || (count > 0 && count + ofFile.length > findingsAtOnce)) {
      batches.push((last = new Map()))
      count = 0
    }
    last.set(file, ofFile)
    count += ofFile.length
  }
  byFile.clear()
  return batches
}

const transactionsOf = (batches: readonly Batch[]): readonly (readonly Batch[])[] =>
  Array.from({ length: Math.ceil(batches.length / batchesAtOnce) }, (_, index) =>
    batches.slice(index * batchesAtOnce, (index + 1) * batchesAtOnce),
  )

const sizeOf = (batch: Batch): number => batch.values().reduce((sum, ofFile) => sum + ofFile.length, 0)

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

/** Marks findings about code that no commit holds yet: they cannot be fixed from a commit. */
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
      there !== undefined &&
      (code === null || line === null || locateCode(code, line, { lines: there }) !== null)
    return isCommitted ? finding : { ...finding, anchor: 'uncommitted' }
  })
}

/** Reads the package.json files above the findings' files; the nearest one above a path decides. */
async function browserPackages(
  cited: Iterable<string | null>,
  revision: Revision,
  { trees }: Pick<FindingsPorts, 'trees'>,
): Promise<(path: string) => boolean> {
  const folders = new Set([...cited].flatMap((file) => (file === null ? [] : foldersAbove(file))))
  const texts = await trees.readMany(
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
