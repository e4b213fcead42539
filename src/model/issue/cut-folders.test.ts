import { expect, test } from 'vitest'
import { cutFolders } from './cut-folders.ts'

const folders = [
  { value: 'src/a/deep', count: 5 },
  { value: 'src/a', count: 3 },
  { value: 'src/b', count: 2 },
  { value: 'docs', count: 4 },
]

test('few folders are counted as they are', () => {
  expect(cutFolders(folders, 4)).toEqual(folders)
})

test('too many folders are counted in those above them, so that no issue is missing', () => {
  expect(cutFolders(folders, 3)).toEqual([
    { value: 'src/a', count: 8 },
    { value: 'docs', count: 4 },
    { value: 'src/b', count: 2 },
  ])
  expect(cutFolders(folders, 1)).toEqual([
    { value: 'src', count: 10 },
    { value: 'docs', count: 4 },
  ])
})

test('one level below the chosen path is never cut away', () => {
  expect(cutFolders(folders.slice(0, 3), 1, 'src/')).toEqual([
    { value: 'src/a', count: 8 },
    { value: 'src/b', count: 2 },
  ])
})

test('any number of folders is counted', () => {
  const many = Array.from({ length: 300_000 }, (_, index) => ({ value: `src/${index}`, count: 1 }))
  expect(cutFolders(many, 100)).toEqual([{ value: 'src', count: 300_000 }])
})
