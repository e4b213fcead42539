import { describe, expect, it } from 'vitest'
import { patchFile as file } from '../../../test/fixtures/attempt-samples.ts'
import type { TreeId } from '../id.ts'
import { addsOnlyTests, approvedPaths, pathsOfBase, pathsOfFix } from './owned-paths.ts'
import type { Patch, PatchFile } from './patch.ts'

const patch = (...files: readonly PatchFile[]): Patch => ({
  base_tree: '0'.repeat(40) as TreeId,
  tree: '1'.repeat(40) as TreeId,
  files,
  refused: [],
})

describe('what a patch cannot change for its own verification', () => {
  it.each<[string, Patch, readonly string[], readonly string[]]>([
    ['source is the fix', patch(file('src/a.ts')), [], []],
    ['an existing test', patch(file('src/a.test.ts')), [], ['src/a.test.ts']],
    ['a deleted test', patch(file('test/a.ts', { status: 'deleted' })), [], ['test/a.ts']],
    ['a new test belongs to the fix', patch(file('src/a.test.ts', { status: 'added' })), [], []],
    [
      'a moved test stays where it was, beside its new place',
      patch(file('test/b.ts', { status: 'renamed', old_path: 'test/a.ts' })),
      [],
      ['test/a.ts'],
    ],
    [
      'source that was a test',
      patch(file('src/a.ts', { status: 'renamed', old_path: 'test/a.ts' })),
      [],
      ['test/a.ts'],
    ],
    ['a snapshot', patch(file('src/__snapshots__/a.snap')), [], ['src/__snapshots__/a.snap']],
    [
      'configuration, new or old',
      patch(file('vitest.config.ts'), file('.eslintrc.json', { status: 'added' })),
      [],
      ['vitest.config.ts', '.eslintrc.json'],
    ],
    ['dependencies are the fix', patch(file('package.json')), [], []],
    [
      'what a person allowed',
      patch(file('src/a.test.ts'), file('b.test.ts')),
      ['src/a.test.ts'],
      ['b.test.ts'],
    ],
    [
      'a move that a person allowed',
      patch(file('test/b.ts', { status: 'renamed', old_path: 'test/a.ts' })),
      ['test/b.ts'],
      [],
    ],
  ])('%s', (_name, given, approved, paths) => {
    expect(pathsOfBase(given, approved)).toEqual(paths)
  })
})

describe('what a person allowed', () => {
  it('counts as the base’s, both ends of a move alike, and source never does', () => {
    const given = patch(
      file('src/a.ts'),
      file('a.test.ts'),
      file('test/b.ts', { status: 'renamed', old_path: 'test/a.ts' }),
      file('c.test.ts'),
    )
    expect(approvedPaths(given, ['src/a.ts', 'a.test.ts', 'test/b.ts'])).toEqual(['a.test.ts', 'test/a.ts'])
  })
})

describe('what is taken away to see whether a test notices', () => {
  it('is everything but tests and allowed configuration', () => {
    const given = patch(
      file('src/a.ts'),
      file('package.json'),
      file('src/a.test.ts'),
      file('vitest.config.ts'),
      file('jest.config.js'),
    )
    expect(pathsOfFix(given, ['vitest.config.ts', 'src/a.ts'])).toEqual([
      'src/a.ts',
      'package.json',
      'jest.config.js',
    ])
  })
})

describe('a patch that may only add tests', () => {
  const added = { status: 'added' } as const
  it.each<[string, Patch, boolean]>([
    ['adds some', patch(file('test/a.ts', added), file('test/data.json', added)), true],
    ['adds source as well', patch(file('test/a.ts', added), file('src/a.ts', added)), false],
    ['edits one', patch(file('test/a.ts')), false],
    ['adds a link', patch(file('test/a.ts', { ...added, link_target: '../src/a.ts' })), false],
    ['had something refused', { ...patch(), refused: [{ path: 'x/.git', reason: 'r' }] }, false],
  ])('%s', (_name, given, isSo) => {
    expect(addsOnlyTests(given)).toBe(isSo)
  })
})
