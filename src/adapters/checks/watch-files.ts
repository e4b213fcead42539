import { lstatSync } from 'node:fs'
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
  return () => watched.flatMap(({ path, was }) => (stateOf(join(root, path)) === was ? [] : [path]))
}

const watchedKinds: ReadonlySet<string> = new Set(['test', 'source'])

function stateOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true })
  return stats ? `${stats.ino} ${stats.size} ${stats.ctimeNs}` : 'gone'
}
