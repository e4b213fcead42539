import { describe, expect, it } from 'vitest'
import type { FileChange } from '../../../loop/ports.ts'
import { compareCode, isRemark } from './compare-code.ts'

const compare = (path: string, before: string, after: string, status: FileChange['status'] = 'modified') =>
  compareCode({ path, oldPath: null, status, before, after, isBinary: false })

const python = 'def f(a):\n    return a\n'

describe('code that is the same program', () => {
  it.each([
    ['a comment is added', 'a.js', 'f(1)\n', '// fixed now\nf(1)\n'],
    ['a comment is changed', 'a.ts', 'f(1) // one\n', 'f(1) // 1\n'],
    ['a comment stands inside an expression', 'a.tsx', 'f(1, 2)\n', 'f(1, /* two */ 2)\n'],
    ['a comment stands in markup', 'a.tsx', 'let a = <p>{b}</p>\n', 'let a = <p>{/* b */ b}</p>\n'],
    ['lines are broken otherwise', 'a.js', 'f(a, b)\n', 'f(\n  a,\n  b\n)\n'],
    ['semicolons are added', 'a.js', 'f(1)\ng(2)\n', 'f(1);\ng(2);;\n'],
    ['a word of a checker stands in a sentence', 'a.js', 'f(1)\n', '// eslint is happy now\nf(1)\n'],
    ['what looks like a shebang is not the first line', 'a.py', python, `${python}#!fixed\n`],
    ['a comment in Python', 'a.py', python, 'def f(a):\n    # fixed\n    return a\n'],
    ['a docstring is added', 'a.py', python, 'def f(a):\n    """Fixed."""\n    return a\n'],
    ['a docstring of a module is added', 'a.py', python, `"""Fixed."""\n${python}`],
    ['indentation has another width', 'a.py', python, 'def f(a):\n  return a\n'],
  ])('%s', (_, path, before, after) => {
    expect(compare(path, before, after)).toBe('none')
  })
})

describe('code that is another program', () => {
  it.each([
    ['a value', 'a.js', 'f(1)\n', 'f(2)\n'],
    ['where a statement ends', 'a.js', 'return\nx\n', 'return x\n'],
    ['what a semicolon parts', 'a.js', 'for (;a;) {}\n', 'for (a;;) {}\n'],
    ['a semicolon that is a body', 'a.js', 'if (a) b()\n', 'if (a); b()\n'],
    ['blanks in a text', 'a.js', "f('a  b')\n", "f('a b')\n"],
    ['blanks between escapes', 'a.py', 'a = "\\n \\n"\n', 'a = "\\n\\n"\n'],
    ['a comment mark in a text', 'a.js', "f('// a')\n", "f('// b')\n"],
    ['blanks in markup', 'a.tsx', 'let a = <p>b c</p>\n', 'let a = <p>b  c</p>\n'],
    ['indentation that means a block', 'a.py', 'if a:\n  b()\nc()\n', 'if a:\n  b()\n  c()\n'],
    ['a shebang', 'a.js', 'f(1)\n', '#!/usr/bin/env node\nf(1)\n'],
    ['an encoding', 'a.py', python, `# -*- coding: latin-1 -*-\n${python}`],
    ['a pragma of TypeScript', 'a.ts', 'f(1)\n', '// @ts-check\nf(1)\n'],
    ['a silenced checker', 'a.js', 'f(1)\n', 'f(1) // eslint-disable-line\n'],
    ['a checker that is no longer silenced', 'a.py', 'f(1)  # noqa\n', 'f(1)\n'],
    ['an annotation for a bundler', 'a.js', 'f(1)\n', '/* @__PURE__ */ f(1)\n'],
    [
      'a type in a comment that is checked',
      'a.js',
      '// @ts-check\nf(1)\n',
      '// @ts-check\n/** @type {any} */\nf(1)\n',
    ],
    ['a docstring that is printed', 'a.py', '"""A"""\nprint(__doc__)\n', '"""B"""\nprint(__doc__)\n'],
    ['examples in a docstring', 'a.py', '"""\n>>> 1\n1\n"""\n', '"""\n>>> 2\n2\n"""\n'],
    ['a text that is no docstring', 'a.py', 'a = "x"\n', 'a = "y"\n'],
    ['a document', 'a.md', 'a\n', '# a\n'],
    ['a build constraint', 'a.go', 'package a\n', '//go:build linux\n\npackage a\n'],
  ])('%s', (_, path, before, after) => {
    expect(compare(path, before, after)).toBe('some')
  })

  it('a file that is new, gone, renamed or given another mode is another program', () => {
    expect(compare('a.js', 'f(1)\n', 'f(1)\n', 'renamed')).toBe('some')
    expect(compare('a.js', 'f(1)\n', 'f(1)\n', 'mode_changed')).toBe('some')
    expect(
      compareCode({
        path: 'a.js',
        oldPath: null,
        status: 'added',
        before: null,
        after: '// a\n',
        isBinary: false,
      }),
    ).toBe('some')
  })
})

describe('code without a parser', () => {
  it.each([
    ['Go', 'a.go', 'package a\n', '// Package a is fixed.\npackage a\n'],
    ['a block', 'a.java', 'class A {}\n', '/*\n * fixed\n */\nclass A {}\n\n'],
    ['Ruby', 'a.rb', 'a = 1\n', '# fixed\na = 1\n'],
    ['SQL', 'a.sql', 'select 1;\n', '-- fixed\nselect 1;\n'],
    ['code that does not parse', 'a.js', 'f(((\n', '// fixed\nf(((\n'],
  ])('seems to be the same: %s', (_, path, before, after) => {
    expect(compare(path, before, after)).toBe('apparently_none')
  })

  it.each([
    ['a preprocessor', 'a.c', 'int a;\n', '#define b 1\nint a;\n'],
    ['code behind a comment', 'a.go', 'package a\n', '/* x */ import "b"\npackage a\n'],
    ['a pointer', 'a.c', 'int a;\n', '*a = 1;\nint a;\n'],
    ['an attribute', 'a.rs', 'fn a() {}\n', '#[inline]\nfn a() {}\n'],
  ])('is another: %s', (_, path, before, after) => {
    expect(compare(path, before, after)).toBe('some')
  })
})

describe('a cited region', () => {
  const source = '// a comment\nf(1) // one\n\n/* two\n lines */\n'
  it.each([
    [{ first: 1, last: 1 }, true],
    [{ first: 2, last: 2 }, false],
    [{ first: 1, last: 2 }, false],
    [{ first: 3, last: 5 }, true],
    [{ first: 90, last: 91 }, false],
  ])('%j is a remark: %s', (lines, expected) => {
    expect(isRemark('a.js', source, lines)).toBe(expected)
  })

  it('is a docstring, or a comment of a language without a parser', () => {
    expect(isRemark('a.py', 'def f():\n    """Wrong."""\n    return 1\n', { first: 2, last: 2 })).toBe(true)
    expect(isRemark('a.go', '// Wrong.\npackage a\n', { first: 1, last: 1 })).toBe(true)
    expect(isRemark('a.go', '// Wrong.\npackage a\n', { first: 2, last: 2 })).toBe(false)
  })
})
