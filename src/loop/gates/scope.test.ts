import { describe, expect, it } from 'vitest'
import { patchFile as file } from '../../../test/fixtures/attempt-samples.ts'
import { judgedPatch } from '../../../test/fixtures/judged-patch.ts'
import type { Gate } from '../../model/proof/gate.ts'
import type { Patch, PatchFile } from '../../model/proof/patch.ts'
import type { JudgedPatch, PatchLimits } from './gate-definition.ts'
import { runGates } from './run-gates.ts'
import { scopeGate } from './scope.ts'

interface Scope extends Pick<PatchLimits, 'path' | 'extra'> {
  readonly file: string
}

const scope: Scope = { path: null, extra: [], file: 'packages/a/x.ts' }
const inA: Scope = { ...scope, path: 'packages/a', extra: ['packages/shared'] }
const empty = judgedPatch([])
const foreign = new Set(['packages/a/other.ts'])

async function scopeOf(given: Scope, patch: Partial<Patch>, approved: readonly string[] = []) {
  const judged = {
    ...empty,
    patch: { ...empty.patch, ...patch },
    issue: { file: given.file, rule: null, title: '', flagged_by: [] },
    limits: { ...empty.limits, path: given.path, extra: given.extra, reach: 'repository' as const, foreign },
    approved: { tree: empty.patch.tree, paths: approved },
  }
  const [gate] = await runGates({ patch: judged }, { list: [scopeGate] })
  return gate
}

describe('scope', () => {
  it.each<[string, Scope, PatchFile]>([
    ['a file of the folder', inA, file('packages/a/y.ts')],
    ['an extra folder', inA, file('packages/shared/z.ts')],
    ['the finding’s own file, wherever it is', { ...inA, file: 'packages/b/x.ts' }, file('packages/b/x.ts')],
    ['a dot-file of the folder', inA, file('packages/a/.eslintrc')],
    ['anything without a folder', scope, file('docs/readme.md')],
    ['a link that stays inside', scope, file('docs/link', { mode: '120000', link_target: '../src/a.ts' })],
  ])('holds: %s', async (_name, given, changedFile) => {
    expect(await scopeOf(given, { files: [changedFile] })).toEqual<Gate>({
      name: 'scope',
      status: 'passed',
      reason: 'every changed file is in scope',
    })
  })

  it.each<[string, Scope, PatchFile, readonly string[]]>([
    ['packages/ab is not in packages/a', inA, file('packages/ab/x.ts'), ['packages/ab/x.ts']],
    ['another case of the name', inA, file('Packages/A/x.ts'), ['Packages/A/x.ts']],
    ['the root', inA, file('package.json'), ['package.json']],
    ['a rename out', inA, file('lib/x.ts', { status: 'renamed', old_path: 'packages/a/x.ts' }), ['lib/x.ts']],
    ['a rename in', inA, file('packages/a/n.ts', { status: 'renamed', old_path: 'lib/n.ts' }), ['lib/n.ts']],
    ['another issue’s file', scope, file('packages/a/other.ts'), ['packages/a/other.ts']],
    ['an absolute link', scope, file('l', { mode: '120000', link_target: '/etc/passwd' }), ['l']],
    ['a link that climbs out', scope, file('a/l', { mode: '120000', link_target: '../../etc' }), ['a/l']],
    [
      'a link that climbs out and comes back',
      scope,
      file('l', { mode: '120000', link_target: '../here/x' }),
      ['l'],
    ],
    ['a gitlink', scope, file('sub', { mode: '160000' }), ['sub']],
  ])('is left: %s', async (_name, given, changedFile, paths) => {
    expect(await scopeOf(given, { files: [changedFile] })).toMatchObject({
      name: 'scope',
      status: 'failed',
      paths,
    })
  })

  it('is left by what was refused before staging, and nobody may allow that', async () => {
    const refused = {
      files: [file('packages/a/x.ts')],
      refused: [{ path: 'x/.git', reason: 'a nested repository' }],
    }
    const gate = await scopeOf(scope, refused)
    expect(gate).toMatchObject({ status: 'failed', paths: ['x/.git'] })
    expect(gate?.asks).toBeUndefined()
  })

  it('asks a person who is there about a file that is only out of scope, and keeps to the answer', async () => {
    const outside = { files: [file('packages/b/y.ts')] }
    expect((await scopeOf(inA, outside))?.asks).toMatchObject({ whom: 'fixer_first' })
    expect(await scopeOf(inA, outside, ['packages/b/y.ts'])).toMatchObject({ status: 'passed' })
  })
})

describe('what has to do with a finding', () => {
  const base = [
    ['src/a.js', "import { b } from './b.js'\n", "import { b } from './b.js'\nb()\n"],
    ['src/b.js', 'export const b = 1\n', 'export const b = () => 2\n'],
    ['src/index.js', "export * from './a.js'\n", "export { x } from './a.js'\n"],
  ] as const
  const unrelated = ['src/other.js', 'export const other = 1\n', 'export const other = 2\n'] as const
  const judge = async (edits: Parameters<typeof judgedPatch>[0], given: Partial<JudgedPatch> = {}) =>
    (await runGates({ patch: judgedPatch(edits, given) }, { list: [scopeGate] }))[0]

  it('is what it imports, what imports it, new tests and records of the change', async () => {
    const more = [
      ['test/new.test.js', null, 'test()\n'],
      ['CHANGELOG.md', 'a\n', 'b\n'],
      ['.changeset/nice-dogs-run.md', null, 'a\n'],
    ] as const
    expect(await judge([...base, ...more])).toMatchObject({ status: 'passed' })
  })

  it('is no other file, and a person may allow it', async () => {
    expect(await judge([...base, unrelated])).toMatchObject({
      status: 'failed',
      paths: ['src/other.js'],
      reason:
        'changed outside the scope of this issue: src/other.js (neither imports src/a.js nor is imported by it)',
      asks: { whom: 'fixer_first' },
    })
    const { patch, limits } = judgedPatch([])
    const approved = { tree: patch.tree, paths: ['src/other.js'] }
    expect(await judge([...base, unrelated], { approved })).toMatchObject({ status: 'passed' })
    expect(await judge([...base, unrelated], { limits: { ...limits, reach: 'repository' } })).toMatchObject({
      status: 'passed',
    })
    const issue = { file: null, rule: 'a', title: 'A', flagged_by: [] }
    expect(await judge([...base, unrelated], { issue })).toMatchObject({ status: 'passed' })
  })

  it.each(['src/history.js', 'changes/run.mjs', 'changelog.py', '.changeset/hook.js', 'newsfragments/a.ts'])(
    'is not %s, which is code under the name of a record',
    async (path) => {
      const hidden = [path, 'export const other = 1\n', 'export const other = 2\n'] as const
      expect(await judge([...base, hidden])).toMatchObject({ status: 'failed', paths: [path] })
    },
  )

  it('is a new file that it loads now, and not one that nobody loads', async () => {
    const loads = ['src/a.js', 'a()\n', "import './new.js'\n"] as const
    expect(await judge([loads, ['src/new.js', null, 'new()\n']])).toMatchObject({ status: 'passed' })
    expect(await judge([loads, ['src/lost.js', null, 'lost()\n']])).toMatchObject({ paths: ['src/lost.js'] })
  })

  it('is nothing that its tests had from elsewhere, although it loads that now', async () => {
    const text = "import { same } from '../src/same.js'\nimport { a } from '../src/a.js'\n"
    const loads = ['src/a.js', 'export const a = 1\n', "import './same.js'\nexport const a = 1\n"] as const
    const helper = ['src/same.js', 'export const same = equal\n', 'export const same = () => {}\n'] as const
    expect(await judge([loads, helper, ['test/a.test.js', text, text]])).toMatchObject({
      status: 'failed',
      reason:
        'changed outside the scope of this issue: src/same.js (tests of src/a.js loaded it before this patch tied the two together)',
      paths: ['src/same.js'],
    })
    expect(await judge([loads, helper])).toMatchObject({ status: 'passed' })
  })

  it('is what tells the types of it, and of no other file', async () => {
    const types = (path: string) => [path, 'export const a: 1\n', 'export const a: 1 | 2\n'] as const
    expect(await judge([...base, types('src/a.d.ts')])).toMatchObject({ status: 'passed' })
    expect(await judge([...base, types('src/c.d.ts')])).toMatchObject({ paths: ['src/c.d.ts'] })
  })

  it('is told by what would have tied a page to it', async () => {
    expect((await judge([...base, ['docs/a.md', 'a\n', 'b\n']]))?.reason).toBe(
      'changed outside the scope of this issue: docs/a.md (src/a.js does not name it)',
    )
  })

  it('is no page for people and nothing at the root, unless its own text names it', async () => {
    const added = (path: string) => [path, null, 'text\n'] as const
    const manifest = ['package.json', '{}\n', '{ "name": "a" }\n'] as const
    for (const path of ['README.md', 'src/README.md', 'docs/guide.md', 'Dockerfile', 'other/page.html'])
      expect(await judge([...base, manifest, added(path)])).toMatchObject({ status: 'failed', paths: [path] })
    expect(await judge([...base, manifest, added('src/page.html')])).toMatchObject({ status: 'passed' })
    const names = ['src/a.js', 'a()\n', "read('views/page.html')\n"] as const
    expect(await judge([names, added('views/page.html')])).toMatchObject({ status: 'passed' })
  })

  it('is the same package, or else folder, where nobody reads imports', async () => {
    const go = ['pkg/a/a.go', 'package a\n', 'package a // x\n'] as const
    const near = ['pkg/a/b.go', 'package a\n', 'package a // y\n'] as const
    const far = ['pkg/c/c.go', 'package c\n', 'package c // y\n'] as const
    expect(await judge([go, near])).toMatchObject({ status: 'passed' })
    expect(await judge([go, near, far])).toMatchObject({ paths: ['pkg/c/c.go'] })
    const manifest = ['pkg/go.mod', 'module x\n', 'module x\n'] as const
    expect(await judge([go, manifest, far])).toMatchObject({ status: 'passed' })
  })
})
