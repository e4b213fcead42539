import type { Revision } from '../model/attempt.ts'
import type { Finding, WrittenFinding } from '../model/finding.ts'
import type { FindingId, IssueId } from '../model/id.ts'
import type { IssueClass } from '../model/issue.ts'
import { foldersAbove } from '../model/repository-path.ts'
import type { Review } from '../model/review.ts'
import { anchorFinding, splitLines } from './anchor.ts'
import { createClassifier, isBrowserPackage } from './classify.ts'
import type { Ports, TriageOutcome } from './ports.ts'
import { planTriage } from './triage.ts'

export interface FindingsRequest {
  readonly review: Review
  readonly revision: Revision
  readonly findings: readonly WrittenFinding[]
  readonly classes: Readonly<Record<IssueClass, readonly string[]>>
}

/** How many files are in memory at once while findings are tied to their code. */
const filesAtOnce = 200

/** Ties findings to the code they cite, and merges them with what is known, in one transaction. */
export async function storeFindings(request: FindingsRequest, ports: Ports): Promise<TriageOutcome> {
  const findings = await anchorAll(request, ports)
  const classify = createClassifier({
    classes: request.classes,
    hasBrowserDependency: await browserPackages(findings, request.revision, ports),
  })
  const files = await ports.trees.list(request.revision.tree)
  const classes = new Map(filesOf(findings).map((file) => [file, classify(file)]))
  return ports.issues.triage({
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
          classOf: (file) => (file === null ? undefined : classes.get(file)) ?? classify(file),
        },
      }),
  })
}

const filesOf = (findings: readonly WrittenFinding[]): readonly string[] => [
  ...new Set(findings.map(({ file }) => file).filter((file) => file !== null)),
]

async function anchorAll(
  { findings, review, revision }: FindingsRequest,
  ports: Ports,
): Promise<readonly Finding[]> {
  const anchored: Finding[] = []
  anchored.length = findings.length
  const files = filesOf(findings)
  const indexesOf = Map.groupBy(findings.keys(), (index) => findings[index]?.file ?? null)
  const anchorIn = (file: string | null, lines: readonly string[] | null) => {
    for (const index of indexesOf.get(file) ?? []) {
      const written = findings[index]
      const id = ports.ids.next('fnd') as FindingId
      if (written)
        anchored[index] = anchorFinding(written, lines, { id, reviewId: review.id, hash: ports.hash })
    }
  }
  anchorIn(null, null)
  for (let start = 0; start < files.length; start += filesAtOnce) {
    const some = files.slice(start, start + filesAtOnce)
    const texts = await ports.trees.readMany(revision.tree, some)
    for (const file of some) {
      const bytes = texts.get(file)
      anchorIn(file, bytes ? splitLines(new TextDecoder().decode(bytes)) : null)
    }
  }
  return anchored
}

/** Reads the package.json files above the findings' files; the nearest one above a path decides. */
async function browserPackages(
  findings: readonly Finding[],
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
