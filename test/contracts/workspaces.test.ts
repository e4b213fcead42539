import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import {
  makeRepository,
  openFixture,
  snapshotOf,
  useRepository,
  type FixtureRepository,
} from '../fixtures/repositories.ts'

const fixtures: FixtureRepository[] = []
afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.dispose()
})

type Options = Parameters<typeof makeRepository>[1]
const made = (files?: Parameters<typeof makeRepository>[0], options?: Options) =>
  makeRepository(files, options)

/** Adds a linked worktree and stands in it. */
function inWorktree(fixture: FixtureRepository, ...args: string[]): FixtureRepository {
  const root = join(fixture.folder, 'linked')
  fixture.git('worktree', 'add', '--quiet', ...args, root)
  return useRepository({ ...fixture, root })
}

function inClone(fixture: FixtureRepository, ...args: string[]): FixtureRepository {
  const root = join(fixture.folder, 'clone')
  fixture.git('clone', '--quiet', ...args, `file://${fixture.root}`, root)
  return useRepository({ ...fixture, root })
}

function quietly(run: () => unknown): void {
  try {
    run()
  } catch {
    // the fixture is the state that a failing command leaves behind
  }
}

function conflicting(): FixtureRepository {
  const fixture = made({ 'a.txt': '1\n' })
  fixture.git('branch', 'other')
  fixture.write({ 'a.txt': 'ours\n' })
  fixture.commitAll('ours')
  fixture.git('switch', '--quiet', 'other')
  fixture.write({ 'a.txt': 'theirs\n' })
  fixture.commitAll('theirs')
  return fixture
}

/** Puts entries into the tree that no `git add` of files would make. */
function withIndexLine(fixture: FixtureRepository, line: Buffer): FixtureRepository {
  execFileSync('git', ['update-index', '-z', '--add', '--index-info'], {
    cwd: fixture.root,
    env: fixture.env,
    input: line,
  })
  fixture.git('commit', '--quiet', '-m', 'entry')
  return fixture
}

const withBlob = (fixture: FixtureRepository, name: Buffer): FixtureRepository =>
  withIndexLine(
    fixture,
    Buffer.concat([
      Buffer.from(`100644 ${fixture.git('rev-parse', 'HEAD:readme.md')}\t`),
      name,
      Buffer.from([0]),
    ]),
  )

const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n'

const states: Record<string, () => FixtureRepository> = {
  'a plain repository': () => made(),
  'CRLF files': () => made({ 'a.txt': 'one\r\ntwo\r\n' }),
  'mixed line ends': () => made({ 'a.txt': 'one\r\ntwo\nthree\r' }),
  'no final line end': () => made({ 'a.txt': 'one' }),
  'an empty file': () => made({ 'a.txt': '' }),
  'a BOM': () => made({ 'a.txt': '\ufeffone\n' }),
  'UTF-16 without an attribute': () => made({ 'a.txt': Buffer.from('one\n', 'utf16le') }),
  'a binary file': () => made({ 'a.bin': Buffer.from([0, 1, 2, 255, 13, 10, 0]) }),
  'core.autocrlf=true': () =>
    made({ 'a.txt': 'one\n', 'b.txt': 'x\r\n' }, { config: { 'core.autocrlf': 'true' } }),
  'core.autocrlf=input': () => made({ 'a.txt': 'one\ntwo\n' }, { config: { 'core.autocrlf': 'input' } }),
  'core.eol=crlf': () =>
    made({ '.gitattributes': '* text=auto\n', 'a.txt': 'one\n' }, { config: { 'core.eol': 'crlf' } }),
  'an attribute eol=crlf': () => made({ '.gitattributes': '*.txt eol=crlf\n', 'a.txt': 'one\r\n' }),
  'an attribute text=auto over CRLF in the tree': () => {
    const fixture = made({ 'a.txt': 'one\r\n' })
    fixture.write({ '.gitattributes': '* text=auto\n' })
    fixture.git('add', '.gitattributes')
    fixture.git('commit', '--quiet', '-m', 'attributes')
    return fixture
  },
  'the legacy attribute crlf': () => made({ '.gitattributes': '*.txt crlf\n', 'a.txt': 'one\n' }),
  'an attribute ident': () => made({ '.gitattributes': '*.c ident\n', 'a.c': '/* $Id$ */\n' }),
  'an attribute export-subst': () => made({ '.gitattributes': '* export-subst\n', 'a.txt': '$Format:%H$\n' }),
  'an attribute working-tree-encoding': () =>
    made({
      '.gitattributes': '*.txt working-tree-encoding=UTF-16\n',
      'a.txt': Buffer.from('\ufeffone\n', 'utf16le'),
    }),
  'LFS pointers without git-lfs': () => {
    const fixture = made({ 'big.bin': LFS_POINTER })
    fixture.write({ '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' })
    fixture.git('add', '.gitattributes')
    fixture.git('commit', '--quiet', '-m', 'attributes')
    return fixture
  },
  'LFS pointers with a required filter': () => {
    const fixture = made({ '.gitattributes': '*.bin filter=lfs\n', 'big.bin': LFS_POINTER })
    for (const key of ['clean', 'smudge', 'process']) fixture.git('config', `filter.lfs.${key}`, 'false')
    fixture.git('config', 'filter.lfs.required', 'true')
    return fixture
  },
  'attributes in a folder': () => made({ 'src/.gitattributes': '* text eol=crlf\n', 'src/a.txt': 'one\n' }),
  'attributes in info/attributes': () => {
    const fixture = made({ 'a.txt': 'one\n' })
    writeFileSync(join(fixture.root, '.git/info/attributes'), '* eol=crlf ident\n')
    return fixture
  },
  'an attribute -diff on everything': () => made({ '.gitattributes': '* -diff\n', 'a.txt': 'one\n' }),
  'a link to a file': () => made({ 'a.txt': 'a\n', link: { link: 'a.txt' } }),
  'a link to a folder': () => made({ 'src/a.txt': 'a\n', link: { link: 'src' } }),
  'a link that leads nowhere': () => made({ link: { link: 'nowhere' } }),
  'a link out of the repository': () => made({ link: { link: '/etc/passwd' } }),
  'a program': () => made({ 'run.sh': { program: '#!/bin/sh\n' } }),
  'core.fileMode=false': () =>
    made({ 'run.sh': { program: '#!/bin/sh\n' } }, { config: { 'core.fileMode': 'false' } }),
  'names with spaces, dashes and stars': () =>
    made({ ' a ': '1', '-rf': '2', '*': '3', '[x]?': '4', 'a\\b': '5', "'": '6' }),
  'names with line ends and tabs': () => made({ 'a\nb': '1', 'a\tb': '2', 'a\rb': '3' }),
  'names with quotes': () => made({ '"a"': '1', '"caf\\351.txt"': '2' }),
  'names as Windows dislikes them': () => made({ CON: '1', 'aux.txt': '2', 'trailing.': '3', 'a:b': '4' }),
  'an NFC and NFD pair': () => made({ 'caf\u00e9': '1', 'cafe\u0301': '2' }),
  'names that differ in case': () => made({ Readme: '1', README: '2' }),
  'a name of 255 bytes': () => made({ ['x'.repeat(255)]: '1' }),
  'a name that is not UTF-8': () => withBlob(made(), Buffer.from('caf\xe9.txt', 'latin1')),
  'a deep path': () => made({ [`${'d/'.repeat(60)}a`]: '1' }),
  'a submodule without its content': () =>
    withIndexLine(made(), Buffer.from(`160000 ${'1'.repeat(40)}\tvendor/lib\0`)),
  'a tracked file that is also ignored': () => made({ '.gitignore': '*.log\n', 'a.log': '1' }),
  'SHA-256 objects': () => made({ 'a.txt': 'a\n' }, { init: ['--object-format=sha256'] }),
  'a shallow clone': () => {
    const fixture = made()
    fixture.commitAll('second')
    return inClone(fixture, '--depth=1')
  },
  'a clone that borrows objects': () => {
    const fixture = made()
    const root = join(fixture.folder, 'borrowing')
    fixture.git('clone', '--quiet', '--shared', fixture.root, root)
    return useRepository({ ...fixture, root })
  },
  'a full clone made by partial means': () => {
    const fixture = made()
    fixture.git('config', 'uploadpack.allowFilter', 'true')
    return inClone(fixture, '--filter=blob:none')
  },
  'packed refs and objects': () => {
    const fixture = made()
    fixture.git('pack-refs', '--all')
    fixture.git('repack', '-a', '-d', '-q')
    return fixture
  },
  'a detached HEAD': () => {
    const fixture = made()
    fixture.git('checkout', '--quiet', '--detach')
    return fixture
  },
  'a linked worktree': () => inWorktree(made(), '-b', 'side'),
  'a worktree of a worktree': () => {
    const first = inWorktree(made(), '-b', 'side')
    const root = join(first.folder, 'second')
    first.git('worktree', 'add', '--quiet', '-b', 'third', root)
    return useRepository({ ...first, root })
  },
  'a worktree inside the repository': () => {
    const fixture = made({ '.gitignore': 'trees/\n', a: '1' })
    const root = join(fixture.root, 'trees/one')
    fixture.git('worktree', 'add', '--quiet', '-b', 'side', root)
    return useRepository({ ...fixture, root })
  },
  'a separate git directory': () => {
    const fixture = made()
    fixture.git('init', '--quiet', `--separate-git-dir=${join(fixture.folder, 'apart.git')}`)
    return fixture
  },
  'a folder below the root': () => {
    const fixture = made({ 'src/a.txt': 'a\n' })
    return { ...fixture, ...useRepository({ ...fixture, root: join(fixture.root, 'src') }) }
  },
  'a dirty tree': () => {
    const fixture = made({ 'a.txt': '1\n', 'b.txt': '1\n' })
    fixture.write({ 'a.txt': '2\n', new: 'untracked' })
    rmSync(join(fixture.root, 'b.txt'))
    return fixture
  },
  'staged changes': () => {
    const fixture = made({ 'a.txt': '1\n' })
    fixture.write({ 'a.txt': '2\n' })
    fixture.git('add', 'a.txt')
    fixture.write({ 'a.txt': '3\n' })
    return fixture
  },
  'a stash': () => {
    const fixture = made({ 'a.txt': '1\n' })
    fixture.write({ 'a.txt': '2\n' })
    fixture.git('stash')
    return fixture
  },
  'a merge in progress': () => {
    const fixture = conflicting()
    quietly(() => fixture.git('merge', 'main'))
    return fixture
  },
  'a rebase in progress': () => {
    const fixture = conflicting()
    quietly(() => fixture.git('rebase', 'main'))
    return fixture
  },
  'a bisect in progress': () => {
    const fixture = made()
    for (const name of ['two', 'three', 'four']) fixture.commitAll(name)
    fixture.git('bisect', 'start', 'HEAD', 'HEAD~3')
    return fixture
  },
  'locks left by others': () => {
    const fixture = made()
    for (const name of ['index.lock', 'HEAD.lock', 'config.lock', 'packed-refs.lock']) {
      writeFileSync(join(fixture.root, '.git', name), '')
    }
    return fixture
  },
  'assume-unchanged and skip-worktree': () => {
    const fixture = made({ a: '1', b: '1' })
    fixture.git('update-index', '--assume-unchanged', 'a')
    fixture.git('update-index', '--skip-worktree', 'b')
    return fixture
  },
  'a sparse checkout': () => {
    const fixture = made({ 'one/a': '1', 'two/b': '1' })
    fixture.git('sparse-checkout', 'set', 'one')
    return fixture
  },
  'a split index': () => made(undefined, { config: { 'core.splitIndex': 'true' } }),
  'replaced objects': () => {
    const fixture = made()
    const first = fixture.git('rev-parse', 'HEAD')
    fixture.write({ other: '1' })
    fixture.git('replace', first, fixture.commitAll('second'))
    return fixture
  },
  'a nested repository that git ignores': () => {
    const fixture = made({ '.gitignore': 'nested/\n' })
    mkdirSync(join(fixture.root, 'nested'))
    fixture.git('init', '--quiet', 'nested')
    return fixture
  },
  'an umask of 077': () => {
    const before = process.umask(0o077)
    const fixture = made({ a: '1', 'run.sh': { program: '#!/bin/sh\n' } })
    process.umask(before)
    return fixture
  },
  'a core.sharedRepository': () => made(undefined, { config: { 'core.sharedRepository': 'group' } }),
}

describe('an agent that does nothing', () => {
  test.each(Object.keys(states))(
    'leaves an empty patch, and the user nothing changed, in %s',
    async (name) => {
      const fixture = states[name]?.() ?? made()
      fixtures.push(fixture)
      const before = snapshotOf(fixture.root)
      const { workspaces, openWorkspace, base, trees, branches } = await openFixture(fixture)
      const workspace = await openWorkspace()
      const patch = await workspaces.capture(workspace, base.tree)
      expect(patch).toEqual({ base_tree: base.tree, tree: base.tree, files: [], refused: [] })
      expect(await trees.diff(base.tree, patch.tree, 1000)).toBe('')
      expect(await branches.check('fix/it')).toEqual({ state: 'free' })
      await workspaces.close(workspace.id)
      expect(snapshotOf(fixture.root)).toEqual(before)
    },
  )

  test('covers at least forty states', () => {
    expect(Object.keys(states).length).toBeGreaterThanOrEqual(40)
  })
})

describe('a workspace', () => {
  test('holds exactly the tree again when it is opened again, whatever was left there', async () => {
    const fixture = made({ '.gitignore': 'ignored\n', 'a.txt': 'a\n' })
    fixtures.push(fixture)
    const { openWorkspace, workspaces, base } = await openFixture(fixture)
    const first = await openWorkspace()
    for (const name of ['ignored', 'untracked', 'a.txt']) writeFileSync(join(first.path, name), 'changed')
    rmSync(join(first.path, '.git'), { recursive: true })
    const second = await openWorkspace()
    expect(second).toEqual(first)
    expect(Object.keys(snapshotOf(second.path)).filter((path) => !path.startsWith('.git/'))).toEqual([
      '.gitignore',
      'a.txt',
    ])
    expect(readFileSync(join(second.path, 'a.txt'), 'utf8')).toBe('a\n')
    expect((await workspaces.capture(second, base.tree)).files).toEqual([])
  })

  test.each(['sha1', 'sha256'])(
    'has a git of its own in which git commands work, with %s',
    async (format) => {
      const fixture = makeRepository(
        { '.gitattributes': '* text eol=crlf ident\n', 'a.c': '$Id$\n' },
        { init: [`--object-format=${format}`] },
      )
      fixtures.push(fixture)
      fixture.commitAll('second')
      const { openWorkspace, base } = await openFixture(fixture)
      const agent = useRepository({ ...fixture, root: (await openWorkspace()).path })
      expect(agent.git('status', '--porcelain')).toBe('')
      expect(agent.git('rev-parse', 'HEAD')).toBe(base.commit)
      expect(agent.git('log', '--format=%s')).toBe('second\nfirst')
      agent.write({ 'a.c': 'changed\n' })
      expect(agent.git('diff', '--name-only')).toBe('a.c')
      expect(agent.git('rev-parse', '--show-toplevel')).toBe(agent.root)
    },
  )

  test('of a shallow clone shows the history there is', async () => {
    const origin = made()
    origin.commitAll('second')
    const fixture = inClone(origin, '--depth=1')
    fixtures.push(fixture)
    const agent = useRepository({
      ...fixture,
      root: (await (await openFixture(fixture)).openWorkspace()).path,
    })
    expect(agent.git('log', '--format=%s')).toBe('second')
    expect(agent.git('status', '--porcelain')).toBe('')
  })

  test('refuses an id that could lead out of its folder', async () => {
    const fixture = made()
    fixtures.push(fixture)
    const { openWorkspace } = await openFixture(fixture)
    await expect(openWorkspace('../x')).rejects.toMatchObject({ name: 'Fault', code: 'internal' })
  })

  test('that is not open cannot be captured', async () => {
    const fixture = made()
    fixtures.push(fixture)
    const { openWorkspace, workspaces, base } = await openFixture(fixture)
    const workspace = await openWorkspace()
    await workspaces.close(workspace.id)
    await workspaces.close(workspace.id)
    await expect(workspaces.capture(workspace, base.tree)).rejects.toMatchObject({ code: 'not_found' })
  })
})
