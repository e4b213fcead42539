import { describe, expect, it } from 'vitest'
import { findLookAlikes } from './look-alikes.ts'
import type { FileChange } from './markers/tampering.ts'

const added = (path: string): FileChange => ({
  path,
  oldPath: null,
  status: 'added',
  before: null,
  after: '',
  isBinary: false,
})
const renamed = (oldPath: string, path: string): FileChange => ({
  ...added(path),
  oldPath,
  status: 'renamed',
})
const existing = new Set(['src/pay/index.ts', 'src/modem.ts', 'src/file1.ts', 'docs/é.md', 'README.md'])
const said = (...changes: readonly FileChange[]): readonly string[] =>
  findLookAlikes(changes, existing).map(({ path, what }) => `${path}: ${what}`)

describe('a name that looks like another one', () => {
  it.each([
    ['in another script', 'src/раy/index.ts', 'src/pay'],
    ['in its last part', 'src/pay/indeх.ts', 'src/pay/index.ts'],
    ['with letters that run together', 'src/modern.ts', 'src/modem.ts'],
    ['with a letter for a digit', 'src/filel.ts', 'src/file1.ts'],
    ['in another case', 'readme.md', 'README.md'],
    ['of a folder in another case', 'SRC/new.ts', 'src'],
    ['in another normal form', 'docs/e\u0301.md', 'docs/é.md'],
  ])('%s is told with the one it looks like', (_, path, twin) => {
    expect(said(added(path))).toEqual([`${path}: its name looks like that of ${twin}`])
  })

  it('is told when two new files are called alike', () => {
    expect(said(added('lib/a.ts'), added('lib/а.ts'))).toHaveLength(2)
  })

  it('is told when it takes the place of the other one', () => {
    expect(said(renamed('src/modem.ts', 'src/mоdem.ts'))).toHaveLength(1)
  })

  it.each(['src/a\u200Bb.ts', 'src/a\u202Eb.ts', 'src/a\u00ADb.ts'])(
    '%j is told for what cannot be seen in it',
    (path) => {
      expect(said(added(path))).toEqual([`${path}: its name holds a character that cannot be seen`])
    },
  )

  it.each(['src/pay/other.ts', 'src/file2.ts', 'docs/ü.md', 'src/новый.ts', 'docs/❤️.md'])(
    '%s is fine',
    (path) => {
      expect(said(added(path))).toEqual([])
    },
  )

  it('is fine for a file that is given its own name in another case or normal form', () => {
    expect(said(renamed('README.md', 'Readme.md'), renamed('docs/é.md', 'docs/e\u0301.md'))).toEqual([])
  })
})
