import { open } from 'node:fs/promises'

/** The first bytes of a file, so that one which grows or never ends is no danger. */
export async function readStart(path: string, mostBytes: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(mostBytes)
    let length = 0
    while (length < mostBytes) {
      const { bytesRead } = await file.read(buffer, length, mostBytes - length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return buffer.subarray(0, length)
  } finally {
    await file.close()
  }
}
