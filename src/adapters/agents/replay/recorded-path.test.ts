import { expect, it } from 'vitest'
import { isConfinedPath } from './recorded-path.ts'

it.each(['a', 'src/total.js', '.gitignore', '.github/x', 'a..b/..c', 'a\\b', ' ', '-rf', 'git/config'])(
  'takes %j for a path inside the workspace',
  (path) => expect(isConfinedPath(path)).toBe(true),
)

it.each([
  ...['', '/', '/etc/passwd', '..', '../x', 'a/../../x', 'a/..', './a', 'a//b', 'a/', 'a\0b'],
  ...[
    '.git',
    '.git/hooks/pre-commit',
    'a/.git/config',
    '.GIT/config',
    '.git./x',
    '.git /x',
    'git~1/x',
    '.git:x/y',
  ],
  ...['.g\u200cit/config', 'a\\.git\\config'],
])('refuses %j', (path) => expect(isConfinedPath(path)).toBe(false))
