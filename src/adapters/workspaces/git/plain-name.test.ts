import { expect, test } from 'vitest'
import { isPlainPath } from './plain-name.ts'

test.each(['a', 'src/module-1.test.ts', '.eslintrc', 'a b/[id]/(x)/@y.tsx', '-rf'])('%j is plain', (path) => {
  expect(isPlainPath(path)).toBe(true)
})

test.each([
  ...['.git', 'a/.GIT/b', '.gitmodules', 'git~1', 'a\\b', '../a', 'a/..', './a', 'a//b', '/a', 'a/', ''],
  ...['a.', 'a /b', 'a\nb', 'a:b', '\xe9', 'a\0b'],
])('%j is left to git', (path) => {
  expect(isPlainPath(path)).toBe(false)
})
