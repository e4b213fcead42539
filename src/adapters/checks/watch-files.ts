import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isCode, pathKind } from '../../model/path-kind.ts'

/** More files than this are not watched; tests are the first. */
const mostFiles = 20_000

/**
 * Remembers the code of a checkout as it is now, and later lists the files that were written since: a command cannot
 * judge tests and code that change while it runs. The time of the last change cannot be set back.
 */
export function watchFiles(root: string, paths: Iterable<string>): () => readonly string[] {
  const code = [...paths].filter((path) => isCode(path) && watchedKinds.has(pathKind(path)))
  const isTest = (path: string): boolean => pathKind(path) === 'test'
  const watched = code
    .toSorted((a, b) => Number(isTest(b)) - Number(isTest(a)))
    .slice(0, mostFiles)
    .map((path) => ({ path, was: stateOf(join(root, path)) }))
  // The clock says whole milliseconds, files say parts of them.
  const start = Date.now() + 1
  return () => [
    ...watched.flatMap(({ path, was }) => (stateOf(join(root, path)) === was ? [] : [path])),
    ...findWritten(root, start),
  ]
}

/** Where packages are installed: tests load what they assert with from there. */
const installed = ['node_modules', '.venv', 'venv']

/** Code of installed packages that was written since; what tools keep in hidden folders of their own does not count. */
function findWritten(root: string, sinceMs: number): readonly string[] {
  const written: string[] = []
  const waiting = installed.filter((name) =>
    lstatSync(join(root, name), { throwIfNoEntry: false })?.isDirectory(),
  )
  let seen = 0
  for (let folder = waiting.pop(); folder !== undefined && seen < mostFiles; folder = waiting.pop())
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.name.startsWith('.')) continue
      if (entry.isDirectory()) waiting.push(path)
      if (!entry.isFile() || !isCode(path)) continue
      seen += 1
      const stats = lstatSync(join(root, path), { throwIfNoEntry: false })
      if (stats && stats.ctimeMs > sinceMs) written.push(path)
    }
  return written
}

const watchedKinds: ReadonlySet<string> = new Set(['test', 'source'])

function stateOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true })
  return stats ? `${stats.ino} ${stats.size} ${stats.ctimeNs}` : 'gone'
}
