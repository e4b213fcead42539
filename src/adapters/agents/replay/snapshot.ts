import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { isDotGit } from './recorded-path.ts'

/** A file or link as it is on disk. */
export interface Entry {
  readonly kind: 'file' | 'link'
  readonly digest: string
  readonly executable: boolean
  readonly bytes: number
}

/** The files and links of a folder; each path holds one character per byte, since names need not be UTF-8. */
export type Snapshot = ReadonlyMap<string, Entry>

const skippedFolders = new Set(['node_modules', '.venv'])
const readWholeBytes = 2 ** 20

/** Reads every file below the folder but git's own and installed packages; links are not followed. */
export async function takeSnapshot(root: string): Promise<Snapshot> {
  const entries = new Map<string, Entry>()
  const pending = ['']
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const children = await readdir(pathIn(root, folder), { withFileTypes: true, encoding: 'buffer' })
    for (const child of children) {
      const name = child.name.toString('latin1')
      const path = folder === '' ? name : `${folder}/${name}`
      if (isDotGit(child.name.toString('utf8')) || (child.isDirectory() && skippedFolders.has(name))) continue
      if (child.isDirectory()) pending.push(path)
      const entry = await describeEntry(pathIn(root, path))
      if (entry) entries.set(path, entry)
    }
  }
  return entries
}

export const pathIn = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])

/** What is at a path, or null when it is nothing that a patch can hold. */
export async function describeEntry(path: Buffer): Promise<Entry | null> {
  const found = await lstat(path).catch(nullIfGone)
  if (found?.isSymbolicLink()) {
    const digest = createHash('sha256')
      .update(await readlink(path, 'buffer'))
      .digest('hex')
    return { kind: 'link', digest: `link ${digest}`, executable: false, bytes: 0 }
  }
  if (!found?.isFile()) return null
  const executable = (found.mode & 0o100) !== 0
  return { kind: 'file', digest: await digestOf(path, found.size), executable, bytes: found.size }
}

async function digestOf(path: Buffer, bytes: number): Promise<string> {
  const hash = createHash('sha256')
  if (bytes <= readWholeBytes) hash.update(await readFile(path))
  else await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

export function nullIfGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
