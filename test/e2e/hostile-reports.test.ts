import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'

const reader = join(import.meta.dirname, '../fixtures/reads-report.ts')
const megabyte = 1024 * 1024

interface Read {
  readonly format: string
  readonly findings: number
  readonly peakMb: number
}

/** Streams a report into a process of its own; this process never holds the whole report in memory. */
async function readStream(pieces: Iterable<string>): Promise<Read> {
  const child = spawn(process.execPath, [reader], { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  await pipeline(Readable.from(pieces), child.stdin).catch(() => undefined)
  const [[code], [stdout, stderr]] = [(await ended) as [number | null], await said]
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Read
}

function* repeated(head: string, piece: string, count: number, tail: string): Generator<string> {
  yield head
  for (let at = 0; at < count; at += 1) yield at === 0 ? piece : `,${piece}`
  yield tail
}

const filler = 'lorem ipsum '.repeat(Math.ceil(megabyte / 12))
const bulk = JSON.stringify(filler)
const message = { text: 'Bad call' }
const location = { physicalLocation: { artifactLocation: { uri: 'a.js' }, region: { startLine: 3 } } }

describe('a report of two hundred megabytes', () => {
  it.each([
    [
      'sarif',
      repeated(
        '{"version":"2.1.0","runs":[{"results":[',
        `{"message":${JSON.stringify(message)},"locations":[${JSON.stringify(location)}],"graphs":[${bulk}]}`,
        200,
        ']}]}',
      ),
    ],
    [
      'rdjsonl',
      Array.from(
        { length: 200 },
        () => `{"message":"m","location":{"path":"a.js"},"original_output":${bulk}}\n`,
      ),
    ],
    [
      'junit',
      repeated(
        '<testsuites>',
        `<testcase name="a"><failure>x</failure><system-out>${filler}</system-out></testcase>`,
        200,
        '</testsuites>',
      ),
    ],
  ])('is read in little memory: %s', async (format, pieces) => {
    const read = await readStream(pieces)
    expect(read).toMatchObject({ format, findings: 200 })
    expect(read.peakMb).toBeLessThan(260)
  })

  it('that is one endless value is refused before it fills the memory', async () => {
    const endless = repeated('{"version":"2.1.0","runs":[{"results":[{"message":{"text":"', filler, 200, '')
    await expect(readStream(endless)).rejects.toThrow('holds one value of more than 16 MB')
    await expect(readStream(repeated('<testsuites a="', filler, 200, ''))).rejects.toThrow(
      'a tag that is too long',
    )
  })
})
