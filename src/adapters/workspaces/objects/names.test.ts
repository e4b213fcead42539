import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOfName, joinNul, nameOfBytes, splitNul, isDotGitPath, isPlainPath } from './names.ts'

describe('names', () => {
  test('that are UTF-8 stand for themselves, others are quoted as git quotes them', () => {
    expect(nameOfBytes(Buffer.from('café\n.txt'))).toBe('café\n.txt')
    expect(nameOfBytes(Buffer.from('caf\xe9.txt', 'latin1'))).toBe('"caf\\351.txt"')
    expect(nameOfBytes(Buffer.from('\xe9\t"\\\x01', 'latin1'))).toBe('"\\351\\t\\"\\\\\\001"')
    expect(nameOfBytes(Buffer.from('"a"'))).toBe('"\\"a\\""')
  })

  test('lead back to the same bytes, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 20 }), (bytes) => {
        expect(bytesOfName(nameOfBytes(Buffer.from(bytes)))).toEqual(Buffer.from(bytes))
      }),
    )
  })

  test('are divided at NUL bytes', () => {
    const fields = [Buffer.from('a'), Buffer.from([255, 10]), Buffer.from('')]
    expect(splitNul(joinNul(fields))).toEqual(fields)
    expect(splitNul(Buffer.alloc(0))).toEqual([])
  })
})

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
