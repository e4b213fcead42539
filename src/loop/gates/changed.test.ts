import { expect, it } from 'vitest'
import type { TreeId } from '../../model/id.ts'
import type { Patch, PatchFile } from '../../model/proof/patch.ts'
import { judgedPatch } from '../../../test/fixtures/judged-patch.ts'
import { changedGate, changesBlanksOnly, isAboutBlanks } from './changed.ts'
import { runGates } from './run-gates.ts'
import type { FileChange } from '../ports.ts'

const changeOf = (path: string, before: string | null, after: string | null): FileChange => ({
  path,
  oldPath: null,
  status:
    before === null ? 'added' : after === null ? 'deleted' : before === after ? 'mode_changed' : 'modified',
  before,
  after,
  isBinary: false,
})
const fileOf = ({ path, status }: FileChange, mode = '100644'): PatchFile => ({
  path,
  status,
  old_path: null,
  mode,
  old_mode: '100644',
  link_target: null,
  binary: false,
  additions: 1,
  deletions: 1,
})
const patchOf = (files: readonly PatchFile[]): Patch => ({
  base_tree: '0'.repeat(40) as TreeId,
  tree: '1'.repeat(40) as TreeId,
  files,
  refused: [],
})
const isBlank = (path: string, before: string | null, after: string | null, mode?: string): boolean => {
  const change = changeOf(path, before, after)
  return changesBlanksOnly(patchOf([fileOf(change, mode)]), [change])
}

it.each([
  ['indentation', 'a.js', 'if (a) {\nb()\n}\n', 'if (a) {\n    b()\n}\n'],
  ['tabs', 'a.ts', '  a()\n', '\ta()\n'],
  ['blank lines and trailing blanks', 'a.java', 'int a;\nint b;\n', 'int a;  \n\n\nint b;\n\n'],
  ['blanks around operators', 'a.mjs', 'x=a+b\n', 'x = a + b\n'],
  ['blanks around brackets', 'a.ts', 'f=(a)=>[a]\n', 'f = ( a ) => [ a ]\n'],
  ['line ends', 'a.py', 'a = 1\nb = 2\n', 'a = 1\r\nb = 2\r\n'],
  ['a byte order mark', 'a.css', 'a { }\n', '\uFEFFa { }\n'],
  ['a mode that nobody runs', 'a.js', 'a()\n', 'a()\n', '100755'],
])('%s: nothing changed', (_name, path, before, after, mode?: string) => {
  expect(isBlank(path, before, after, mode)).toBe(true)
})

it.each([
  ['a word', 'a.js', 'a()\n', 'b()\n'],
  ['blanks in a text', 'a.js', "a('x  y')\n", "a('x y')\n"],
  ['blanks in a pattern', 'a.js', 'a(/x  y/)\n', 'a(/x y/)\n'],
  ['blanks in a text of several lines', 'a.js', 'a(`\n x\n`)\n', 'a(`\n  x\n`)\n'],
  ['where a statement ends', 'a.js', 'return\nx\n', 'return x\n'],
  ['words run together', 'a.js', 'new a()\n', 'newa()\n'],
  ['signs run together', 'a.js', 'a + +b\n', 'a ++b\n'],
  ['what a macro is', 'a.c', '#define F (x)\n', '#define F(x)\n'],
  ['indentation that means a block', 'a.py', 'if a:\n  b()\nc()\n', 'if a:\n  b()\n  c()\n'],
  ['indentation of data', 'a.yaml', 'a:\n  b: 1\nc: 2\n', 'a:\n  b: 1\n  c: 2\n'],
  ['indentation of a rule', 'Makefile', 'all:\n  x\n', 'all:\n\tx\n'],
  ['the line ends of a script', 'a.sh', '#!/bin/sh\r\na\r\n', '#!/bin/sh\na\n'],
  ['the mode of a program', 'tool', '#!/bin/sh\n', '#!/bin/sh\n', '100755'],
  ['a new file', 'a.js', null, '\n'],
  ['a file that is gone', 'a.js', '\n', null],
])('%s: something changed', (_name, path, before, after, mode?: string) => {
  expect(isBlank(path, before, after, mode)).toBe(false)
})

it('one real change is enough', () => {
  const changes = [changeOf('a.js', 'a()\n', ' a()\n'), changeOf('b.js', 'a()\n', 'b()\n')]
  expect(changesBlanksOnly(patchOf(changes.map((change) => fileOf(change))), changes)).toBe(false)
})

it.each([
  [{ category: 'style', rule: null, title: 'x' }, true],
  [{ category: 'quality', rule: 'no-trailing-spaces', title: 'x' }, true],
  [{ category: 'quality', rule: null, title: 'The script is not executable' }, true],
  [{ category: 'correctness', rule: 'js/nan-compare', title: 'Compares with NaN' }, false],
])('%j is about blanks: %s', (issue, expected) => {
  expect(isAboutBlanks(issue)).toBe(expected)
})

const gateOf = async (...given: Parameters<typeof judgedPatch>) =>
  (await runGates({ patch: judgedPatch(...given) }, { list: [changedGate] }))[0]

it('an empty patch is no change', async () => {
  const { patch } = judgedPatch([])
  const empty = { ...patch, tree: patch.base_tree }
  expect(await gateOf([], { patch: empty })).toMatchObject({ name: 'changed', status: 'failed' })
})

it('a patch of blanks is no change, and is taken back', async () => {
  const edits = [
    ['a.js', 'a()\n', '  a()\n'],
    ['b.js', 'b()\n', 'b() \n'],
  ] as const
  expect(await gateOf(edits)).toEqual({
    name: 'changed',
    status: 'failed',
    reason: 'no changes applied: only white space, line ends or modes differ in a.js, b.js',
    paths: ['a.js', 'b.js'],
  })
  expect(await gateOf(edits, { issue: null })).toMatchObject({ status: 'passed' })
})
