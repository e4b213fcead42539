import { rmSync } from 'node:fs'
import { lstat, mkdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { findDeadPaths, signedName } from '../../../process/run-mark.ts'

const kind = 'fixpoint-lint'
const memoryFolder = '/dev/shm'
const tmpfs = 0x01021994
const mostInMemory = 64 * 1024 * 1024
/** A small part of what is free, and pages that files do not fill. */
const share = 8

/** A folder of ours with room for so many bytes of text, for one use. What killed processes left beside it goes too. */
export async function inLintFolder<T>(bytes: number, use: (folder: string) => Promise<T>): Promise<T> {
  const sweeping = Promise.all([memoryFolder, tmpdir()].map(removeLeftovers))
  sweeping.catch(() => undefined) // thrown below, where it is waited for
  const folder = await makeFolder(bytes)
  try {
    return await use(folder)
  } finally {
    // In memory that takes two milliseconds for 500 files; one by one on other threads it takes twenty.
    if (dirname(folder) === memoryFolder) rmSync(folder, { recursive: true, force: true })
    else await rm(folder, { recursive: true, force: true })
    await sweeping
  }
}

/** In memory where there is plenty, else on disk, which takes up to a millisecond for each file. */
async function makeFolder(bytes: number): Promise<string> {
  const memory = bytes <= mostInMemory ? await statfs(memoryFolder).catch(() => null) : null
  const isRoomy = memory?.type === tmpfs && memory.bavail * memory.bsize > bytes * share
  const made = isRoomy ? await makeOwn(memoryFolder).catch(() => null) : null
  return made ?? makeOwn(tmpdir())
}

async function makeOwn(parent: string): Promise<string> {
  const folder = join(parent, signedName(kind))
  await mkdir(folder, { mode: 0o700 })
  return folder
}

/** Copies of code in memory would stay there until the machine is started anew. Folders of other users are theirs. */
async function removeLeftovers(parent: string): Promise<void> {
  const dead = await findDeadPaths(parent).catch(() => [])
  for (const path of dead.filter((each) => basename(each).startsWith(`${kind}-`))) {
    const found = await lstat(path).catch(() => null)
    if (found?.isDirectory() && found.uid === process.getuid?.())
      await rm(path, { recursive: true, force: true })
  }
}
