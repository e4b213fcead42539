import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitRepository } from '../repository/open-repository.ts'

/** Where indexes live for the length of one operation; each has a name of its own, so that no stale lock blocks a retry. */
export const temporaryIndexes = (home: string, key: string): string =>
  join(home, 'repositories', key, 'indexes')

export async function withTemporaryIndex<T>(
  repository: GitRepository,
  use: (env: { readonly GIT_INDEX_FILE: string }) => Promise<T>,
): Promise<T> {
  const folder = temporaryIndexes(repository.home, repository.key)
  await mkdir(folder, { recursive: true })
  const path = join(folder, randomUUID())
  try {
    return await use({ GIT_INDEX_FILE: path })
  } finally {
    await rm(path, { force: true })
    await rm(`${path}.lock`, { force: true })
  }
}
