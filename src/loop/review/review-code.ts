import type { Revision } from '../../model/attempt/attempt.ts'
import { coverageOf, joinCoverage, readsNothing } from '../../model/issue/coverage.ts'
import type { WrittenFinding } from '../../model/issue/finding.ts'
import type { PartAnswer, Review, ReviewerResult } from '../../model/issue/review.ts'
import type { ReviewId } from '../../model/id.ts'
import { isWithin } from '../../model/repository-path.ts'
import { askReviewer, type ReviewerPorts, type ReviewRequest } from './ask-reviewer.ts'
import { joinAnswers, reviewStateOf, type JoinedAnswers } from './join-answers.ts'
import { keepAnswer, readKept } from './kept-answers.ts'
import type { Ports, Scanners } from '../ports.ts'
import type { ToolLook } from '../triage/mark-absent.ts'
import { divideIntoShards } from './shards.ts'

export interface ReviewedCode {
  readonly review: Review
  readonly findings: readonly WrittenFinding[]
  /** The tools among the reviewers, with the files that each read in full. */
  readonly looks: readonly ToolLook[]
}

/** Reviewers that run at the same time; each of them is a process that thinks for minutes. */
const atOnce = 4

type ReviewPorts = ReviewerPorts & Pick<Ports, 'agents' | 'scanners' | 'clock'>

/** Lets every reviewer look at the code at the same time, each alone in a checkout of its own, large code in parts. */
export async function reviewCode(request: ReviewRequest, ports: ReviewPorts): Promise<ReviewedCode> {
  const { id } = request
  const files = await filesInScope(request, ports)
  // A reviewer that is given no files would read all of them.
  const [asked, scanned] =
    files.length === 0
      ? [[], []]
      : await Promise.all([askAll(id, { request, files }, ports), runScanners(id, request, ports)])
  const results = [...asked.map(({ result }) => result), ...scanned.map(({ result }) => result)]
  const coverage = joinCoverage(
    files.map(({ path }) => path),
    asked.flatMap(({ result, files: given }) => coverageOf(given, result.coverage)),
  )
  const findings = [...asked, ...scanned].flatMap(({ findings: found }) => found)
  // A reviewer that does not say what it read is believed when it answers; --min-coverage asks for more.
  const isTold = asked.every(({ result }) => result.state === 'failed' || result.coverage !== null)
  const isUnread = scanned.length + findings.length === 0 && isTold && readsNothing(coverage)
  return {
    review: {
      id,
      repository_id: request.repositoryId,
      kind: 'review',
      commit: request.revision.commit,
      scope: request.scope,
      state: files.length === 0 ? 'complete' : reviewStateOf(results, { isUnread }),
      reviewers: results,
      coverage,
      created_at: new Date(ports.clock.now()).toISOString(),
    },
    findings,
    looks: [
      ...asked.flatMap(({ look }) => look ?? []),
      ...scanned.flatMap(({ result }) => lookOf(result, files)),
    ],
  }
}

/** A scanner reads the whole tree. */
const lookOf = ({ agent: name, state }: ReviewerResult, files: Files): readonly ToolLook[] =>
  state === 'complete' ? [{ name, files: new Set(files.map(({ path }) => path)) }] : []

async function filesInScope(
  { revision, paths, changed }: ReviewRequest,
  { trees, agents }: Pick<Ports, 'trees' | 'agents'>,
) {
  // Sizes only decide how code is divided among calls, and git opens every object to tell them.
  const isDivided = agents.forRole('reviewer').some(({ agent }) => !agent.can.readsAll)
  const sizes = isDivided
    ? await trees.sizes(revision.tree)
    : new Map([...(await trees.list(revision.tree))].map((path) => [path, 0]))
  const wanted = changed ? new Set(changed.files) : null
  return [...sizes]
    .filter(([path]) => !isBinaryName(path) && (wanted === null || wanted.has(path)))
    .filter(([path]) => paths.length === 0 || paths.some((folder) => isWithin(path, folder)))
    .map(([path, size]) => ({ path, size }))
}

const binary =
  /\.(?:png|jpe?g|gif|webp|avif|ico|icns|bmp|tiff?|psd|pdf|zip|gz|tgz|bz2|xz|zst|7z|rar|jar|war|class|py[co]|so|dylib|dll|exe|o|a|lib|wasm|woff2?|ttf|otf|eot|mp[34]|m4[av]|mov|avi|webm|ogg|wav|flac|db|sqlite3?|parquet|npy|npz|lockb)$/i

/** Whether a file holds no text that anyone could review, by its name. */
const isBinaryName = (path: string): boolean => binary.test(path)

type Files = Awaited<ReturnType<typeof filesInScope>>

interface Asked extends JoinedAnswers {
  /** What the reviewer was given. */
  readonly files: readonly string[]
  /** Null for one that may say another thing the next time. */
  readonly look: ToolLook | null
}

/** Every reviewer with every part of the code, a few at a time; what a reviewer says of its parts is put together. */
async function askAll(
  id: ReviewId,
  { request, files }: { readonly request: ReviewRequest; readonly files: Files },
  ports: ReviewerPorts & Pick<Ports, 'agents'>,
): Promise<readonly Asked[]> {
  const reviewers = ports.agents.forRole('reviewer')
  const paths = files.map(({ path }) => path)
  const calls = reviewers.flatMap((reviewer, index) => {
    const shards = reviewer.agent.can.readsAll ? [paths] : divideIntoShards(files)
    return shards.map((shard, part) => ({
      id,
      reviewer,
      index,
      workspaceId: `${id}-${index}-${part}`,
      shard,
      parts: shards.length,
    }))
  })
  const answers: { readonly index: number; readonly answer: PartAnswer }[] = []
  const waiting = [...calls]
  const work = async (): Promise<void> => {
    for (let call = waiting.shift(); call; call = waiting.shift()) {
      const agent = call.reviewer.agent.name
      const known = request.goesOn ? await readKept(call, ports) : null
      if (known) {
        answers.push({ index: call.index, answer: known })
        continue
      }
      request.onProgress?.({ agent, type: 'began', files: call.shard.length })
      const answer = await askReviewer(call, request, ports)
      const kept = { agent, parts: call.parts, files: call.shard, answer }
      await keepAnswer({ id, name: call.workspaceId }, kept, ports)
      const [findings, reason] = 'failed' in answer ? [null, answer.failed] : [answer.findings.length, null]
      request.onProgress?.({ agent, type: 'ended', findings, reason })
      answers.push({ index: call.index, answer })
    }
  }
  await Promise.all(Array.from({ length: Math.max(atOnce, reviewers.length) }, work))
  return reviewers.map(({ agent }, index) => {
    const own = answers.filter((one) => one.index === index).map(({ answer }) => answer)
    const { result, findings } = joinAnswers(agent.name, own)
    const read = agent.can.readsAll ? (result.coverage?.reviewed ?? []) : null
    return { result, findings, files: paths, look: read && { name: agent.name, files: new Set(read) } }
  })
}

interface ScanRequest {
  readonly revision: Revision
  /** Folders and files to look at; everything without them. */
  readonly paths: readonly string[]
  /** Only what these files hold, when given. */
  readonly changed: { readonly files: readonly string[] } | null
  readonly signal: AbortSignal
}

/** Runs every configured scanner on the reviewed code at the same time; each counts like a reviewer. */
const runScanners = (
  id: ReviewId,
  request: ScanRequest,
  { scanners, artifacts }: Pick<Ports, 'scanners' | 'artifacts'>,
): Promise<readonly JoinedAnswers[]> =>
  Promise.all(
    scanners.names.map(async (name, index) => {
      const scanned = await scanOnce(name, request, scanners)
      await keepAnswer({ id, name: `${id}-scanner-${index}` }, scanned, { artifacts })
      return scanned
    }),
  )

async function scanOnce(name: string, request: ScanRequest, scanners: Scanners): Promise<JoinedAnswers> {
  const scan = await scanners.scan(name, request.revision, request.signal)
  const none = { agent: name, findings: 0, coverage: null }
  if ('failed' in scan) return { result: { ...none, state: 'failed', reason: scan.failed }, findings: [] }
  const findings = scan.findings.filter(({ file }) => isWanted(file, request))
  const [reason = null] = scan.incomplete
  const state = reason === null ? 'complete' : 'partial'
  return { result: { ...none, state, reason, findings: findings.length }, findings }
}

/** A tool looks at the whole tree; what it says of other files is not part of this review. */
function isWanted(file: string | null, { paths, changed }: ScanRequest): boolean {
  if (changed !== null && (file === null || !changed.files.includes(file))) return false
  return paths.length === 0 || (file !== null && paths.some((path) => isWithin(file, path)))
}
