import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import picomatch from 'picomatch'
import type { Coverage } from '../../../model/issue/coverage.ts'
import { isWithin } from '../../../model/repository-path.ts'
import { whyAside } from './asides.ts'
import { languageOf } from './engine/language.ts'
import type { Match } from './engine/scan.ts'
import type { Source } from './linters/linted.ts'
import { notIgnored } from './suppressions.ts'
import { scanSources, type Rule } from './scan-sources.ts'

export interface FileMatch {
  readonly file: string
  readonly match: Match
}

export interface FilesReview {
  readonly found: readonly FileMatch[]
  readonly coverage: Coverage
}

const skippedFolders = new Set([
  '.git',
  'node_modules',
  'bower_components',
  '.venv',
  'venv',
  '__pycache__',
  '.tox',
])

export interface ReviewedFiles {
  readonly root: string
  /** Files and folders below the root; none means all of it. */
  readonly paths: readonly string[]
  /** Globs of files that are not reviewed, whoever asks. */
  readonly exclude: readonly string[]
}

/** Files that are scanned together: enough for a linter to be worth its start, few enough to stop in between. */
const filesAtOnce = 500

/** Runs the rules over a folder's files, or over the given paths in it; says of each file whether it was read. */
export async function reviewFiles(
  reviewed: ReviewedFiles,
  rules: readonly Rule[],
  signal: AbortSignal,
): Promise<FilesReview> {
  const found: FileMatch[] = []
  const coverage = {
    reviewed: [] as string[],
    partly: [] as Coverage['partly'][number][],
    skipped: [] as Coverage['skipped'][number][],
  }
  const setAside = (file: string, why: string): void => {
    coverage.skipped.push({ file, why })
  }
  for await (const files of inParts(filesToRead(reviewed, setAside), filesAtOnce)) {
    if (signal.aborted) break
    const sources = await readSources(reviewed.root, files, coverage.skipped)
    const texts = new Map(sources.map(({ path, text }) => [path, text]))
    for (const [file, scan] of await scanSources(sources, rules, signal)) {
      if (scan.status === 'reviewed') coverage.reviewed.push(file)
      else coverage[scan.status].push({ file, why: scan.why })
      if (scan.status !== 'skipped')
        found.push(...notIgnored(scan.matches, texts.get(file) ?? '').map((match) => ({ file, match })))
    }
  }
  return { found, coverage }
}

/** Tests, examples and their like are read where somebody asks for them, or for a folder of such. */
async function* filesToRead(
  { root, paths, exclude }: ReviewedFiles,
  setAside: (file: string, why: string) => void,
): AsyncGenerator<string> {
  const isExcluded = exclude.length > 0 ? picomatch([...exclude], { dot: true }) : () => false
  for await (const file of filesIn(root, '')) {
    if (languageOf(file) === null) continue
    const asked = paths.filter((path) => isWithin(file, path))
    if (paths.length > 0 && asked.length === 0) continue
    const why = whyAside(file)
    if (isExcluded(file)) setAside(file, 'left out by review.exclude')
    else if (why === null || asked.some((path) => path === file || whyAside(`${path}/file`) !== null))
      yield file
    else setAside(file, `not asked for: it is ${why}`)
  }
}

async function* inParts(files: AsyncIterable<string>, size: number): AsyncGenerator<readonly string[]> {
  let part: string[] = []
  for await (const file of files) {
    part.push(file)
    if (part.length < size) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}

async function readSources(
  root: string,
  files: readonly string[],
  skipped: Coverage['skipped'][number][],
): Promise<readonly Source[]> {
  const texts = await Promise.all(files.map(async (file) => decodeText(await readFile(join(root, file)))))
  return files.flatMap((path, index) => {
    const text = texts[index]
    if (typeof text === 'string') return [{ path, text }]
    skipped.push({ file: path, why: 'not UTF-8 text: it has bytes that cannot be written back as they were' })
    return []
  })
}

function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Regular files below a folder in the order of their names; links are not followed. */
async function* filesIn(root: string, folder: string): AsyncGenerator<string> {
  const entries = await readdir(join(root, folder), { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory() && !skippedFolders.has(entry.name)) yield* filesIn(root, path)
    else if (entry.isFile()) yield path
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
      return found?.isFile() && path === join(root, file) ? readFile(path).then(decodeText) : null
  }
  return null
}
