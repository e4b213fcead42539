import { expect, it } from 'vitest'
import { isConfinedPath } from './recording.ts'

it.each(['a', 'src/total.js', '.gitignore', '.github/x', 'a..b/..c', 'a\\b', ' ', '-rf', 'git/config'])(
  'a recording takes %j for a path inside the workspace',
  (path) => expect(isConfinedPath(path)).toBe(true),
)

const outside = ['', '/', '/etc/passwd', '..', '../x', 'a/../../x', 'a/..', './a', 'a//b', 'a/', 'a\0b']
const ofGit = [
  '.git',
  '.git/hooks/pre-commit',
  'a/.git/config',
  '.GIT/config',
  '.git./x',
  '.git /x',
  'git~1/x',
  '.git:x/y',
]
const disguised = ['.g\u200cit/config', 'a\\.git\\config']

it.each([...outside, ...ofGit, ...disguised])('a recording refuses %j', (path) =>
  expect(isConfinedPath(path)).toBe(false),
)
