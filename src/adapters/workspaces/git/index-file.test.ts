import { expect, test } from 'vitest'
import { gitlinksOf, parseIndex } from './index-file.ts'

/** An index as git writes it: header, entries padded to eight bytes, checksum. */
function indexOf(version: number, oidBytes: number, entries: readonly (readonly [number, string])[]): Buffer {
  const header = Buffer.from('DIRC\0\0\0\0\0\0\0\0', 'latin1')
  header.writeUInt32BE(version, 4)
  header.writeUInt32BE(entries.length, 8)
  const parts = entries.map(([mode, name]) => {
    const isExtended = version === 3
    const nameAt = 40 + oidBytes + (isExtended ? 4 : 2)
    const entry = Buffer.alloc((nameAt + Buffer.byteLength(name) + 8) & ~7)
    entry.writeUInt32BE(mode, 24)
    entry.writeUInt16BE(Math.min(Buffer.byteLength(name), 0xfff) | (isExtended ? 0x4000 : 0), 40 + oidBytes)
    entry.write(name, nameAt)
    return entry
  })
  return Buffer.concat([header, ...parts, Buffer.alloc(oidBytes)])
}

const submodulesIn = (index: Buffer, oidBytes: number): string[] =>
  gitlinksOf(index, parseIndex(index, oidBytes))

const long = `deep/${'a'.repeat(5000)}`

test.each([
  [2, 20],
  [2, 32],
  [3, 20],
])('submodules are found in an index of version %i with object names of %i bytes', (version, oidBytes) => {
  const entries = [
    [0o100644, 'a'],
    [0o160000, 'vendor/lib'],
    [0o120000, long],
    [0o160000, long],
    [0o100755, 'z'],
  ] as const
  const index = indexOf(version, oidBytes, entries)
  expect(submodulesIn(index, oidBytes)).toEqual(['vendor/lib', long])
  expect(parseIndex(index, oidBytes).map(({ path }) => path)).toEqual(entries.map(([, name]) => name))
})

test('an empty index has none, and one of another version is refused', () => {
  expect(submodulesIn(indexOf(2, 20, []), 20)).toEqual([])
  expect(() => submodulesIn(indexOf(4, 20, []), 20)).toThrow(/version 4/)
})
