import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOfName, joinNul, nameOfBytes, splitNul } from './names.ts'

describe('names', () => {
  test('that are UTF-8 stand for themselves, others are quoted as git quotes them', () => {
    expect(nameOfBytes(Buffer.from('café\n.txt'))).toBe('café\n.txt')
    expect(nameOfBytes(Buffer.from('caf\xe9.txt', 'latin1'))).toBe('"caf\\351.txt"')
    expect(nameOfBytes(Buffer.from('\xe9\t"\\\x01', 'latin1'))).toBe('"\\351\\t\\"\\\\\\001"')
    expect(nameOfBytes(Buffer.from('"a"'))).toBe('"\\"a\\""')
  })

  test('lead back to the same bytes, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 20 }), (bytes) => {
        expect(bytesOfName(nameOfBytes(Buffer.from(bytes)))).toEqual(Buffer.from(bytes))
      }),
    )
  })

  test('are divided at NUL bytes', () => {
    const fields = [Buffer.from('a'), Buffer.from([255, 10]), Buffer.from('')]
    expect(splitNul(joinNul(fields))).toEqual(fields)
    expect(splitNul(Buffer.alloc(0))).toEqual([])
  })
})
