import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Coverage } from '../../../model/issue/coverage.ts'
import { isWithin } from '../../../model/repository-path.ts'
import { languageOf } from './engine/language.ts'
import type { Rule } from './engine/rule.ts'
import { scanSource, type Match } from './engine/scan.ts'

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

/** Runs the rules over a folder's files, or over the given paths in it; says of each file whether it was read. */
export async function reviewFiles(
  root: string,
  rules: readonly Rule[],
  { paths, signal }: { readonly paths: readonly string[]; readonly signal: AbortSignal },
): Promise<FilesReview> {
  const found: FileMatch[] = []
  const coverage = {
    reviewed: [] as string[],
    partly: [] as Coverage['partly'][number][],
    skipped: [] as Coverage['skipped'][number][],
  }
  for await (const file of filesIn(root, '')) {
    if (signal.aborted) break
    if (languageOf(file) === null) continue
    if (paths.length > 0 && !paths.some((path) => isWithin(file, path))) continue
    const scan = scanSource(await readFile(join(root, file), 'utf8'), file, rules)
    if (scan.status === 'reviewed') coverage.reviewed.push(file)
    else coverage[scan.status].push({ file, why: scan.why })
    if (scan.status !== 'skipped') found.push(...scan.matches.map((match) => ({ file, match })))
    await setImmediate()
  }
  return { found, coverage }
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
      return found?.isFile() && path === join(root, file) ? readFile(path, 'utf8') : null
  }
  return null
}
