import { copyFile, stat, utimes } from 'node:fs/promises'

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
