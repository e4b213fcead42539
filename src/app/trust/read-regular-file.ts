import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

/** The text of a file; null when there is none that can be read. A pipe or a device, which could last for ever, is none. */
export async function readRegularFile(root: string, path: string): Promise<string | null> {
  try {
    // What was opened is asked, not the path, which may lead elsewhere a moment later; a pipe is opened without waiting.
    await using file = await open(join(root, path), constants.O_RDONLY | constants.O_NONBLOCK)
    return (await file.stat()).isFile() ? await file.readFile('utf8') : null
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
}
