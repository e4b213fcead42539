import { execFileSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, afterEach, beforeEach } from 'vitest'
import { gitlinksOf, parseIndex, entryAt, isAsRecorded, buildIndex, type WrittenFile } from './index-file.ts'

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

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fixpoint-index-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'core.autocrlf=false', ...args], { cwd: folder, encoding: 'utf8' })

function written(path: string, content: string): WrittenFile {
  writeFileSync(join(folder, path), content)
  const oid = git('hash-object', '-w', path).trim()
  return { path, mode: '100644', oid, stat: lstatSync(join(folder, path), { bigint: true }) }
}

test.each([
  ['sha1', 20],
  ['sha256', 32],
] as const)('git reads an index of kept and new entries, with %s', (format, oidBytes) => {
  git('init', '--quiet', `--object-format=${format}`)
  const long = 'n'.repeat(200)
  for (const path of ['b', 'd', long]) written(path, `${path}\n`)
  git('add', '--all')
  const bytes = readFileSync(join(folder, '.git/index'))
  const kept = parseIndex(bytes, oidBytes).filter(({ path }) => path !== 'd')
  const files = [written('a', 'new\n'), written('d', 'other\n'), written('z', '')]
  const index = buildIndex({ bytes, kept }, files, oidBytes)
  expect(index.entries).toEqual(parseIndex(index.bytes, oidBytes))
  expect(index.entries.map(({ path }) => path)).toEqual(['a', 'b', 'd', long, 'z'])
  for (const entry of index.entries) {
    expect(isAsRecorded(index.bytes, entry, lstatSync(join(folder, entry.path), { bigint: true }))).toBe(true)
    expect(entryAt(index.bytes, entry, oidBytes).oid).toBe(git('hash-object', entry.path).trim())
  }
  writeFileSync(join(folder, '.git/index'), index.bytes)
  expect(git('status', '--porcelain')).toBe(`A  a\nA  b\nA  d\nA  ${long}\nA  z\n`)
  expect(git('diff-files')).toBe('')
})
