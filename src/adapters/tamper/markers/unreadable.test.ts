import { describe, expect, it } from 'vitest'
import type { FileChange } from './tampering.ts'
import { inspectUnreadable } from './unreadable.ts'

const change = (path: string, before: string | null, after: string, isBinary = false): FileChange => ({
  path,
  oldPath: null,
  status: before === null ? 'added' : 'modified',
  before,
  after,
  isBinary,
})
const said = (...given: Parameters<typeof change>): readonly string[] =>
  inspectUnreadable(change(...given)).map(({ what }) => what)

describe('what nobody can read in a diff', () => {
  it.each([
    ['an added picture', 'docs/logo.png', null, 'PNG', true, /a binary file was added/],
    ['source that became bytes', 'src/a.js', 'a\n', 'b\0', true, /a text became a binary file/],
    ['a NUL far from the beginning', 'src/a.js', 'a\n', `${'a\n'.repeat(9000)}\0`, false, /a text became/],
    ['bytes that are no UTF-8', 'data/x', null, '\uFFFD\uFFFDa\uFFFD', false, /a binary file was added/],
    ['Python bytecode', 'pkg/a.pyc', null, 'text', false, /a compiled file was added/],
    ['a Python cache', 'pkg/__pycache__/a.cpython-312.py', null, 'text', false, /a compiled file/],
    ['a changed class file', 'A.class', 'a', 'b', false, /a compiled file was changed/],
    ['an object file', 'a.o', null, 'text', false, /a compiled file/],
    ['a shared library', 'lib/a.so.1', null, 'text', false, /a compiled file/],
    ['WebAssembly', 'a.wasm', null, 'text', false, /a compiled file/],
    ['a bidirectional override in code', 'src/a.js', 'a\n', 'a\n// \u202E b\n', false, /bidirectional/],
    ['a bidirectional isolate in a document', 'README.md', 'a\n', 'a\n\u2066b\n', false, /bidirectional/],
    ['a bidirectional mark in code among translations', 'locales/ar.ts', '', '\u200F', false, /bidirect/],
    ['a zero-width space in code', 'src/a.js', 'a\n', 'const a\u200B = 1\n', false, /invisible/],
    ['a Hangul filler as a name', 'src/a.js', 'a\n', 'const \u3164 = 1\n', false, /invisible/],
    ['text hidden in tags', 'src/a.py', 'a\n', `a = "\u{E0041}\u{E0042}"\n`, false, /invisible/],
  ] as const)('%s is told', (_, path, before, after, isBinary, what) => {
    expect(said(path, before, after, isBinary)).toEqual([expect.stringMatching(what)])
  })

  it.each([
    ['plain code', 'src/a.js', 'a\n', 'b\n'],
    ['a changed picture', 'docs/logo.png', '\0a', '\0b'],
    ['code with accents', 'src/a.js', 'a\n', "const name = 'Zoë'\n"],
    ['a family in a string', 'src/a.js', 'a\n', "const a = '👨‍👩‍👧 ❤️ 1️⃣'\n"],
    ['Persian words in a string', 'src/a.js', 'a\n', "const a = 'می‌خواهم'\n"],
    ['an Arabic translation', 'locales/ar.json', '{}\n', '{ "a": "\u200Fمرحبا" }\n'],
    ['a catalogue of messages', 'po/he.po', '', 'msgstr "\u200Fשלום"\n'],
    ['a line that was there before', 'src/a.js', 'a\u200B\n', 'b\na\u200B\n'],
    ['a text in an old encoding', 'a.txt', 'abc\n', `${'some words '.repeat(5)}\uFFFD\n`],
  ] as const)('%s is fine', (_, path, before, after) => {
    expect(said(path, before, after)).toEqual([])
  })

  it('what is deleted is fine', () => {
    const gone = { ...change('a.pyc', 'x', ''), status: 'deleted', after: null } as const
    expect(inspectUnreadable(gone)).toEqual([])
  })
})
