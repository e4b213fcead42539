import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { constants, deflate, deflateSync } from 'node:zlib'
import { Fault } from '../../../model/fault.ts'
import { hasCode } from '../git/files.ts'
import type { Git } from '../git/git.ts'

export type ObjectType = 'blob' | 'tree' | 'commit'

export interface NewObject {
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
