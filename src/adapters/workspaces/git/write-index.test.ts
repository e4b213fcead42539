import { execFileSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { entryAt, isAsRecorded, parseIndex } from './index-file.ts'
import { buildIndex, type WrittenFile } from './write-index.ts'

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
