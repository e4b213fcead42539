import { expect, test } from 'vitest'
import { isPlainPath } from './plain-name.ts'

test.each(['a', 'src/module-1.test.ts', '.eslintrc', 'a b/[id]/(x)/@y.tsx', '-rf'])('%j is plain', (path) => {
  expect(isPlainPath(path)).toBe(true)
})

const near = [
  '.git',
  'a/.GIT/b',
  '.gitmodules',
  'git~1',
  'a\\b',
  '../a',
  'a/..',
  './a',
  'a//b',
  '/a',
  'a/',
  '',
]
const odd = ['a.', 'a /b', 'a\nb', 'a:b', '\xe9', 'a\0b']

test.each(near.concat(odd))('%j is left to git', (path) => {
  expect(isPlainPath(path)).toBe(false)
})
