import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBoundedText, renderBoundedText } from './bounded-text.ts'

function bounded(maxBytes: number, chunks: readonly Uint8Array[]) {
  const writer = createBoundedText(maxBytes)
  for (const chunk of chunks) writer.push(chunk)
  return writer.text()
}

describe('bounded text', () => {
  it('keeps everything up to its limit', () => {
    expect(bounded(10, [Buffer.from('12345'), Buffer.from('67890')])).toEqual({
      head: '1234567890',
      tail: '',
      omittedBytes: 0,
    })
  })

  it('keeps the beginning and the end of more, and says how much is missing', () => {
    const text = bounded(10, [Buffer.from('12345678'), Buffer.from('abcdefghij')])
    expect(text).toEqual({ head: '12345', tail: 'fghij', omittedBytes: 8 })
    expect(renderBoundedText(text)).toBe('12345\n… [8 bytes left out] …\nfghij')
  })

  it('drops a character that its cut would split, at both sides', () => {
    const text = bounded(10, [Buffer.from('abc🎉-----🎉xyz')])
    expect(text).toEqual({ head: 'abc', tail: 'xyz', omittedBytes: 13 })
  })

  it('keeps nothing when nothing may be kept', () => {
    expect(bounded(0, [Buffer.from('abc')])).toEqual({ head: '', tail: '', omittedBytes: 3 })
  })

  it('gives the same text however the bytes were cut into chunks, and loses no byte uncounted', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 })
    fc.assert(
      fc.property(chunks, fc.nat(200), (parts, maxBytes) => {
        const whole = Buffer.concat(parts)
        const text = bounded(maxBytes, parts)
        expect(text).toEqual(bounded(maxBytes, [whole]))
        if (whole.length <= maxBytes) expect(renderBoundedText(text)).toBe(whole.toString('utf8'))
        else expect(text.omittedBytes).toBeGreaterThanOrEqual(whole.length - maxBytes)
      }),
    )
  })
})
