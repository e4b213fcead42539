import { randomUUID } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../git/files.ts'
import { trashFolder } from './layout.ts'

/** Takes a folder out of the way in one step, then deletes it: what still writes there reaches nothing new. */
export async function discard(home: string, folder: string): Promise<void> {
  // A home that is gone took its folders along; nothing of it is made again.
  if (!lstatSync(folder, { throwIfNoEntry: false })) return
  const trash = trashFolder(home)
  const aside = join(trash, randomUUID())
  await mkdir(trash, { recursive: true })
  try {
    await rename(folder, aside)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    throw error
  }
  try {
    await removeTree(aside)
  } catch (error) {
    // Something still writes there. It is out of the way, and the trash is collected later.
    if (!hasCode(error, 'ENOTEMPTY', 'EBUSY')) throw error
  }
}

/** Deletes a folder, also when programs have taken the permission to do so away. */
export async function removeTree(folder: string): Promise<void> {
  for (let triesLeft = 3; ; triesLeft--) {
    try {
      return await rm(folder, { recursive: true, force: true })
    } catch (error) {
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
    // A deletion that failed in one place still goes on in others.
    if (!hasCode(error, 'ENOENT')) throw error
  }
}
