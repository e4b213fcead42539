import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createBranches } from '../../src/adapters/workspaces/index.ts'
import { CommitId, type TreeId } from '../../src/model/id.ts'
import {
  makeRepository,
  openFixture,
  snapshotOf,
  useRepository,
  writeFiles,
  type FixtureFile,
  type FixtureRepository,
  readFile,
} from '../fixtures/repositories.ts'

const fixtures: FixtureRepository[] = []
afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.dispose()
})

async function open(files?: Record<string, FixtureFile>, options?: Parameters<typeof makeRepository>[1]) {
  const fixture = makeRepository(files, options)
  fixtures.push(fixture)
  const opened = await openFixture(fixture)
  let count = 0
  /** A tree made from the base by an edit in a workspace. */
  const edited = async (edit: (path: string) => void) => {
    const workspace = await opened.openWorkspace(`att_${++count}`)
    edit(workspace.path)
    return opened.workspaces.capture(workspace, opened.base.tree)
  }
  const commitOf = (tree: TreeId, parent: CommitId, message = 'fix') =>
    opened.trees.commit({
      tree,
      parent,
      message,
      author: opened.repository.identity,
      date_ms: 1_700_000_000_000,
    })
  /** A commit on the base, or on another, that adds one file. */
  const landed = async (name: string, parent = opened.base.commit) =>
    commitOf((await edited((path) => writeFileSync(join(path, name), `${name}\n`))).tree, parent)
  return { ...opened, edited, commitOf, landed }
}

const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString())

describe('trees.resolve', () => {
  test('names commits by branch, tag, HEAD and object name, and answers null to everything else', async () => {
    const { trees, fixture, base } = await open()
    fixture.git('tag', '-a', 'v1', '-m', 'v1')
    for (const revision of ['HEAD', 'main', 'v1', 'refs/heads/main', base.commit, base.commit.slice(0, 8)]) {
      expect(await trees.resolve(revision), revision).toEqual(base)
    }
    for (const revision of [
      '',
      'nope',
      '--all',
      '-x',
      'HEAD:readme.md',
      base.tree,
      'a b',
      '\0',
      'HEAD\nmain',
      '0'.repeat(40),
      '@{upstream}',
    ]) {
      expect(await trees.resolve(revision), revision).toBeNull()
    }
  })

  test('takes HEAD from the checkout that it was opened in', async () => {
    const fixture = makeRepository()
    fixtures.push(fixture)
    const root = join(fixture.folder, 'linked')
    fixture.git('worktree', 'add', '--quiet', '-b', 'side', root)
    const linked = useRepository({ ...fixture, root })
    const commit = linked.commitAll('on the side')
    expect((await openFixture(linked)).base.commit).toBe(commit)
  })
})

describe('trees.read', () => {
  test('gives the bytes of regular files only', async () => {
    const { trees, base } = await open({
      'src/a.js': 'one\r\n',
      'src/run': { program: '#!' },
      link: { link: 'src/a.js' },
      dir: { link: 'src' },
      '-x': 'dash',
      ':c': 'colon',
    })
    expect(text(await readFile(trees, base.tree, 'src/a.js'))).toBe('one\r\n')
    expect(text(await readFile(trees, base.tree, 'src/run'))).toBe('#!')
    expect(text(await readFile(trees, base.tree, '-x'))).toBe('dash')
    expect(text(await readFile(trees, base.tree, ':c'))).toBe('colon')
    for (const path of [
      '',
      'src',
      'src/',
      '/src/a.js',
      './src/a.js',
      'src/../src/a.js',
      '../x',
      'link',
      'dir/a.js',
      'nope',
      'src/a.js/x',
      'src/a.js\0',
    ]) {
      expect(await readFile(trees, base.tree, path), path).toBeNull()
    }
  })
})

test('a folder of more files than are remembered is read once for all who ask', async () => {
  const { fixture, repository } = await open({ a: '1' })
  const blob = fixture.git('rev-parse', 'HEAD:a')
  const input = Array.from({ length: 150_000 }, (_, at) => `100644 blob ${blob}\tf${at}\n`).join('')
  const options = { cwd: fixture.root, env: fixture.env, input }
  const tree = execFileSync('git', ['mktree'], options).toString().trim()
  const { objects } = repository
  const [first, second] = await Promise.all([objects.tree(tree), objects.tree(tree)])
  expect(second).toBe(first)
  expect(await objects.tree(tree)).toBe(first)
  expect(await objects.find(tree, 'f149999')).toEqual({ mode: '100644', oid: blob })
})

describe('trees.readMany', () => {
  test('gives those of the paths that are regular files', async () => {
    const { trees, base } = await open({ a: '1\n', 'src/b\nc': '', link: { link: 'a' } })
    const asked = ['a', 'src/b\nc', 'link', 'src', 'nope', '../a']
    const read = await trees.readMany(base.tree, asked)
    expect([...read].map(([path, bytes]) => [path, text(bytes)])).toEqual([
      ['a', '1\n'],
      ['src/b\nc', ''],
    ])
    await trees.list(base.tree) // what is listed is not looked for in the tree again
    expect(await trees.readMany(base.tree, asked)).toEqual(read)
    expect(await trees.readMany(base.tree, [])).toEqual(new Map())
  })
})

describe('trees.diff', () => {
  test('is plain text with renames found and binary files named only', async () => {
    const { trees, base, edited } = await open({
      'a.txt': '1\n2\n3\n4\n',
      'b.bin': Buffer.from([0, 1]),
      'caf\u00e9': 'x\n',
    })
    const { tree } = await edited((path) => {
      rmSync(join(path, 'a.txt'))
      writeFiles(path, {
        'c.txt': '1\n2\n3\n5\n',
        'b.bin': Buffer.from([0, 2]),
        'caf\u00e9': 'y\n',
        '.gitattributes': '* -diff\n',
      })
    })
    const diff = await trees.diff(base.tree, tree, 10_000)
    expect(diff).toContain('rename from a.txt\nrename to c.txt')
    expect(diff).toContain('-4\n+5\n')
    expect(diff).toContain('Binary files a/b.bin and b/b.bin differ')
    expect(diff).toContain('-x\n+y\n')
    expect(diff).not.toContain('\u001b')
  })

  test('is never longer than asked for, and says that it was cut', async () => {
    const { trees, base, edited } = await open()
    const { tree } = await edited((path) =>
      writeFileSync(join(path, 'big'), 'line of t\u00e9xt\n'.repeat(100_000)),
    )
    for (const maxBytes of [200, 1000, 5000]) {
      const diff = await trees.diff(base.tree, tree, maxBytes)
      expect(Buffer.byteLength(diff)).toBeLessThanOrEqual(maxBytes)
      expect(diff).toMatch(/was cut here\]\n$/)
    }
    expect(Buffer.byteLength(await trees.diff(base.tree, tree, 10))).toBeLessThanOrEqual(10)
  })
})

describe('trees.restore', () => {
  test('puts back exactly the given paths: changed, added, deleted, renamed, replaced', async () => {
    const { trees, base, edited } = await open({
      a: '1\n',
      b: '1\n',
      'd/x': '1\n',
      f: '1\n',
      link: { link: 'a' },
    })
    const { tree } = await edited((path) => {
      for (const name of ['b', 'f', 'link']) rmSync(join(path, name))
      rmSync(join(path, 'd'), { recursive: true })
      writeFiles(path, {
        a: '2\n',
        new: '1\n',
        kept: '1\n',
        d: 'now a file\n',
        'f/y': 'now a folder\n',
        link: 'now a file\n',
      })
      writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xe9])]), 'latin')
    })
    const paths = ['a', 'b', 'new', 'd', 'd/x', 'f', 'f/y', 'link', '"\\351"', 'untouched']
    const restored = await trees.restore(tree, base.tree, paths)
    const { tree: expected } = await edited((path) => writeFileSync(join(path, 'kept'), '1\n'))
    expect(restored).toBe(expected)
    expect(await trees.restore(tree, base.tree, [])).toBe(tree)
  })
})

describe('trees.compose', () => {
  test('merges changes of different files and of different lines, and names what conflicts', async () => {
    const { trees, base, edited } = await open({ a: '1\n2\n3\n4\n5\n6\n7\n8\n', b: '1\n', c: '1\n' })
    const first = await edited((path) => writeFiles(path, { a: 'x\n2\n3\n4\n5\n6\n7\n8\n' }))
    const second = await edited((path) => writeFiles(path, { a: '1\n2\n3\n4\n5\n6\n7\ny\n', b: '2\n' }))
    const third = await edited((path) => writeFiles(path, { a: 'z\n2\n3\n4\n5\n6\n7\n8\n', c: '2\n' }))
    const composed = await trees.compose(first.tree, second)
    const expected = await edited((path) => writeFiles(path, { a: 'x\n2\n3\n4\n5\n6\n7\ny\n', b: '2\n' }))
    expect(composed).toEqual({ tree: expected.tree })
    expect(await trees.compose(first.tree, third)).toEqual({ conflicts: ['a'] })
    expect(await trees.compose(base.tree, first)).toEqual({ tree: first.tree })
    expect(await trees.compose(first.tree, first)).toEqual({ tree: first.tree })
    expect(await trees.compose(first.tree, { base_tree: base.tree, tree: base.tree })).toEqual({
      tree: first.tree,
    })
  })

  test('names a file that one side deleted and the other changed, however it is called', async () => {
    const { trees, edited } = await open({ 'a\nb': '1\n2\n3\n', 'd/x': '1\n2\n3\n' })
    const deletes = await edited((path) => rmSync(join(path, 'a\nb')))
    const changes = await edited((path) => writeFiles(path, { 'a\nb': '1\n2\n4\n' }))
    expect(await trees.compose(deletes.tree, changes)).toEqual({ conflicts: ['a\nb'] })
  })

  test('leaves submodules as they are', async () => {
    const fixture = makeRepository({ a: '1\n', b: '1\n' })
    fixtures.push(fixture)
    const input = `160000 ${'1'.repeat(40)}\tlib\0`
    execFileSync('git', ['update-index', '-z', '--add', '--index-info'], {
      cwd: fixture.root,
      env: fixture.env,
      input,
    })
    fixture.git('commit', '--quiet', '-m', 'submodule')
    const { trees, workspaces, openWorkspace, base } = await openFixture(fixture)
    const edited = async (id: string, name: string) => {
      const workspace = await openWorkspace(id)
      writeFileSync(join(workspace.path, name), '2\n')
      return workspaces.capture(workspace, base.tree)
    }
    const composed = await trees.compose((await edited('one', 'a')).tree, await edited('two', 'b'))
    if (!('tree' in composed)) throw new Error('conflict')
    expect(
      execFileSync('git', ['--git-dir', join(fixture.root, '.git'), 'ls-tree', base.tree, 'lib'], {
        env: fixture.env,
      }).toString(),
    ).toContain('160000')
    expect(await trees.diff(base.tree, composed.tree, 10_000)).not.toContain('lib')
  })
})

describe('trees.commit', () => {
  test('makes the same commit of the same request, with the user as author', async () => {
    const { trees, base, fixture, repository, landed } = await open()
    const request = {
      tree: base.tree,
      parent: base.commit,
      message: 'fix: caf\u00e9\n\nIssue: BE-001',
      author: repository.identity,
      date_ms: 1_700_000_000_999,
    }
    const commit = await trees.commit(request)
    expect(await trees.commit(request)).toBe(commit)
    expect(await trees.resolve(commit)).toEqual({ commit, tree: base.tree })
    expect(() => fixture.git('cat-file', '-e', commit)).toThrow()
    const other = await landed('x')
    expect(other).not.toBe(commit)
  })
})

describe('branches.check', () => {
  test('says free, exists, checked out, or why a name cannot be', async () => {
    const { branches, fixture, base } = await open()
    fixture.git('branch', 'taken')
    fixture.git('branch', 'fix/deep/one')
    fixture.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/main')
    expect(await branches.check('fix/new')).toEqual({ state: 'free' })
    expect(await branches.check('fix/\u4fee\u6b63')).toEqual({ state: 'free' })
    expect(await branches.check('taken')).toEqual({ state: 'exists', commit: base.commit, checkedOut: false })
    expect(await branches.check('main')).toEqual({ state: 'exists', commit: base.commit, checkedOut: true })
    for (const name of ['fix', 'fix/deep', 'taken/x', 'fix/deep/one/more', 'alias']) {
      expect(await branches.check(name), name).toMatchObject({ state: 'invalid' })
    }
    for (const name of [
      '',
      '-x',
      'a b',
      'a..b',
      'a~1',
      '@{-1}',
      'HEAD',
      'x.lock',
      '/x',
      'x/',
      'a\nb',
      'a\0b',
    ]) {
      expect(await branches.check(name), name).toMatchObject({ state: 'invalid' })
    }
    expect(await branches.check('taken/x')).toEqual({
      state: 'invalid',
      reason: 'the branch taken exists, and git cannot have both taken and taken/x',
    })
  })

  test('sees a branch that another checkout is on, rebases or bisects', async () => {
    const { branches, fixture } = await open({ a: '1\n' })
    fixture.git('branch', 'linked')
    fixture.git('branch', 'rebased')
    fixture.write({ a: 'ours\n' })
    fixture.commitAll('ours')
    const linked = useRepository({ ...fixture, root: join(fixture.folder, 'linked') })
    fixture.git('worktree', 'add', '--quiet', linked.root, 'linked')
    expect(await branches.check('linked')).toMatchObject({ state: 'exists', checkedOut: true })
    linked.git('switch', '--quiet', 'rebased')
    linked.write({ a: 'theirs\n' })
    linked.commitAll('theirs')
    expect(() => linked.git('rebase', 'main')).toThrow()
    expect(await branches.check('rebased')).toMatchObject({ state: 'exists', checkedOut: true })
    expect(await branches.check('linked')).toMatchObject({ state: 'exists', checkedOut: false })
    linked.git('rebase', '--abort')
    linked.git('bisect', 'start')
    linked.git('checkout', '--quiet', '--detach')
    expect(await branches.check('rebased')).toMatchObject({ state: 'exists', checkedOut: true })
  })
})

describe('branches.move', () => {
  test('creates the branch, moves it on, and doing it twice is doing it once', async () => {
    const { branches, fixture, base, landed } = await open()
    const before = snapshotOf(fixture.root, ['refs/heads/fix'])
    const first = await landed('one')
    const second = await landed('two', first)
    const create = { branch: 'fix/it', from: null, to: first, base: base.commit }
    expect(await branches.move(create)).toEqual({ moved: true })
    expect(await branches.move(create)).toEqual({ moved: true })
    expect(await branches.move({ branch: 'fix/it', from: first, to: second, base: base.commit })).toEqual({
      moved: true,
    })
    expect(await branches.move(create)).toEqual({ moved: false, actual: second })
    expect(fixture.git('log', '--format=%an <%ae> %s', 'fix/it')).toBe(
      'Ada <ada@example.com> fix\nAda <ada@example.com> fix\nAda <ada@example.com> first',
    )
    expect(fixture.git('reflog', 'show', '--format=%gs', 'fix/it')).toBe(
      'fixpoint: landed\nfixpoint: created',
    )
    expect(snapshotOf(fixture.root, ['refs/heads/fix'])).toEqual(before)
    expect(fixture.git('fsck', '--strict', '--full')).toBe('')
    rmSync(fixture.home, { recursive: true })
    expect(fixture.git('show', '--stat', '--format=', 'fix/it')).toContain('two')
  })

  test.each(['sha256', 'sha1'])(
    'copies whole commits into a %s repository, packed refs and stale index.lock included',
    async (format) => {
      const { branches, fixture, base, landed } = await open(
        { 'src/a': '1\n' },
        { init: [`--object-format=${format}`] },
      )
      fixture.git('pack-refs', '--all')
      writeFileSync(join(fixture.root, '.git/index.lock'), '')
      const commit = await landed('one')
      expect(await branches.move({ branch: 'fix/it', from: null, to: commit, base: base.commit })).toEqual({
        moved: true,
      })
      expect(fixture.git('rev-parse', 'fix/it')).toBe(commit)
      expect(fixture.git('fsck', '--strict', '--full')).toBe('')
    },
  )

  test('works in a shallow clone and in a linked worktree', async () => {
    const origin = makeRepository()
    fixtures.push(origin)
    origin.commitAll('second')
    const clone = join(origin.folder, 'clone')
    origin.git('clone', '--quiet', '--depth=1', `file://${origin.root}`, clone)
    const linked = join(origin.folder, 'linked')
    origin.git('worktree', 'add', '--quiet', '-b', 'side', linked)
    for (const root of [clone, linked]) {
      const fixture = useRepository({ ...origin, root })
      const { branches, trees, base, repository } = await openFixture(fixture)
      const commit = await trees.commit({
        tree: base.tree,
        parent: base.commit,
        message: 'x',
        author: repository.identity,
        date_ms: 0,
      })
      expect(await branches.move({ branch: 'fix/it', from: null, to: commit, base: base.commit })).toEqual({
        moved: true,
      })
      await branches.note([{ commit: commit, text: 'noted' }])
      expect(fixture.git('rev-parse', 'fix/it')).toBe(commit)
      expect(fixture.git('notes', '--ref=fixpoint', 'show', commit)).toBe('noted')
      expect(fixture.git('fsck', '--strict')).toBe('')
    }
  })

  test('lets exactly one of twenty win', async () => {
    const { branches, fixture, base, commitOf } = await open()
    const commits = await Promise.all(
      Array.from({ length: 20 }, (_, at) => commitOf(base.tree, base.commit, `fix ${at}`)),
    )
    const moves = await Promise.all(
      commits.map((to) => branches.move({ branch: 'fix/it', from: null, to, base: base.commit })),
    )
    const winner = CommitId.parse(fixture.git('rev-parse', 'fix/it'))
    expect(moves.filter((move) => move.moved)).toHaveLength(1)
    expect(moves.filter((move) => !move.moved && move.actual === winner)).toHaveLength(19)
    expect(moves[commits.indexOf(winner)]).toEqual({ moved: true })
  })

  test('stops where a person moved, deleted or made the branch', async () => {
    const { branches, fixture, base, landed } = await open()
    const first = await landed('one')
    const second = await landed('two', first)
    await branches.move({ branch: 'fix/it', from: null, to: first, base: base.commit })
    fixture.git('branch', '-f', 'fix/it', 'main')
    expect(await branches.move({ branch: 'fix/it', from: first, to: second, base: base.commit })).toEqual({
      moved: false,
      actual: base.commit,
    })
    fixture.git('branch', '-D', 'fix/it')
    expect(await branches.move({ branch: 'fix/it', from: first, to: second, base: base.commit })).toEqual({
      moved: false,
      actual: null,
    })
    fixture.git('branch', 'fix/it', 'main')
    expect(await branches.move({ branch: 'fix/it', from: null, to: first, base: base.commit })).toEqual({
      moved: false,
      actual: base.commit,
    })
    expect(fixture.git('rev-parse', 'fix/it')).toBe(base.commit)
  })

  test('refuses a branch that is checked out, and one whose place is taken', async () => {
    const { branches, fixture, base, landed } = await open()
    const commit = await landed('one')
    const before = snapshotOf(fixture.root)
    for (const [branch, from, reason] of [
      ['main', base.commit, 'checked out'],
      ['-f', null, 'does not allow'],
      ['main/x', null, 'cannot have both'],
    ] as const) {
      const moved = await branches.move({ branch, from, to: commit, base: base.commit })
      expect(moved).toMatchObject({ moved: false, reason: expect.stringContaining(reason) })
    }
    expect(snapshotOf(fixture.root)).toEqual(before)
  })

  test('waits for the lock of another, and never deletes it', async () => {
    const { branches, fixture, base, landed } = await open()
    const first = await landed('one')
    const second = await landed('two', first)
    await branches.move({ branch: 'fix/it', from: null, to: first, base: base.commit })
    const lock = join(fixture.root, '.git/refs/heads/fix/it.lock')
    const move = () => branches.move({ branch: 'fix/it', from: first, to: second, base: base.commit })
    writeFileSync(lock, '')
    await expect(move()).rejects.toMatchObject({ code: 'busy' })
    expect(snapshotOf(fixture.root)).toHaveProperty(['.git/refs/heads/fix/it.lock'])
    expect(fixture.git('rev-parse', 'fix/it')).toBe(first)
    const waiting = move()
    setTimeout(() => rmSync(lock), 300)
    expect(await waiting).toEqual({ moved: true })
  })

  test('takes away a lock that a Fixpoint process died with, and only that one', async () => {
    const { branches, fixture, base, landed, repository } = await open()
    const commit = await landed('one')
    const ref = 'refs/heads/fix/it'
    const lock = join(fixture.root, '.git', `${ref}.lock`)
    const folder = createHash('sha256').update(ref).digest('hex').slice(0, 16)
    const died = {
      mark: '-:999999:1:00000000-0000-0000-0000-000000000000:1:00',
      ref,
      to: commit,
      at_ms: Date.now() - 5000,
    }
    const leave = (content: string, entry: object) => {
      rmSync(join(fixture.root, '.git/refs/heads/fix'), { recursive: true, force: true })
      writeFiles(fixture.root, { [`.git/${ref}.lock`]: content })
      utimesSync(lock, (Date.now() - 5000) / 1000, (Date.now() - 5000) / 1000)
      const path = `repositories/${repository.key}/moving/${folder}/entry.json`
      writeFiles(fixture.home, { [path]: JSON.stringify(entry) })
    }
    const move = () => branches.move({ branch: 'fix/it', from: null, to: commit, base: base.commit })
    for (const content of ['', commit.slice(0, 7), `${commit}\n`]) {
      leave(content, died)
      expect(await move(), content).toEqual({ moved: true })
      fixture.git('branch', '-D', 'fix/it')
    }
    leave(`${base.commit}\n`, died)
    await expect(move()).rejects.toMatchObject({ code: 'busy' })
    leave('', { ...died, at_ms: died.at_ms - 60_000 })
    await expect(move()).rejects.toMatchObject({ code: 'busy' })
    expect(existsSync(lock)).toBe(true)
  })
})

describe('branches.note', () => {
  test('writes, rewrites and keeps notes of others, also when twelve are written at once', async () => {
    const { branches, repository, fixture, base, commitOf } = await open()
    fixture.git('notes', '--ref=fixpoint', 'add', '-m', 'by a person', base.commit)
    const before = snapshotOf(fixture.root, ['refs/notes/fixpoint'])
    const commits = await Promise.all(
      Array.from({ length: 12 }, (_, at) => commitOf(base.tree, base.commit, `fix ${at}`)),
    )
    const tip = await commitOf(base.tree, commits[0] ?? base.commit)
    await branches.move({ branch: 'fix/it', from: null, to: tip, base: base.commit })
    // Two writers that do not know of each other, as two processes would be.
    const others = createBranches(repository)
    await Promise.all(
      commits.map((commit, at) =>
        (at % 2 ? branches : others).note([{ commit: commit, text: `{"at":${at}}` }]),
      ),
    )
    await branches.note([{ commit: tip, text: 'first' }])
    await branches.note([{ commit: tip, text: '{"text":"caf\u00e9"}' }])
    await branches.note([{ commit: tip, text: '{"text":"caf\u00e9"}' }])
    for (const [at, commit] of commits.entries()) {
      expect(fixture.git('cat-file', 'blob', `refs/notes/fixpoint:${commit}`)).toBe(`{"at":${at}}`)
    }
    expect(fixture.git('notes', '--ref=fixpoint', 'show', tip)).toBe('{"text":"caf\u00e9"}')
    expect(fixture.git('notes', '--ref=fixpoint', 'show', base.commit)).toBe('by a person')
    expect(snapshotOf(fixture.root, ['refs/notes/fixpoint', 'refs/heads/fix'])).toEqual(before)
    expect(fixture.git('fsck', '--strict', '--no-dangling')).toBe('')
  })
})

test('a link that the user’s repository holds is never followed by a restore', async () => {
  const { trees, base, edited, fixture } = await open({ a: '1\n' })
  const { tree } = await edited((path) => symlinkSync(fixture.root, join(path, 'out')))
  const before = snapshotOf(fixture.root)
  expect(await trees.restore(tree, base.tree, ['out', 'out/a'])).toBe(base.tree)
  expect(snapshotOf(fixture.root)).toEqual(before)
})
