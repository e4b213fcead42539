import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLineSplitter, type OutputLine } from './line-splitter.ts'

function linesOf(chunks: readonly Uint8Array[], maxLineBytes = 1000): OutputLine[] {
  const lines: OutputLine[] = []
  const splitter = createLineSplitter(maxLineBytes, (line) => lines.push(line))
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return lines
}

describe('line splitter', () => {
  it('ends a line at \\n or \\r\\n and keeps empty lines', () => {
    const lines = linesOf([Buffer.from('a\r\n\nb\rc\nd')])
    expect(lines.map((line) => line.text)).toEqual(['a', '', 'b\rc', 'd'])
  })

  it('joins a line and a character that came in pieces', () => {
    const bytes = Buffer.from('x🎉y\nz')
    const lines = linesOf([...bytes].map((byte) => Buffer.of(byte)))
    expect(lines.map((line) => line.text)).toEqual(['x🎉y', 'z'])
  })

  it('keeps the beginning of a line above the limit, whole characters only', () => {
    const lines = linesOf([Buffer.from('abc'), Buffer.from('é'), Buffer.from('rest\nnext\n')], 4)
    expect(lines).toEqual([
      { text: 'abc', omittedBytes: 6 },
      { text: 'next', omittedBytes: 0 },
    ])
  })

  it('gives the same lines however the text was cut into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'é', '🎉', '\n', '\r\n')), fc.nat(20), (parts, size) => {
        const bytes = Buffer.from(parts.join(''))
        const chunks = Array.from({ length: Math.ceil(bytes.length / (size + 1)) }, (_, index) =>
          bytes.subarray(index * (size + 1), (index + 1) * (size + 1)),
        )
        expect(linesOf(chunks)).toEqual(linesOf([bytes]))
      }),
    )
  })
})
