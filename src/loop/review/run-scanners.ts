import type { Revision } from '../../model/attempt/attempt.ts'
import type { ReviewId } from '../../model/id.ts'
import { isWithin } from '../../model/repository-path.ts'
import type { Ports, Scanners } from '../ports.ts'
import type { JoinedAnswers } from './join-answers.ts'
import { keepAnswer } from './kept-answers.ts'

interface ScanRequest {
  readonly revision: Revision
  /** Folders and files to look at; everything without them. */
  readonly paths: readonly string[]
  /** Only what these files hold, when given. */
  readonly changed: { readonly files: readonly string[] } | null
  readonly signal: AbortSignal
}

/** Runs every configured scanner on the reviewed code at the same time; each counts like a reviewer. */
export const runScanners = (
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
