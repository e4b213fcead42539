import { randomUUID } from 'node:crypto'
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { Fault } from '../../model/fault.ts'

/** Writes a file in one step: whoever reads it finds the old content or the new one, never a part. */
export async function writeWhole(path: string, text: string | Uint8Array | Iterable<string>): Promise<void> {
  const target = await findTarget(path)
  const draft = `${target}.${randomUUID()}`
  try {
    await writeFile(draft, text, { flag: 'wx', flush: true })
    await rename(draft, target)
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw writeFault(path, cause)
  }
}

/** Through links to the file itself; a device or a folder must not be replaced by a file. */
async function findTarget(path: string): Promise<string> {
  try {
    const found = await stat(path)
    if (found.isFile()) return await realpath(path)
    const what = found.isDirectory() ? 'a folder' : 'a special file'
    throw new Fault('usage', `${path} is ${what}, not a file that can be written`, {
      hint: 'Name another file.',
    })
  } catch (error) {
    if (error instanceof Fault) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path
    throw writeFault(path, error)
  }
}

function writeFault(path: string, cause: unknown): Fault {
  const reason = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
  if (reason === ' (ENOSPC)')
    return new Fault('disk_full', `${path} cannot be written: the disk is full`, {
      cause,
      hint: 'Free some space, then try again.',
    })
  return new Fault('usage', `${path} cannot be written${reason}`, {
    cause,
    hint: 'Name a file in a folder that exists and that you may write to.',
  })
}
