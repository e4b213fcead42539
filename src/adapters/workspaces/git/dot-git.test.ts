import { expect, test } from 'vitest'
import { isDotGitPath } from './dot-git.ts'

const is = (path: string) => isDotGitPath(Buffer.from(path))

test.each([
  '.git',
  '.GIT',
  'a/.Git/config',
  '.git.',
  '.git ',
  '.git. .',
  'git~1',
  'GIT~1/x',
  '.git:stream',
  '.git::$INDEX_ALLOCATION',
  '.g\u200cit',
  '\ufeff.git',
  '.gi\u206at/x',
  'a\\.git\\config',
  'git~1.',
])('%j could be read as .git', (path) => {
  expect(is(path)).toBe(true)
})

test.each([
  '.gitignore',
  '.gitattributes',
  'git',
  '.github/x',
  'a.git',
  '.git~1',
  'git~2',
  'x/git',
  '.gi t',
  'caf\u00e9',
])('%j is a name like any other', (path) => {
  expect(is(path)).toBe(false)
})
