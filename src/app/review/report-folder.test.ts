import { expect, it } from 'vitest'
import { findElsewhere, folderInside } from './report-folder.ts'
import { writtenFinding } from '../../model/issue/finding.ts'

const inFile = (file: string) =>
  writtenFinding({ source: { kind: 'tool', name: 'x' }, title: 'x', severity: 'minor', file })

it('names files that are not there, and the one folder that has them all', () => {
  const files = new Set(['src/a/b.py', 'src/c.py', 'docs/c.py'])
  expect(findElsewhere([inFile('src/c.py')], files)).toBeNull()
  expect(findElsewhere([inFile('a/b.py'), inFile('c.py')], files)).toEqual({
    findings: 2,
    example: 'a/b.py',
    folder: 'src',
  })
  expect(findElsewhere([inFile('c.py')], files)).toMatchObject({ folder: null })
  expect(findElsewhere([inFile('a/b.py'), inFile('gone.py')], files)).toMatchObject({ folder: null })
})

it.each([
  ['/work/shop/src/app', 'src/app'],
  ['/work/shop', null],
  ['/work/shop-2', null],
  ['/home/ci/shop', null],
  ['C:\\build\\shop', null],
])('paths below %s are counted from %s', (root, folder) => {
  expect(folderInside('/work/shop', root)).toBe(folder)
})
