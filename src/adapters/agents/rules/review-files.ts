import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import picomatch from 'picomatch'
import type { CodeFiles } from '../../../loop/ports.ts'
import type { Coverage } from '../../../model/issue/coverage.ts'
import { isWithin } from '../../../model/repository-path.ts'
import { readPlainFile } from '../program/plain-file.ts'
import { borrowedFolders, unreadLanguage, whyAside } from './asides.ts'
import { languageOf } from './engine/language.ts'
import type { Match, SourceScan } from './engine/scan.ts'
import type { Source } from './engine/found.ts'
import { beneath, mayBeSilenced, notIgnored, withoutSuppressions } from './suppressions.ts'
import { startOxlint, type LintCall } from './linters/run-oxlint.ts'
import { isLinterRule, reviewSources, type Rule } from './scan-sources.ts'

export interface FileMatch {
  readonly file: string
  readonly match: Match
}

export interface FilesReview {
  readonly found: readonly FileMatch[]
  readonly coverage: Coverage
}

export interface ReviewedFiles {
  readonly files: CodeFiles
  /** Files and folders; none means all of it. */
  readonly paths: readonly string[]
  /** Globs of files that are not reviewed, whoever asks. */
  readonly exclude: readonly string[]
  /** Whether the paths are what changed, which nobody asked for by name. */
  readonly isChange?: boolean
  /** Hears of matches as they are found. */
  readonly onFound?: (found: readonly FileMatch[]) => void
}

/** Files that are scanned together: fewer at first, so that something is soon seen, then enough for a linter to be worth its start. */
const filesAtFirst = 500
const filesAtOnce = 1_000

/** Runs the rules over files, or over the given paths among them; says of each file whether it was read. */
export async function reviewFiles(
  reviewed: ReviewedFiles,
  rules: readonly Rule[],
  signal: AbortSignal,
): Promise<FilesReview> {
  const found: FileMatch[] = []
  const coverage = { reviewed: [] as string[], partly: [] as Gap[], skipped: [] as Gap[], aside: [] as Gap[] }
  let suppressed = 0
  // It is loaded while files are chosen and read.
  await using oxlint = (await needsOxlint(reviewed, rules)) ? startOxlint(signal) : null
  for (const part of inParts(await filesToRead(reviewed, coverage))) {
    if (signal.aborted) break
    const sources = await readSources(reviewed.files, part, coverage.skipped)
    const { scans, silenced } = await scanBeneathComments(sources, rules, { signal, oxlint })
    const told: FileMatch[] = []
    for (const [file, scan] of scans) {
      if (scan.status === 'reviewed') coverage.reviewed.push(file)
      else coverage[scan.isMade ? 'aside' : scan.status].push({ file, why: scan.why })
      if (scan.status !== 'skipped') told.push(...scan.matches.map((match) => ({ file, match })))
    }
    suppressed += silenced
    found.push(...told)
    reviewed.onFound?.(told)
  }
  return { found: withoutCommon(found), coverage: { ...coverage, suppressed } }
}

async function needsOxlint({ files, paths }: ReviewedFiles, rules: readonly Rule[]): Promise<boolean> {
  if (!rules.some((rule) => isLinterRule(rule) && rule.linter === 'oxlint')) return false
  const isAsked = (file: string): boolean => paths.length === 0 || paths.some((path) => isWithin(file, path))
  return [...(await files.list())].some((file) => isForOxlint(languageOf(file)) && isAsked(file))
}

const isForOxlint = (language: ReturnType<typeof languageOf>): boolean =>
  language !== null && language !== 'Python'

/** The matches without those of a rule that says the same words about more places than it may. */
function withoutCommon(found: readonly FileMatch[]): readonly FileMatch[] {
  const wordsOf = ({ match }: FileMatch): string => `${match.rule.id} ${match.message}`
  const said = Map.groupBy(found, wordsOf)
  return found.filter((each) => {
    const { rule } = each.match
    const most = isLinterRule(rule) ? (rule.mostPlaces ?? Infinity) : Infinity
    return (said.get(wordsOf(each))?.length ?? 0) <= most
  })
}

type Gap = Coverage['skipped'][number]

/** The matches that are left when comments are honoured, and how many the comments silence: the linters do not say, and get such texts twice. */
async function scanBeneathComments(sources: readonly Source[], rules: readonly Rule[], call: LintCall) {
  const commented = sources.filter(({ text }) => mayBeSilenced(text))
  const bare = commented.map(({ path, text }) => ({ path: beneath(path), text: withoutSuppressions(text) }))
  const found = await reviewSources([...sources, ...bare], rules, call)
  const texts = new Map(sources.map(({ path, text }) => [path, text]))
  let silenced = 0
  const scans = new Map<string, SourceScan>()
  for (const { path: file } of sources) {
    const scan = found.get(file)
    if (scan?.status === 'skipped') scans.set(file, scan)
    else if (scan) {
      const { kept, silenced: here } = notIgnored(scan.matches, texts.get(file) ?? '')
      scans.set(file, { ...scan, matches: kept })
      silenced += here + Math.max(0, matchesIn(found.get(beneath(file))) - scan.matches.length)
    }
  }
  return { scans, silenced }
}

const matchesIn = (scan: SourceScan | undefined): number =>
  !scan || scan.status === 'skipped' ? 0 : scan.matches.length

/** Tests, examples and their like are read where somebody asks for them, or for a folder of such. */
async function filesToRead(
  { files, paths, exclude, isChange = false }: ReviewedFiles,
  coverage: { readonly skipped: Gap[]; readonly aside: Gap[] },
): Promise<readonly string[]> {
  const isExcluded = exclude.length > 0 ? picomatch([...exclude], { dot: true }) : () => false
  // A change of nothing but tests is a change of tests.
  const listed = [...(await files.list())].toSorted()
  const borrowed = borrowedFolders(listed)
  const whyLeft = (path: string): string | null =>
    whyAside(path) ?? (borrowed.some((folder) => isWithin(path, folder)) ? 'the code of somebody else' : null)
  const asksFor = (path: string, file: string): boolean => path === file || whyLeft(`${path}/file`) !== null
  const isNamed = !isChange || paths.every((path) => languageOf(path) === null || whyLeft(path) !== null)
  const wanted: string[] = []
  for (const file of listed) {
    const asked = paths.filter((path) => isWithin(file, path))
    if (paths.length > 0 && asked.length === 0) continue
    const why = whyLeft(file)
    const isWanted = why === null || (isNamed && asked.some((path) => asksFor(path, file)))
    const language = unreadLanguage(file)
    if (isExcluded(file)) coverage.aside.push({ file, why: 'left out by review.exclude' })
    else if (languageOf(file) === null && language === null)
      coverage.aside.push({ file, why: 'in no language that the rules know' })
    else if (!isWanted) coverage.aside.push({ file, why: `not asked for: ${why}` })
    else if (language !== null) coverage.skipped.push({ file, why: `no rules for ${language}` })
    else wanted.push(file)
  }
  return wanted
}

function* inParts(files: readonly string[]): Generator<readonly string[]> {
  let size = filesAtFirst
  for (let from = 0; from < files.length; from += size) {
    if (from > 0) size = filesAtOnce
    yield files.slice(from, from + size)
  }
}

async function readSources(
  files: CodeFiles,
  paths: readonly string[],
  skipped: Gap[],
): Promise<readonly Source[]> {
  const sources: Source[] = []
  const read = await files.read(paths)
  for (const path of paths) {
    const bytes = read.get(path) ?? null
    const text = decodeText(bytes)
    if (text === null) skipped.push({ file: path, why: bytes === null ? unreadable : notText })
    else sources.push({ path, text })
  }
  return sources
}

const unreadable = 'it cannot be read'
const notText = 'not UTF-8 text: it has bytes that cannot be written back as they were'

function decodeText(bytes: Uint8Array | null): string | null {
  if (bytes === null) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** The text of a regular file inside the workspace, or null; a link is never followed out of it. */
export async function readWorkspaceFile(root: string, file: string): Promise<string | null> {
  let path = root
  for (const part of file.split('/')) {
    if (part === '' || part === '.' || part === '..') return null
    path = join(path, part)
    const found = await lstat(path).catch(() => null)
    if (!found?.isDirectory())
      return found?.isFile() && path === join(root, file) ? readPlainFile(path).then(decodeText) : null
  }
  return null
}
