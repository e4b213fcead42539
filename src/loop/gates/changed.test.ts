import { expect, it } from 'vitest'
import type { TreeId } from '../../model/id.ts'
import type { Patch, PatchFile } from '../../model/proof/patch.ts'
import { judgedPatch } from '../../../test/fixtures/judged-patch.ts'
import { changedGate, changesBlanksOnly, isAboutBlanks, isAboutRemarks } from './changed.ts'
import { runGates } from './run-gates.ts'
import type { FileChange, Origins } from '../ports.ts'

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

const remark = ['a.js', 'a()\n', '// fixed\na()\n'] as const

it('a patch of comments is no change, also beside new tests and documents', async () => {
  const reason = 'no changes applied: only comments and blanks differ in the code of a.js'
  expect(await gateOf([remark])).toEqual({ name: 'changed', status: 'failed', reason, paths: ['a.js'] })
  const beside = [
    remark,
    ['test/a.test.js', null, 'test("a", () => {})\n'],
    ['README.md', 'a\n', 'b\n'],
  ] as const
  expect(await gateOf(beside)).toMatchObject({ status: 'failed' })
  expect(await gateOf([remark, ['b.js', 'a()\n', 'b()\n']])).toMatchObject({ status: 'passed' })
  expect(await gateOf([remark, ['b.json', '1\n', '2\n']])).toMatchObject({ status: 'passed' })
  expect(await gateOf([remark], { issue: null })).toMatchObject({ status: 'passed' })
})

it('a patch that looks like comments, where no parser can tell, waits for a person', async () => {
  const edits = [['a.go', 'package a\n', '// fixed\npackage a\n']] as const
  expect(await gateOf(edits)).toMatchObject({
    status: 'failed',
    reason: 'every changed line looks like a comment or blank: a.go',
    asks: { whom: 'person' },
  })
  const { patch } = judgedPatch(edits)
  expect(await gateOf(edits, { approved: { tree: patch.tree, paths: ['a.go'] } })).toMatchObject({
    status: 'passed',
  })
})

const found = { rule: 'a-rule', title: 'A title', flagged_by: ['tool'] }

it('a comment is a fix where the finding cites a comment, or speaks of one', async () => {
  const edits = [['a.js', 'a()\n// wrong\nb()\n', 'a()\n// right\nb()\n']] as const
  const statusAt = async (issue: object) =>
    (await gateOf(edits, { issue: { ...found, file: 'a.js', ...issue } }))?.status
  expect(await statusAt({ line: 2 })).toBe('passed')
  expect(await statusAt({ line: 2, end_line: 2 })).toBe('passed')
  expect(await statusAt({ line: 2, end_line: 3 })).toBe('failed')
  expect(await statusAt({ line: 3, current_code: '// wrong' })).toBe('passed')
  expect(await statusAt({ line: 1 })).toBe('failed')
  expect(await statusAt({ line: 1, category: 'documentation' })).toBe('passed')
  expect(await statusAt({ file: 'b.js', line: 2 })).toBe('failed')
})

it('a comment is a fix where the tool that raised the finding is silent now', async () => {
  const reports = (count: number): Origins => ({
    ask: async (_issue, { tree }) => ({
      found:
        tree === '0'.repeat(40) || count > 0 ? [{ ...found, file: 'a.js', line: 1, end_line: null }] : [],
    }),
  })
  const asking = (tool: Origins) => {
    const { ports } = judgedPatch([remark])
    return gateOf([remark], {
      ports: { ...ports, origins: [tool] },
      issue: { ...found, file: 'a.js', line: 1 },
    })
  }
  expect(await asking(reports(0))).toMatchObject({ status: 'passed' })
  expect(await asking(reports(1))).toMatchObject({ status: 'failed' })
})

it.each([
  [{ rule: 'jsdoc/require-jsdoc', title: 'x' }, true],
  [{ rule: 'no-warning-comments', title: 'x' }, true],
  [{ rule: null, title: 'Missing license header' }, true],
  [{ rule: 'a-rule', title: 'Comments are posted twice' }, false],
])('%j is about remarks: %s', (issue, expected) => {
  expect(isAboutRemarks({ ...found, file: null, ...issue })).toBe(expected)
})
