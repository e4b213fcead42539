import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { constants, deflate, deflateSync } from 'node:zlib'
import { Fault } from '../../../model/fault.ts'
import { TreeId } from '../../../model/id.ts'
import type { GitRepository } from './repository.ts'
import { hasCode } from './files.ts'
import type { Git } from './git.ts'
import { FOLDER_MODE, type TreeEntry } from './object-reader.ts'

/** What to put at a path, a character per byte, or null to remove what is there. */
export type TreeEdits = ReadonlyMap<string, TreeEntry | null>

/** The tree with these edits, and with only the folders on their way written anew. */
export async function editTree(repository: GitRepository, tree: TreeId, edits: TreeEdits): Promise<TreeId> {
  const edited = await editFolder(repository, tree, edits)
  return TreeId.parse(edited ?? (await writeFolder(repository, new Map())))
}

/** Null when nothing is left in it. */
async function editFolder(
  repository: GitRepository,
  folder: string | null,
  edits: TreeEdits,
): Promise<string | null> {
  const entries = new Map(folder === null ? [] : await repository.objects.tree(folder))
  const below = new Map<string, Map<string, TreeEntry | null>>()
  for (const [path, entry] of edits) {
    const slash = path.indexOf('/')
    if (slash === -1) {
      if (entry === null) entries.delete(path)
      else entries.set(path, entry)
      continue
    }
    const name = path.slice(0, slash)
    const inner = below.get(name) ?? new Map<string, TreeEntry | null>()
    below.set(name, inner.set(path.slice(slash + 1), entry))
  }
  for (const [name, inner] of below) {
    const current = entries.get(name)
    const isFolder = current?.mode === FOLDER_MODE
    // Nothing is removed from below what is no folder.
    if (!isFolder && [...inner.values()].every((entry) => entry === null)) continue
    const oid = await editFolder(repository, isFolder ? current.oid : null, inner)
    if (oid === null) entries.delete(name)
    else entries.set(name, { mode: FOLDER_MODE, oid })
  }
  return entries.size === 0 ? null : writeFolder(repository, entries)
}

function writeFolder({ owned, oidBytes }: GitRepository, entries: ReadonlyMap<string, TreeEntry>) {
  // git sorts a folder as if its name ended with a slash.
  const keyOf = ([name, { mode }]: readonly [string, TreeEntry]): string =>
    mode === FOLDER_MODE ? `${name}/` : name
  const sorted = [...entries].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const parts = sorted.flatMap(([name, { mode, oid }]) => [
    Buffer.from(`${mode} ${name}\0`, 'latin1'),
    Buffer.from(oid, 'hex'),
  ])
  const bytes = Buffer.concat(parts)
  return writeObject(owned, oidBytes, { type: 'tree', bytes })
}

type ObjectType = 'blob' | 'tree' | 'commit'

interface NewObject {
  readonly type: ObjectType
  readonly bytes: Buffer
}

const LARGE_BYTES = 64 * 1024
const options = { level: constants.Z_BEST_SPEED }
const deflateLater = promisify(deflate)

/** Writes an object as git does, but without a process for each, and gives its name. */
export async function writeObject(git: Git, oidBytes: number, { type, bytes }: NewObject): Promise<string> {
  const header = Buffer.from(`${type} ${bytes.length}\0`, 'latin1')
  const oid = createHash(oidBytes === 20 ? 'sha1' : 'sha256')
    .update(header)
    .update(bytes)
    .digest('hex')
  const path = join(git.gitDir, 'objects', oid.slice(0, 2), oid.slice(2))
  if (existsSync(path)) return oid
  const object = Buffer.concat([header, bytes])
  const packed =
    bytes.length > LARGE_BYTES ? await deflateLater(object, options) : deflateSync(object, options)
  try {
    await writeWhole(path, packed).catch(async (error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error
      await mkdir(dirname(path), { recursive: true })
      await writeWhole(path, packed)
    })
  } catch (cause) {
    if (!hasCode(cause, 'ENOSPC', 'EDQUOT')) throw cause
    throw new Fault('disk_full', `the disk is full: ${oid} could not be written to ${git.gitDir}`, {
      cause,
      hint: 'free some space, then resume',
    })
  }
  return oid
}

/** After a power cut there is the whole object or none: an empty one would stand in the way for ever. */
async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  // A name that git itself gives to unfinished objects, and collects.
  const aside = join(dirname(path), `tmp_obj_${randomUUID()}`)
  try {
    const file = await open(aside, 'wx', 0o444)
    try {
      await file.writeFile(bytes)
      await file.datasync()
    } finally {
      await file.close()
    }
    await rename(aside, path)
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
}

/** A name or an address as git writes it into commits: without what would break their format. */
export const cleanIdent = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replace(/[<>\n]/g, '').replace(/^[\x00-\x20.,:;"\\']+|[\x00-\x20.,:;"\\']+$/g, '') || 'unknown'
