import type {
  OriginAnswer,
  Origins,
  RaisedIssue,
  ScannerResult,
  Scanners,
  Trees,
  Ids,
  Jail,
  Room,
  Workspaces,
} from '../../loop/ports.ts'
import type { WrittenFinding } from '../../model/issue/finding.ts'
import { realpath } from 'node:fs/promises'
import type { Revision } from '../../model/attempt/attempt.ts'
import { Fault } from '../../model/fault.ts'
import { cutText } from '../../model/issue/finding-text.ts'
import { NewestMap } from '../../model/newest-map.ts'
import { renderBoundedText } from '../process/bounded-text.ts'
import type { ProcessResult } from '../process/start-process.ts'
import { createRunMark } from '../process/run-mark.ts'
import { runProcess } from '../process/run-process.ts'

/** Trees that are remembered: the base of each running session, and the patches of the last attempts. */
const remembered = 32

/** The configured scanners; a scanner looks at a tree once, however often it is asked. */
export function createScanners(scanners: readonly Scanner[], options: ScannerOptions): Scanners {
  const known = new NewestMap<string, Promise<ScannerResult>>(remembered)
  const byName = new Map(scanners.map((scanner) => [scanner.name, scanner]))

  return {
    names: scanners.map(({ name }) => name),
    async scan(name, revision, signal) {
      const scanner = byName.get(name)
      if (!scanner) return { failed: `no scanner is called "${name}"` }
      const key = `${name}\0${revision.tree}`
      const earlier = await known.get(key)
      if (earlier && !('failed' in earlier)) return earlier
      const own = runScanner(scanner, { revision, signal }, options)
      known.set(key, own)
      const scan = await own
      // A failure is not remembered: it may have been bad luck, or the cancellation of another caller.
      if ('failed' in scan && known.get(key) === own) known.delete(key)
      return scan
    },
  }
}

/** The configured scanners, each as a tool that can be asked again about what it raised. */
export const createScannerOrigins = (scanners: Scanners, trees: Trees): readonly Origins[] =>
  scanners.names.map((name) => ({
    async ask(issue, revision, { files, signal }) {
      if (!issue.flagged_by.some((source) => source.toLowerCase() === name.toLowerCase())) return null
      // A tool says nothing of a file that is gone, but that is no fix.
      if (issue.file && !(await trees.list(revision.tree)).has(issue.file))
        return { unanswered: `${issue.file} is not there any more` }
      const scan = await scanners.scan(name, revision, signal)
      if ('failed' in scan) return { unanswered: `${name}: ${scan.failed}` }
      const [reason] = scan.incomplete
      return reason === undefined
        ? findingsIn(scan.findings, issue, files)
        : { unanswered: `${name}: ${reason}` }
    },
  }))

/** Findings that the source suppresses count too: silencing a tool is no fix. */
function findingsIn(
  findings: readonly WrittenFinding[],
  issue: RaisedIssue,
  files: readonly string[],
): OriginAnswer {
  const found = findings.filter(({ file }) => (file === null ? issue.file === null : files.includes(file)))
  const unread = found.find(({ category, rule }) => category === 'syntax-error' && rule !== issue.rule)
  return unread ? { unanswered: `${unread.file}: ${unread.title}` } : { found }
}

/** One command that prints a report, and how the report is read. */
export interface Scanner {
  readonly name: string
  readonly run: string
  readonly timeoutMs: number
  /** What it may reach. */
  readonly network: Room['network']
  /** A report of nothing is written as nothing: one finding per line. */
  readonly isByLine: boolean
  readonly read: (report: AsyncIterable<Uint8Array>, root: string) => Promise<ReadReport>
}

interface ReadReport {
  readonly findings: readonly WrittenFinding[]
  readonly incomplete: readonly string[]
}

interface ScannerOptions {
  readonly workspaces: Workspaces
  readonly ids: Ids
  /** The whole environment of every scanner. */
  readonly env: Readonly<Record<string, string>>
  /** FIXPOINT_HOME, which the marks of started processes name. */
  readonly home: string
  readonly jail: Jail
}

const maxReportBytes = 64 * 1024 * 1024
const keptBytes = 16 * 1024
/** What a shell answers when a program is not there or may not be run. */
const shellCannotRun = [126, 127]
/** What a shell answers when a crash or a kill ended the program it waited for. */
const shellSawSignal = [132, 134, 135, 136, 137, 139, 143]

/** Runs a scanner on a checkout of its own and reads its report. Any exit code will do as long as it reports something. */
async function runScanner(
  scanner: Scanner,
  { revision, signal }: { readonly revision: Revision; readonly signal: AbortSignal },
  options: ScannerOptions,
): Promise<ScannerResult> {
  const id = options.ids.next('scn')
  try {
    const workspace = await options.workspaces.open({ id, tree: revision.tree, head: revision.commit })
    if (workspace.preparation?.setup === 'failed')
      return { failed: workspace.preparation.reason ?? 'workspace.setup failed' }
    const printed: Uint8Array[] = []
    const result = await runProcess({
      command: scanner.run,
      shell: true,
      cwd: workspace.path,
      env: options.env,
      timeoutMs: scanner.timeoutMs,
      signal,
      mark: createRunMark(options.home),
      maxOutputBytes: keptBytes,
      killAboveBytes: maxReportBytes,
      walls: options.jail.around({ network: scanner.network }),
      onStdout: (chunk) => printed.push(chunk),
    })
    const failed = whyFailed(result, scanner)
    if (failed !== null) return { failed }
    // Tools print paths with links followed.
    return await readScan(scanner, result, { printed, root: await realpath(workspace.path) })
  } finally {
    await options.workspaces.close(id)
  }
}

function whyFailed(result: ProcessResult, { timeoutMs }: Scanner): string | null {
  const code = result.exitCode ?? 0
  if (result.ended === 'timed_out') return `it took longer than ${Math.round(timeoutMs / 1000)} s`
  if (result.ended === 'cancelled') return 'it was cancelled'
  if (result.ended === 'flooded') return `it printed more than ${maxReportBytes / (1024 * 1024)} MB`
  if (result.ended === 'signalled')
    return `it was ended by ${result.signal ?? 'a signal'}${lastWords(result)}`
  if (result.ended === 'not_started' || shellCannotRun.includes(code))
    return `it could not be started${lastWords(result)}`
  return shellSawSignal.includes(code) ? `it crashed (exit ${code})${lastWords(result)}` : null
}

async function readScan(
  scanner: Scanner,
  result: ProcessResult,
  { printed, root }: { readonly printed: readonly Uint8Array[]; readonly root: string },
): Promise<ScannerResult> {
  const said = `exit ${result.exitCode ?? '?'}${lastWords(result)}`
  if (printed.every((chunk) => chunk.every((byte) => byte <= 0x20)))
    return scanner.isByLine && result.exitCode === 0
      ? { findings: [], incomplete: [] }
      : { failed: `it printed no report (${said})` }
  try {
    const report = await scanner.read(piecesOf(printed), root)
    if (report.findings.length === 0 && result.exitCode !== 0)
      return { failed: `it reported nothing, and failed (${said})` }
    const source = { kind: 'tool', name: scanner.name } as const
    return { incomplete: report.incomplete, findings: report.findings.map((one) => ({ ...one, source })) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { failed: `its report cannot be read: ${error.message} (${said})` }
  }
}

async function* piecesOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** The last lines that it wrote to stderr. */
function lastWords({ error, stderr }: ProcessResult): string {
  const lines = (error ?? renderBoundedText(stderr)).trim().split('\n')
  const words = lines.slice(-3).join(' ').trim()
  return words === '' ? '' : `: ${cutText(words, 300)}`
}
