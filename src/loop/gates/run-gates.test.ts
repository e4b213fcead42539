import { describe, expect, it } from 'vitest'
import type { AgentRun } from '../../model/agent/agent.ts'
import type { TreeId } from '../../model/id.ts'
import type { Patch, PatchFile } from '../../model/proof/patch.ts'
import type { IssueReport } from '../../model/agent/report.ts'
import { filesOutsideFinding, runGates, type Scope } from './run-gates.ts'

const base = '0'.repeat(40) as TreeId
const changed = '1'.repeat(40) as TreeId
const run: AgentRun = {
  agent: 'x',
  model: null,
  ending: { ended: 'finished' },
  text: '',
  tokens: 0,
  cost_usd: 0,
  conversation_id: null,
  duration_ms: 0,
}
const report = { outcome: 'fixed' } as IssueReport
const file = (path: string, given: Partial<PatchFile> = {}): PatchFile => ({
  path,
  status: 'modified',
  old_path: null,
  mode: '100644',
  old_mode: '100644',
  link_target: null,
  binary: false,
  additions: 1,
  deletions: 0,
  ...given,
})
const patch = (...files: PatchFile[]): Patch => ({ base_tree: base, tree: changed, files, refused: [] })
const scope: Scope = {
  path: null,
  extra: [],
  file: 'packages/a/x.ts',
  approved: new Set(),
  foreign: new Set(['packages/a/other.ts']),
}
const inA: Scope = { ...scope, path: 'packages/a', extra: ['packages/shared'] }
const gatesOf = (given: Patch, within: Scope = scope) =>
  runGates({ run, report }, { patch: given, isBlank: false }, within)
const scopeOf = (given: Scope, ...files: PatchFile[]) => gatesOf(patch(...files), given).at(-1)

describe('ran and changed', () => {
  it('a failed agent closes the first gate, and no other is asked', () => {
    const failed: AgentRun = {
      ...run,
      ending: { ended: 'failed', kind: 'crashed', message: 'exit code 1', reset_at: null },
    }
    expect(
      runGates({ run: failed, report: null }, { patch: patch(file('a')), isBlank: false }, scope),
    ).toEqual([{ name: 'ran', status: 'failed', reason: 'the agent crashed: exit code 1' }])
  })
  it('no readable report closes it too', () => {
    expect(runGates({ run, report: null }, { patch: patch(file('a')), isBlank: false }, scope)).toMatchObject(
      [{ name: 'ran', status: 'failed', reason: expect.stringContaining('no readable report') }],
    )
  })
  it('an empty patch is no change', () => {
    const empty: Patch = { base_tree: base, tree: base, files: [], refused: [] }
    expect(gatesOf(empty).at(-1)).toMatchObject({ name: 'changed', status: 'failed' })
  })
  it('a patch of blanks is no change, and is taken back', () => {
    const blank = { patch: patch(file('a'), file('b')), isBlank: true }
    expect(runGates({ run, report }, blank, scope).at(-1)).toEqual({
      name: 'changed',
      status: 'failed',
      reason: 'no changes applied: only white space, line ends or modes differ in a, b',
      paths: ['a', 'b'],
    })
  })
})

describe('scope', () => {
  it.each<[string, Scope, PatchFile]>([
    ['a file of the folder', inA, file('packages/a/y.ts')],
    ['an extra folder', inA, file('packages/shared/z.ts')],
    ['the finding’s own file, wherever it is', { ...inA, file: 'packages/b/x.ts' }, file('packages/b/x.ts')],
    ['a dot-file of the folder', inA, file('packages/a/.eslintrc')],
    ['anything without a folder', scope, file('docs/readme.md')],
    ['a link that stays inside', scope, file('docs/link', { mode: '120000', link_target: '../src/a.ts' })],
  ])('holds: %s', (_name, given, changedFile) => {
    expect(scopeOf(given, changedFile)).toEqual({
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
  ])('is left: %s', (_name, given, changedFile, paths) => {
    expect(scopeOf(given, changedFile)).toMatchObject({ name: 'scope', status: 'failed', paths })
  })

  it('is left by what was refused before staging', () => {
    const refused = {
      ...patch(file('packages/a/x.ts')),
      refused: [{ path: 'x/.git', reason: 'a nested repository' }],
    }
    expect(gatesOf(refused).at(-1)).toMatchObject({
      status: 'failed',
      paths: ['x/.git'],
    })
  })
})

it('files outside the finding are noted', () => {
  expect(filesOutsideFinding(patch(file('a'), file('b', { old_path: 'c' })), 'a')).toEqual(['c', 'b'])
})
