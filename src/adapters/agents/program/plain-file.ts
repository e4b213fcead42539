import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'

/** Opens what others have left, when that is a file: a pipe would wait without end, a link may lead anywhere. */
async function openPlainFile(path: string): Promise<FileHandle | null> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null)
  if (file === null || (await file.stat()).isFile()) return file
  await file.close()
  return null
}

/** So many bytes from its beginning or its end, as text; empty when it is no file. */
export async function readPart(path: string, part: 'beginning' | 'end', mostBytes: number): Promise<string> {
  const file = await openPlainFile(path)
  if (file === null) return ''
  try {
    const { size } = await file.stat()
    const length = Math.min(size, mostBytes)
    const at = part === 'end' ? size - length : 0
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** All of a file; null when there is none that can be read, or a link or something else stands in its place. */
export async function readPlainFile(path: string): Promise<Buffer | null> {
  await using file = await openPlainFile(path)
  return file === null ? null : await file.readFile()
}
