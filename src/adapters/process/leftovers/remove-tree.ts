import { chmod, readdir, rename, rm } from 'node:fs/promises'
import { findDeadPaths, runFilesFolder } from '../run-mark.ts'

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** Deletes a folder, also when programs have taken the permission to do so away, or made it deeper than a path can be. */
export async function removeTree(folder: string): Promise<void> {
  for (let triesLeft = 3; ; triesLeft--) {
    try {
      return await rm(folder, { recursive: true, force: true })
    } catch (error) {
      if (hasCode(error, 'ENAMETOOLONG')) return removeDeep(folder)
      if (triesLeft === 0 || !hasCode(error, 'EACCES', 'EPERM', 'ENOTEMPTY')) throw error
      await openFolders(Buffer.from(folder))
    }
  }
}

/** Gives the owner back the right to read, write and enter every folder below. */
export async function openFolders(folder: Buffer): Promise<void> {
  try {
    await chmod(folder, 0o700)
    for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
      if (entry.isDirectory()) await openFolders(Buffer.concat([folder, Buffer.from('/'), entry.name]))
    }
  } catch (error) {
    // A deletion that failed in one place still goes on in others; what no path reaches is for another way.
    if (!hasCode(error, 'ENOENT', 'ENAMETOOLONG')) throw error
  }
}

const deepest = 10

/** What lies deep is put beside the folder, so that every path is short: the time it takes grows with the number of files alone. */
async function removeDeep(folder: string): Promise<void> {
  const left = [Buffer.from(folder)]
  let raised = 0
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const deep of await foldersAt(next, deepest)) {
      const aside = Buffer.from(`${folder}.deep${(raised += 1)}`)
      await rename(deep, aside)
      left.push(aside)
    }
    await rm(next, { recursive: true, force: true })
  }
}

/** The folders so far below one, all of which can be moved and emptied then. */
async function foldersAt(folder: Buffer, depth: number): Promise<readonly Buffer[]> {
  await chmod(folder, 0o700)
  if (depth === 0) return [folder]
  const found: Buffer[] = []
  for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' }))
    if (entry.isDirectory())
      found.push(...(await foldersAt(Buffer.concat([folder, Buffer.from('/'), entry.name]), depth - 1)))
  return found
}

/** Deletes what the runs of dead processes left; says what it deleted. */
export async function collectRunFiles(home: string): Promise<readonly string[]> {
  const paths = await findDeadPaths(runFilesFolder(home))
  await Promise.all(paths.map(removeTree))
  return paths
}
