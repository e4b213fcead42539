import type { WrittenFinding } from '../model/finding.ts'
import { isWithin } from '../model/repository-path.ts'
import type { ReviewerResult } from '../model/review.ts'
import type { Ports } from './ports.ts'
import type { ReviewRequest } from './review.ts'

export interface Scanned {
  readonly result: ReviewerResult
  readonly findings: readonly WrittenFinding[]
}

/** Runs every configured scanner on the reviewed code at the same time; each counts like a reviewer. */
export const scanCode = (request: ReviewRequest, ports: Ports): Promise<readonly Scanned[]> =>
  Promise.all(ports.scanners.names.map((name) => scanOnce(name, request, ports)))

async function scanOnce(name: string, request: ReviewRequest, ports: Ports): Promise<Scanned> {
  const scan = await ports.scanners.scan(name, request.revision, request.signal)
  const none = { agent: name, findings: 0, coverage: null }
  if ('failed' in scan) return { result: { ...none, state: 'failed', reason: scan.failed }, findings: [] }
  const findings = scan.findings.filter(({ file }) => isWanted(file, request.paths))
  const [reason = null] = scan.incomplete
  const state = reason === null ? 'complete' : 'partial'
  return { result: { ...none, state, reason, findings: findings.length }, findings }
}

const isWanted = (file: string | null, paths: readonly string[]): boolean =>
  paths.length === 0 || (file !== null && paths.some((path) => isWithin(file, path)))
