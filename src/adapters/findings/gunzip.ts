import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { ReaderContext } from './reading/report-format.ts'

/** Reports compress well, but not this well: only a decompression bomb does. */
const maxRatio = 250
const harmlessBytes = 64_000_000
const hint = 'Unpack it yourself and look at it; nothing of it was taken.'

export const isGzip = (first: Uint8Array): boolean => first[0] === 0x1f && first[1] === 0x8b

/** The content of a gzip file, piece by piece. */
export async function* gunzip(
  source: AsyncIterable<Uint8Array>,
  context: ReaderContext,
): AsyncGenerator<Uint8Array> {
  let packed = 0
  let unpacked = 0
  async function* counted() {
    for await (const chunk of source) {
      packed += chunk.length
      yield chunk
    }
  }
  const input = Readable.from(counted())
  const output = createGunzip({ chunkSize: 256 * 1024 })
  input.on('error', (error) => output.destroy(error))
  try {
    for await (const chunk of input.pipe(output) as AsyncIterable<Uint8Array>) {
      unpacked += chunk.length
      if (unpacked > harmlessBytes && unpacked > packed * maxRatio)
        throw context.fail(`unpacks to more than ${maxRatio} times its size`, hint)
      yield chunk
    }
  } catch (error) {
    if (isZlibError(error)) throw context.fail('is compressed, and damaged', hint)
    throw error
  } finally {
    input.destroy()
    output.destroy()
  }
}

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
