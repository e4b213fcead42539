import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)

export async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}

/** What a folder holds; nothing when it is not there. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

/** Replaces a file in one step, so that a reader sees the old or the new content; null removes it. */
export async function replaceFile(path: string, content: string | Buffer | null): Promise<void> {
  if (content === null) return rm(path, { force: true })
  const current = await readIfThere(path)
  if (current?.equals(Buffer.from(content))) return
  const aside = `${path}.${randomUUID()}`
  await writeFile(aside, content)
  await rename(aside, path)
}
