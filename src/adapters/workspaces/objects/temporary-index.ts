import { mkdir, rm, copyFile, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { signedName } from '../../process/run-mark.ts'
import type { GitRepository } from './repository.ts'

/** Where indexes live for the length of one operation; each has a name of its own, so that no stale lock blocks a retry. */
export const temporaryIndexes = (home: string, key: string): string =>
  join(home, 'repositories', key, 'indexes')

export async function withTemporaryIndex<T>(
  repository: GitRepository,
  use: (env: { readonly GIT_INDEX_FILE: string }) => Promise<T>,
): Promise<T> {
  const folder = temporaryIndexes(repository.home, repository.key)
  await mkdir(folder, { recursive: true })
  const path = join(folder, signedName('index'))
  try {
    return await use({ GIT_INDEX_FILE: path })
  } finally {
    await rm(path, { force: true })
    await rm(`${path}.lock`, { force: true })
  }
}

/**
 * Copies an index and its time: git looks into a file of the same age as the index, since an edit within one tick
 * leaves the stat data alike. A younger copy would hide such an edit.
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  const { mtimeMs } = await stat(from)
  await copyFile(from, to)
  const seconds = Math.floor(mtimeMs / 1000)
  await utimes(to, seconds, seconds)
}
