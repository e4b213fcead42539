import type { Revision } from '../model/attempt.ts'
import type { Finding, WrittenFinding } from '../model/finding.ts'
import type { FindingId, IssueId } from '../model/id.ts'
import type { IssueClass } from '../model/issue.ts'
import { foldersAbove } from '../model/repository-path.ts'
import type { Review } from '../model/review.ts'
import { anchorFinding, splitLines } from './anchor.ts'
import { createClassifier, isBrowserPackage } from './classify.ts'
import type { Ports } from './ports.ts'
import { planTriage } from './triage.ts'

export interface FindingsRequest {
  readonly review: Review
  readonly revision: Revision
  readonly findings: readonly WrittenFinding[]
  readonly classes: Readonly<Record<IssueClass, readonly string[]>>
}

/** How many files are in memory at once while findings are tied to their code. */
const filesAtOnce = 50
/** How many findings are stored in one transaction; findings of one file always stay together. */
const findingsAtOnce = 2_000

export interface StoredFindings {
  readonly created: number
  readonly changed: number
}

/** Ties findings to the code they cite, and merges them with what is known. Storing the same ones again changes nothing. */
export async function storeFindings(request: FindingsRequest, ports: Ports): Promise<StoredFindings> {
  const classify = createClassifier({
    classes: request.classes,
    hasBrowserDependency: await browserPackages(request.findings, request.revision, ports),
  })
  const files = await ports.trees.list(request.revision.tree)
  let created = 0
  let changed = 0
  for (const batch of batchesOf(request.findings)) {
    const findings = await anchorAll({ ...request, findings: batch }, ports)
    const outcome = await ports.issues.triage({
      review: request.review,
      findings,
      plan: (known) =>
        planTriage({
          findings,
          known,
          fileExists: (path) => files.has(path),
          newIssue: {
            repositoryId: request.review.repository_id,
            nextId: () => ports.ids.next('iss') as IssueId,
            now: new Date(ports.clock.now()).toISOString(),
            classOf: classify,
          },
        }),
    })
    created += outcome.created.length
    changed += outcome.changed.length
  }
  return { created, changed }
}

/** Findings in batches of whole files, in the order in which files first appear; one batch also when there are none. */
function batchesOf(findings: readonly WrittenFinding[]): readonly (readonly WrittenFinding[])[] {
  const batches: WrittenFinding[][] = [[]]
  for (const ofFile of Map.groupBy(findings, ({ file }) => file).values()) {
    const last = batches.at(-1)
    if (!last || (last.length > 0 && last.length + ofFile.length > findingsAtOnce)) batches.push([...ofFile])
    else last.push(...ofFile)
  }
  return batches
}

const filesOf = (findings: readonly WrittenFinding[]): readonly string[] => [
  ...new Set(findings.map(({ file }) => file).filter((file) => file !== null)),
]

async function anchorAll(
  { findings, review, revision }: FindingsRequest,
  ports: Ports,
): Promise<readonly Finding[]> {
  const linesOf = new Map<string, readonly string[]>()
  const anchored: Finding[] = []
  const ofFiles = [...Map.groupBy(findings, ({ file }) => file)]
  for (let start = 0; start < ofFiles.length; start += filesAtOnce) {
    const some = ofFiles.slice(start, start + filesAtOnce)
    const paths = some.flatMap(([file]) => file ?? [])
    const texts = await ports.trees.readMany(revision.tree, paths)
    linesOf.clear()
    for (const [path, bytes] of texts) linesOf.set(path, splitLines(new TextDecoder().decode(bytes)))
    for (const [file, claims] of some) {
      const lines = (file === null ? undefined : linesOf.get(file)) ?? null
      for (const claim of claims) {
        const id = ports.ids.next('fnd') as FindingId
        anchored.push(anchorFinding(claim, lines, { id, reviewId: review.id, hash: ports.hash }))
      }
    }
  }
  return anchored
}

/** Reads the package.json files above the findings' files; the nearest one above a path decides. */
async function browserPackages(
  findings: readonly WrittenFinding[],
  revision: Revision,
  ports: Ports,
): Promise<(path: string) => boolean> {
  const folders = new Set(filesOf(findings).flatMap(foldersAbove))
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
