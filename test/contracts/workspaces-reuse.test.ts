import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { collectLeftovers, createWorkspaces, listWorkspaces } from '../../src/adapters/workspaces/index.ts'
import { CommitId, TreeId } from '../../src/model/id.ts'
import { makeRepository, openFixture, type FixtureRepository } from '../fixtures/repositories.ts'

const fixtures: FixtureRepository[] = []
afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.dispose()
})

const files = {
  '.gitignore': 'ignored\nnode_modules\n',
  'readme.md': 'hello\n',
  'src/a.js': 'a\n',
  'src/b.js': 'b\n',
  'src/deep/c.js': 'c\n',
  'src/deep/er/d.js': 'd\n',
  'lib/tool': { program: '#!/bin/sh\n' },
  'lib/link': { link: '../readme.md' },
  'docs/only.md': 'only\n',
}

async function openScene(prepare: Parameters<typeof openFixture>[1] = null) {
  const fixture = makeRepository(files)
  fixtures.push(fixture)
  const { base, repository, workspaces, trees } = await openFixture(fixture, prepare)
  fixture.write({ 'src/a.js': 'another\n', 'src/new/e.js': 'e\n' })
  rmSync(join(fixture.root, 'docs'), { recursive: true })
  fixture.commitAll('second')
  const other = await trees.resolve('HEAD')
  if (other === null) throw new Error('the fixture has no second commit')
  const open = (id: string, { tree, commit } = base) => workspaces.open({ id, tree, head: commit })
  /** Opens the same request in a process that has no idle trees. */
  const openAfresh = async (at = base): Promise<string> => {
    const fresh = createWorkspaces(repository, prepare)
    return (await fresh.open({ id: 'att_fresh', tree: at.tree, head: at.commit })).path
  }
  return { fixture, base, other, workspaces, open, openAfresh }
}

/** Every path below a folder with its kind, mode and content; the index of a git directory differs by its times. */
function listingOf(root: string, folder = ''): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(join(root, folder), 'latin1')) {
    const path = join(folder, name)
    const stat = lstatSync(Buffer.from(join(root, path), 'latin1'))
    const content = stat.isSymbolicLink()
      ? readlinkSync(join(root, path))
      : stat.isFile() && path !== '.git/index'
        ? readFileSync(Buffer.from(join(root, path), 'latin1'), 'latin1')
        : ''
    found[path] = `${stat.mode.toString(8)} ${stat.isDirectory() ? '' : stat.nlink} ${content}`
    if (stat.isDirectory()) Object.assign(found, listingOf(root, path))
  }
  return found
}

const inodeOf = (path: string): number => lstatSync(path).ino

/** Things that agents and checks may leave behind, by their kind. */
const leftovers: Readonly<Record<string, (tree: string, outside: string) => void>> = {
  'an edit': (tree) => appendFileSync(join(tree, 'src/a.js'), 'evil\n'),
  'an edit of the same length and with the old times'(tree) {
    const path = join(tree, 'src/a.js')
    const { atime, mtime } = statSync(path)
    writeFileSync(path, 'x\n')
    utimesSync(path, atime, mtime)
  },
  'a file that took the place of another'(tree) {
    writeFileSync(join(tree, 'src/tmp'), 'evil\n')
    renameSync(join(tree, 'src/tmp'), join(tree, 'src/a.js'))
  },
  'files that changed places'(tree) {
    renameSync(join(tree, 'src/a.js'), join(tree, 'src/tmp'))
    renameSync(join(tree, 'src/b.js'), join(tree, 'src/a.js'))
    renameSync(join(tree, 'src/tmp'), join(tree, 'src/b.js'))
  },
  'new files, ignored ones too, and empty folders'(tree) {
    mkdirSync(join(tree, 'src/deep/er/empty'))
    mkdirSync(join(tree, 'node_modules/x'), { recursive: true })
    for (const path of ['new', 'src/deep/ignored', 'node_modules/x/index.js'])
      writeFileSync(join(tree, path), 'evil\n')
  },
  'names that are no text'(tree) {
    writeFileSync(Buffer.from(join(tree, 'src/\xff\n'), 'latin1'), 'evil\n')
  },
  'nothing but what was deleted'(tree) {
    rmSync(join(tree, 'src'), { recursive: true })
    rmSync(join(tree, 'readme.md'))
  },
  'a link in place of a folder'(tree, outside) {
    cpSync(join(tree, 'src'), join(outside, 'src'), { recursive: true, preserveTimestamps: true })
    rmSync(join(tree, 'src'), { recursive: true })
    symlinkSync(join(outside, 'src'), join(tree, 'src'))
  },
  'a link to the folder itself, which was moved away'(tree, outside) {
    renameSync(join(tree, 'src'), join(outside, 'src'))
    symlinkSync(join(outside, 'src'), join(tree, 'src'))
  },
  'a link in place of the whole tree'(tree, outside) {
    renameSync(tree, join(outside, 'tree'))
    symlinkSync(join(outside, 'tree'), tree)
  },
  'a folder in place of a file, and a file in place of a folder'(tree) {
    rmSync(join(tree, 'src/a.js'))
    mkdirSync(join(tree, 'src/a.js'))
    writeFileSync(join(tree, 'src/a.js/in'), 'evil\n')
    rmSync(join(tree, 'docs'), { recursive: true })
    writeFileSync(join(tree, 'docs'), 'evil\n')
  },
  'a link in place of a file'(tree) {
    rmSync(join(tree, 'src/a.js'))
    symlinkSync('/etc/passwd', join(tree, 'src/a.js'))
  },
  'other modes'(tree) {
    chmodSync(join(tree, 'src/a.js'), 0o755)
    chmodSync(join(tree, 'src/b.js'), 0o400)
    chmodSync(join(tree, 'lib/tool'), 0o644)
    chmodSync(join(tree, 'lib'), 0o777)
    chmodSync(join(tree, 'src/deep'), 0o2755)
  },
  'folders that nobody may write to'(tree) {
    mkdirSync(join(tree, 'src/closed'))
    writeFileSync(join(tree, 'src/closed/in'), 'evil\n')
    for (const path of ['src/closed', 'src/deep/er', 'src/deep', 'src', '.'])
      chmodSync(join(tree, path), 0o500)
  },
  'a poisoned git directory'(tree) {
    mkdirSync(join(tree, '.git/hooks'))
    writeFileSync(join(tree, '.git/hooks/pre-commit'), '#!/bin/sh\n', { mode: 0o755 })
    appendFileSync(join(tree, '.git/config'), '[core]\n\tfsmonitor = evil\n')
    writeFileSync(join(tree, '.git/refs/heads/evil'), '')
  },
  'a word in the git directory': (tree) => appendFileSync(join(tree, '.git/info/exclude'), 'src\n'),
  'a file in place of the git directory'(tree) {
    rmSync(join(tree, '.git'), { recursive: true })
    writeFileSync(join(tree, '.git'), 'gitdir: /tmp\n')
  },
  'commits of its own'(tree) {
    writeFileSync(join(tree, 'src/a.js'), 'mine\n')
    spawnSync('git', ['commit', '--quiet', '-am', 'mine'], { cwd: tree })
  },
  'a repository in a folder'(tree) {
    spawnSync('git', ['init', '--quiet', 'src/deep'], { cwd: tree })
  },
  'another index beside the tree'(tree) {
    const folder = join(tree, '..')
    for (const name of readdirSync(folder).filter((file) => file.startsWith('index-')))
      appendFileSync(join(folder, name), 'evil')
    writeFileSync(join(tree, 'src/a.js'), 'evil\n')
  },
  'pipes and sockets': (tree) => void spawnSync('mkfifo', [join(tree, 'src/pipe')]),
  'newer times on everything'(tree) {
    for (const path of ['readme.md', 'src/a.js', 'src', 'lib', '.']) utimesSync(join(tree, path), 9e8, 9e8)
  },
}

describe.each(Object.entries(leftovers))('what an agent leaves, %s,', (_, leave) => {
  test.each(['the same tree', 'another tree'])('is not seen by the next one with %s', async (which) => {
    const { fixture, base, other, workspaces, open, openAfresh } = await openScene()
    const outside = join(fixture.folder, 'outside')
    mkdirSync(outside)
    leave((await open('att_1')).path, outside)
    await workspaces.close('att_1')
    const wanted = which === 'the same tree' ? base : other
    const { path } = await open('att_2', wanted)
    expect(listingOf(path)).toEqual(listingOf(await openAfresh(wanted)))
    const env = { ...fixture.env, GIT_OPTIONAL_LOCKS: '0' }
    expect(spawnSync('git', ['status', '--porcelain'], { cwd: path, env, encoding: 'utf8' }).stdout).toBe('')
    expect((await workspaces.capture({ id: 'att_2', path, tree: wanted.tree }, wanted.tree)).files).toEqual(
      [],
    )
  })
})

describe('the tree of a closed workspace', () => {
  test('is used again, file by file, as far as nobody touched it', async () => {
    const { workspaces, other, open } = await openScene()
    const first = await open('att_1')
    const inode = inodeOf(join(first.path, 'src/deep/c.js'))
    appendFileSync(join(first.path, 'src/a.js'), 'more\n')
    await workspaces.close('att_1')
    expect(existsSync(first.path)).toBe(false)
    const second = await open('att_2', other)
    expect(inodeOf(join(second.path, 'src/deep/c.js'))).toBe(inode)
    const patch = await workspaces.capture(second, other.tree)
    expect([patch.tree, patch.files, patch.refused]).toEqual([other.tree, [], []])
  })

  test('is not reached any more through a hard link that was made in it', async () => {
    const { fixture, workspaces, open } = await openScene()
    const link = join(fixture.folder, 'link')
    linkSync(join((await open('att_1')).path, 'src/b.js'), link)
    await workspaces.close('att_1')
    const { path } = await open('att_2')
    appendFileSync(link, 'evil\n')
    expect(readFileSync(join(path, 'src/b.js'), 'utf8')).toBe('b\n')
  })

  test('is given up when a process stands in it', async () => {
    const { workspaces, open } = await openScene()
    const first = await open('att_1')
    const inode = inodeOf(join(first.path, 'src/deep/c.js'))
    const child = spawn('sleep', ['60'], { cwd: join(first.path, 'src/deep'), stdio: 'ignore' })
    try {
      await workspaces.close('att_1')
      const second = await open('att_2')
      expect(inodeOf(join(second.path, 'src/deep/c.js'))).not.toBe(inode)
    } finally {
      child.kill('SIGKILL')
    }
  })

  test('gets shared folders anew, whatever was done to the last ones', async () => {
    const prepare = {
      share: ['node_modules', 'build/cache'],
      setup: null,
      runSetup: () => Promise.reject(new Error()),
    }
    const { fixture, workspaces, open, openAfresh } = await openScene(prepare)
    fixture.write({ 'node_modules/x/index.js': 'x\n', 'build/cache/y': 'y\n' })
    const first = await open('att_1')
    writeFileSync(join(first.path, 'node_modules/x/index.js'), 'evil\n')
    writeFileSync(join(first.path, 'build/evil'), 'evil\n')
    await workspaces.close('att_1')
    const { path } = await open('att_2')
    expect(listingOf(path)).toEqual(listingOf(await openAfresh()))
    expect(readFileSync(join(path, 'node_modules/x/index.js'), 'utf8')).toBe('x\n')
  })

  test('does not lead out of the workspace when a shared folder is removed from it', async () => {
    const prepare = { share: ['src/cache'], setup: null, runSetup: () => Promise.reject(new Error()) }
    const { fixture, workspaces, open } = await openScene(prepare)
    fixture.write({ 'src/cache/y': 'y\n', '../outside/cache/precious': 'mine\n' })
    const first = await open('att_1')
    rmSync(join(first.path, 'src'), { recursive: true })
    symlinkSync(join(fixture.folder, 'outside'), join(first.path, 'src'))
    await workspaces.close('att_1')
    const { path } = await open('att_2')
    expect(readFileSync(join(path, 'src/cache/y'), 'utf8')).toBe('y\n')
    expect(readFileSync(join(fixture.folder, 'outside/cache/precious'), 'utf8')).toBe('mine\n')
  })
})

describe('idle trees', () => {
  test('are never more, with the open ones, than were open at once', async () => {
    const { fixture, workspaces, open } = await openScene()
    const idle = () => readdirSync(join(fixture.home, 'idle')).length
    for (const id of ['att_1', 'att_2', 'att_3']) await open(id)
    for (const id of ['att_1', 'att_2', 'att_3']) await workspaces.close(id)
    expect(idle()).toBe(3)
    await open('att_4')
    await open('att_5')
    expect(idle()).toBe(1)
    await workspaces.close('att_4')
    await workspaces.close('att_4')
    expect(idle()).toBe(2)
    expect(readdirSync(join(fixture.home, 'workspaces'))).toEqual(['att_5'])
  })

  test.each([
    ['removed by a process that ends', '', 0, false],
    [
      'left by a process that is killed, until they are collected',
      "process.kill(process.pid, 'SIGKILL')",
      null,
      true,
    ],
  ])('are %s', async (_, end, status, isLeft) => {
    const { fixture, base } = await openScene()
    const program = `
      import * as adapter from ${JSON.stringify(join(import.meta.dirname, '../../src/adapters/workspaces/index.ts'))}
      const { root: cwd, home, env } = ${JSON.stringify(fixture)}
      const workspaces = adapter.createWorkspaces(await adapter.openRepository({ cwd, home, env }))
      await workspaces.open({ id: 'att_1', tree: ${JSON.stringify(base.tree)}, head: ${JSON.stringify(base.commit)} })
      await workspaces.close('att_1')
      ${end}
    `
    const ended = spawnSync(process.execPath, ['--input-type=module', '-e', program])
    expect(ended.status).toBe(status)
    const names = readdirSync(join(fixture.home, 'idle'))
    expect(names.length > 0).toBe(isLeft)
    expect((await listWorkspaces(fixture.home)).map(({ id }) => id)).toEqual(names)
    await collectLeftovers(fixture.home, () => true)
    expect(readdirSync(join(fixture.home, 'idle'))).toEqual(names)
    await collectLeftovers(fixture.home)
    expect(readdirSync(join(fixture.home, 'idle'))).toEqual([])
  })
})

describe('kept trees', () => {
  /** Long names make the index of few files as large as that of many. */
  const largeFiles = Object.fromEntries(
    Array.from({ length: 1_200 }, (_, index) => [
      `src/part-${index % 6}/${'x'.repeat(180)}-${index}.js`,
      `export const value = ${index}\n`,
    ]),
  )
  const adapterUrl = JSON.stringify(join(import.meta.dirname, '../../src/adapters/workspaces/index.ts'))

  async function openLargeScene() {
    const fixture = makeRepository({ ...files, ...largeFiles })
    fixtures.push(fixture)
    const { base, repository } = await openFixture(fixture)
    const openIn = (workspaces: ReturnType<typeof createWorkspaces>, id: string) =>
      workspaces.open({ id, tree: base.tree, head: base.commit })
    /** A process of its own that opens workspaces, does something in the first, closes them and ends. */
    const runProcess = (count: number, work = ''): void => {
      const ids = Array.from({ length: count }, (_, index) => `att_${index + 1}`)
      const program = `
        import * as fs from 'node:fs'
        import * as adapter from ${adapterUrl}
        const { root: cwd, home, env } = ${JSON.stringify(fixture)}
        const workspaces = adapter.createWorkspaces(await adapter.openRepository({ cwd, home, env }))
        const opened = await Promise.all(${JSON.stringify(ids)}.map((id) =>
          workspaces.open({ id, tree: ${JSON.stringify(base.tree)}, head: ${JSON.stringify(base.commit)} })))
        process.chdir(opened[0].path)
        ${work}
        process.chdir('/')
        for (const { id } of opened) await workspaces.close(id)
      `
      const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program])
      expect(`${status} ${String(stderr)}`).toMatch(/^0 /)
    }
    const kept = () => (existsSync(join(fixture.home, 'kept')) ? readdirSync(join(fixture.home, 'kept')) : [])
    return { fixture, base, repository, openIn, runProcess, kept }
  }

  test('a process takes the large tree that another one left, and it is exactly as a new one', async () => {
    const { fixture, repository, openIn, runProcess, kept } = await openLargeScene()
    const outside = join(fixture.folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'a.js'), 'precious\n')
    runProcess(
      1,
      `const { mtime } = fs.statSync('src/b.js')
       fs.writeFileSync('src/b.js', 'x\\n')
       fs.utimesSync('src/b.js', mtime, mtime)
       fs.writeFileSync('ignored', 'left over')
       fs.mkdirSync('node_modules/x', { recursive: true })
       fs.mkdirSync('nested/.git', { recursive: true })
       fs.mkdirSync('src/.git')
       fs.writeFileSync('src/.git/config', '[core]')
       fs.writeFileSync('src/deep/.git', 'gitdir: elsewhere')
       fs.mkdirSync('empty')
       fs.rmSync('docs', { recursive: true })
       fs.rmSync('src/a.js')
       fs.symlinkSync(${JSON.stringify(join(outside, 'a.js'))}, 'src/a.js')
       fs.linkSync('readme.md', ${JSON.stringify(join(outside, 'link'))})
       fs.chmodSync('src/deep/c.js', 0o666)
       fs.utimesSync('src/deep/er/d.js', 4e9, 4e9)
       fs.chmodSync('src/deep', 0o2777)
       fs.rmSync('lib/tool')
       fs.mkdirSync('lib/tool/x', { recursive: true })`,
    )
    expect(kept()).toHaveLength(1)
    const left = join(fixture.home, 'kept', kept()[0] ?? '', 'tree')
    expect(
      readdirSync(left).filter((name) => ['ignored', 'node_modules', 'nested', 'empty'].includes(name)),
    ).toEqual([])
    const inode = statSync(join(fixture.home, 'kept', kept()[0] ?? '', 'tree/src/part-1')).ino
    const { path } = await openIn(createWorkspaces(repository), 'att_next')
    expect(kept()).toEqual([])
    expect(statSync(join(path, 'src/part-1')).ino).toBe(inode)
    const afresh = await openIn(createWorkspaces(repository), 'att_fresh')
    expect(listingOf(path)).toEqual(listingOf(afresh.path))
    writeFileSync(join(outside, 'link'), 'written through\n')
    expect(readFileSync(join(path, 'readme.md'), 'utf8')).toBe('hello\n')
    expect(readFileSync(join(outside, 'a.js'), 'utf8')).toBe('precious\n')
    expect(statSync(join(path, 'src/deep/er/d.js')).mtimeMs).toBeLessThan(Date.now() + 60_000)
  })

  test('a folder that leads elsewhere makes it no tree of ours, and what it leads to stays', async () => {
    const { fixture, repository, openIn, runProcess, kept } = await openLargeScene()
    const outside = join(fixture.folder, 'outside')
    mkdirSync(join(outside, 'er'), { recursive: true })
    writeFileSync(join(outside, 'c.js'), 'precious\n')
    chmodSync(join(outside, 'c.js'), 0o600)
    runProcess(
      1,
      `fs.rmSync('src/deep', { recursive: true })
       fs.symlinkSync(${JSON.stringify(outside)}, 'src/deep')`,
    )
    const { path } = await openIn(createWorkspaces(repository), 'att_next')
    expect(kept()).toEqual([])
    expect(readFileSync(join(path, 'src/deep/c.js'), 'utf8')).toBe('c\n')
    expect(readFileSync(join(outside, 'c.js'), 'utf8')).toBe('precious\n')
    expect(readdirSync(outside)).toEqual(['c.js', 'er'])
  })

  test('what lies where a later revision has a submodule is not taken for it', async () => {
    const { fixture, repository, runProcess, kept } = await openLargeScene()
    runProcess(1, `fs.mkdirSync('sub'); fs.writeFileSync('sub/evil.js', 'x')`)
    fixture.git('update-index', '--add', '--cacheinfo', `160000,${fixture.git('rev-parse', 'HEAD')},sub`)
    fixture.git('commit', '--quiet', '-m', 'a submodule')
    const tree = TreeId.parse(fixture.git('rev-parse', 'HEAD^{tree}'))
    const head = CommitId.parse(fixture.git('rev-parse', 'HEAD'))
    const { path } = await createWorkspaces(repository).open({ id: 'att_next', tree, head })
    expect(kept()).toEqual([])
    expect(readdirSync(join(path, 'sub'))).toEqual([])
  })

  test('two of a repository are kept, for a day', async () => {
    const { fixture, runProcess, kept } = await openLargeScene()
    runProcess(3)
    expect(kept()).toHaveLength(2)
    await collectLeftovers(fixture.home)
    expect(kept()).toHaveLength(2)
    const old = Date.now() / 1000 - 25 * 60 * 60
    utimesSync(join(fixture.home, 'kept', kept()[0] ?? ''), old, old)
    await collectLeftovers(fixture.home)
    expect(kept()).toHaveLength(1)
  })

  test('files that take long are there, also when that cannot be told', async () => {
    const { repository, openIn } = await openLargeScene()
    const { owned } = repository
    const run: typeof owned.run = (...asked) => delay(1_500).then(() => owned.run(...asked))
    const workspaces = createWorkspaces({ ...repository, owned: { ...owned, run } })
    const told: boolean[] = []
    workspaces.onSetup?.(async ({ isOver }) => {
      told.push(isOver)
      throw new Error('the store is gone')
    })
    const { path } = await openIn(workspaces, 'att_slow')
    expect(readFileSync(join(path, 'readme.md'), 'utf8')).toBe('hello\n')
    expect(told).toEqual([false, true])
  })

  test('one tree goes to one of several that ask at once', async () => {
    const { repository, openIn, runProcess, kept } = await openLargeScene()
    runProcess(1)
    const opened = await Promise.all(
      ['att_a', 'att_b', 'att_c'].map((id) => openIn(createWorkspaces(repository), id)),
    )
    expect(kept()).toEqual([])
    const [first = '', ...others] = opened.map(({ path }) => JSON.stringify(listingOf(path)))
    for (const other of others) expect(other).toBe(first)
  })
})
