import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import {
  collectLeftovers,
  createWorkspaces,
  listWorkspaces,
  openRepository,
} from '../../src/adapters/workspaces/index.ts'
import {
  makeFolder,
  makeRepository,
  openFixture,
  snapshotOf,
  useRepository,
  writeFiles,
  type FixtureRepository,
} from '../fixtures/repositories.ts'

const disposables: { dispose(): void }[] = []
afterEach(() => {
  for (const disposable of disposables.splice(0)) disposable.dispose()
})
function made(...args: Parameters<typeof makeRepository>): FixtureRepository {
  const fixture = makeRepository(...args)
  disposables.push(fixture)
  return fixture
}
const openAt = (fixture: Pick<FixtureRepository, 'env' | 'folder'>, cwd: string) =>
  openRepository({ cwd, home: join(fixture.folder, 'home'), env: fixture.env })

describe('openRepository refuses, by name,', () => {
  test('a folder without a repository, and one that is not there', async () => {
    const folder = makeFolder()
    disposables.push(folder)
    await expect(openAt(folder, folder.folder)).rejects.toMatchObject({
      code: 'not_a_repository',
      hint: expect.stringContaining('git init'),
    })
    await expect(openAt(folder, join(folder.folder, 'nope'))).rejects.toMatchObject({
      code: 'not_a_repository',
    })
  })

  test('a bare repository, and the inside of a git directory', async () => {
    const fixture = made()
    const bare = join(fixture.folder, 'bare.git')
    fixture.git('clone', '--quiet', '--bare', fixture.root, bare)
    await expect(openAt(fixture, bare)).rejects.toMatchObject({
      code: 'repository_unsupported',
      hint: expect.stringContaining('git clone'),
    })
    await expect(openAt(fixture, join(fixture.root, '.git'))).rejects.toMatchObject({
      code: 'not_a_repository',
    })
  })

  test('a repository without a commit', async () => {
    const folder = makeFolder()
    disposables.push(folder)
    execFileSync('git', ['init', '--quiet', folder.folder], { env: folder.env })
    await expect(openAt(folder, folder.folder)).rejects.toMatchObject({
      code: 'repository_unsupported',
      hint: expect.stringContaining('first commit'),
    })
  })

  test('a partial clone whose files are not there', async () => {
    const origin = made()
    origin.git('config', 'uploadpack.allowFilter', 'true')
    const root = join(origin.folder, 'partial')
    origin.git('clone', '--quiet', '--filter=blob:none', '--no-checkout', `file://${origin.root}`, root)
    await expect(openAt(origin, root)).rejects.toMatchObject({
      code: 'repository_unsupported',
      message: expect.stringContaining('partial clone'),
    })
    expect(
      useRepository({ ...origin, root }).git('rev-list', '--objects', '--missing=print', 'HEAD'),
    ).toContain('?')
  })

  test('a clone that borrows from a folder that is gone', async () => {
    const origin = made()
    const root = join(origin.folder, 'borrowing')
    origin.git('clone', '--quiet', '--shared', origin.root, root)
    renameSync(origin.root, `${origin.root}-moved`)
    await expect(openAt(origin, root)).rejects.toMatchObject({
      code: 'repository_unsupported',
      message: expect.stringContaining('borrows'),
    })
  })

  test.each(['alternates', 'link'])(
    '%s that lead to a folder of something else, such as a home',
    async (how) => {
      const fixture = made()
      const home = join(fixture.folder, 'private')
      mkdirSync(join(home, '.ssh'), { recursive: true })
      const objects = join(fixture.root, '.git/objects')
      if (how === 'alternates') writeFileSync(join(objects, 'info/alternates'), '../../../private\n')
      else {
        renameSync(objects, join(home, 'objects'))
        symlinkSync(home, objects)
      }
      await expect(openAt(fixture, fixture.root)).rejects.toMatchObject({
        code: 'repository_unsupported',
        message: expect.stringMatching(/private, which holds something else: "(\.ssh|objects)"/),
      })
    },
  )

  test('an unknown extension and a broken git file', async () => {
    const fixture = made()
    fixture.git('config', 'core.repositoryFormatVersion', '1')
    fixture.git('config', 'extensions.unheardOf', 'true')
    await expect(openAt(fixture, fixture.root)).rejects.toMatchObject({
      code: 'repository_unsupported',
      message: expect.stringContaining('unheardof'),
    })
    rmSync(join(fixture.root, '.git'), { recursive: true })
    writeFileSync(join(fixture.root, '.git'), 'gitdir: /nowhere\n')
    await expect(openAt(fixture, fixture.root)).rejects.toMatchObject({ name: 'Fault' })
  })

  test.runIf(process.getuid?.() === 0)(
    'a repository of another owner, with the command git advises',
    async () => {
      const fixture = made()
      execFileSync('chown', ['-R', '65534:65534', fixture.root])
      await expect(openAt(fixture, fixture.root)).rejects.toMatchObject({
        code: 'repository_unsupported',
        hint: expect.stringContaining('git config --global --add safe.directory'),
      })
      execFileSync('git', ['config', '--global', 'safe.directory', fixture.root], { env: fixture.env })
      expect((await openAt(fixture, fixture.root)).root).toBe(fixture.root)
    },
  )

  test('a git that is too old, or none', async () => {
    const fixture = made()
    writeFiles(fixture.folder, { 'old/git': { program: '#!/bin/sh\necho git version 2.30.2\n' } })
    const old = { ...fixture.env, PATH: join(fixture.folder, 'old') }
    await expect(openAt({ ...fixture, env: old }, fixture.root)).rejects.toMatchObject({
      code: 'repository_unsupported',
      message: 'git version 2.30.2 is too old: Fixpoint needs git 2.38 or newer',
    })
    await expect(openAt({ ...fixture, env: { PATH: 'relative:' } }, fixture.root)).rejects.toMatchObject({
      message: 'git was not found on PATH',
    })
  })

  test('a home that cannot be used', async () => {
    const fixture = made()
    writeFileSync(join(fixture.folder, 'home'), 'a file')
    await expect(openAt(fixture, fixture.root)).rejects.toMatchObject({ code: 'home_unusable' })
  })
})

describe('openRepository', () => {
  test('says what it found, the same from every checkout and folder of one repository', async () => {
    const fixture = made({ 'src/a': '1' })
    const linked = join(fixture.folder, 'linked')
    fixture.git('worktree', 'add', '--quiet', '-b', 'side', linked)
    const repository = await openAt(fixture, join(fixture.root, 'src'))
    expect(repository).toMatchObject({
      root: fixture.root,
      objectFormat: 'sha1',
      isShallow: false,
      identity: { name: 'Ada', email: 'ada@example.com' },
      notes: [],
    })
    const fromLinked = await openAt(fixture, linked)
    expect(fromLinked.root).toBe(linked)
    expect(fromLinked.key).toBe(repository.key)
    expect(fromLinked.owned.gitDir).toBe(join(fixture.folder, 'home/repositories', repository.key, 'git'))
  })

  test('goes without an identity, and says so', async () => {
    const fixture = made()
    fixture.git('config', '--unset', 'user.name')
    const { identity, notes } = await openAt(fixture, fixture.root)
    expect(identity).toEqual({ name: 'Fixpoint', email: 'fixpoint@localhost' })
    expect(notes).toHaveLength(1)
    const env = { ...fixture.env, GIT_AUTHOR_NAME: 'Env', GIT_AUTHOR_EMAIL: 'env@example.com' }
    expect((await openAt({ ...fixture, env }, fixture.root)).identity).toEqual({
      name: 'Env',
      email: 'env@example.com',
    })
  })

  test('works without HOME and TMPDIR, and with few open files', async () => {
    const fixture = made()
    const program = `
      import * as adapter from ${JSON.stringify(join(import.meta.dirname, '../../src/adapters/workspaces/index.ts'))}
      const repository = await adapter.openRepository({ cwd: '.', home: ${JSON.stringify(fixture.home)}, env: process.env })
      const base = await adapter.createTrees(repository).resolve('HEAD')
      const workspaces = adapter.createWorkspaces(repository)
      const workspace = await workspaces.open({ id: 'att_1', tree: base.tree, head: base.commit })
      console.log((await workspaces.capture(workspace, base.tree)).tree === base.tree)
    `
    const command = `ulimit -n 256; umask 077; exec "${process.execPath}" --input-type=module -e "$PROGRAM"`
    const env = { PATH: fixture.env['PATH'], TMPDIR: '/nowhere', PROGRAM: program }
    expect(spawnSync('/bin/sh', ['-c', command], { cwd: fixture.root, env, encoding: 'utf8' }).stdout).toBe(
      'true\n',
    )
  })

  test('follows the repository when it becomes deeper or is packed anew', async () => {
    const origin = made()
    origin.commitAll('second')
    const root = join(origin.folder, 'clone')
    origin.git('clone', '--quiet', '--depth=1', `file://${origin.root}`, root)
    const clone = useRepository({ ...origin, root })
    const first = await openFixture(clone)
    expect(existsSync(join(first.repository.owned.gitDir, 'shallow'))).toBe(true)
    clone.git('fetch', '--quiet', '--unshallow')
    clone.git('gc', '--quiet', '--prune=now')
    const second = await openFixture(clone)
    expect(existsSync(join(second.repository.owned.gitDir, 'shallow'))).toBe(false)
    expect(await second.trees.resolve('HEAD~1')).not.toBeNull()
    expect(second.base).toEqual(first.base)
  })

  test('makes one whole git directory when eight do it at once', async () => {
    const fixture = made()
    const opened = await Promise.all(Array.from({ length: 8 }, () => openFixture(fixture)))
    const folder = join(fixture.home, 'repositories', opened[0]?.repository.key ?? '')
    expect(readdirSync(folder)).toEqual(['git'])
    const patches = opened.map(async ({ openWorkspace, workspaces, base }, at) => {
      const workspace = await openWorkspace(`att_${at}`)
      writeFileSync(join(workspace.path, 'new'), '1\n')
      return (await workspaces.capture(workspace, base.tree)).tree
    })
    expect(new Set(await Promise.all(patches)).size).toBe(1)
    const fsck = spawnSync('git', ['fsck', '--strict', '--full'], {
      cwd: join(folder, 'git'),
      env: fixture.env,
      encoding: 'utf8',
    })
    expect([fsck.status, fsck.stderr]).toEqual([0, expect.not.stringContaining('error')])
    expect(readdirSync(folder)).toEqual(['git'])
  })
})

/** Opens a workspace in another process, which then waits to be killed. */
async function openElsewhere(fixture: FixtureRepository, id: string) {
  const program = `
    import * as adapter from ${JSON.stringify(join(import.meta.dirname, '../../src/adapters/workspaces/index.ts'))}
    const { root: cwd, home, env } = ${JSON.stringify(fixture)}
    const repository = await adapter.openRepository({ cwd, home, env })
    const base = await adapter.createTrees(repository).resolve('HEAD')
    await adapter.createWorkspaces(repository).open({ id: ${JSON.stringify(id)}, tree: base.tree, head: base.commit })
    console.log('open')
    setInterval(() => undefined, 1000)
  `
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return {
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

describe('leftovers', () => {
  test('of dead processes are collected, those of living ones are kept', async () => {
    const fixture = made()
    const { openWorkspace, workspaces } = await openFixture(fixture)
    const mine = await openWorkspace('att_mine')
    const living = await openElsewhere(fixture, 'att_living')
    const dead = await openElsewhere(fixture, 'att_dead')
    const kept = await openElsewhere(fixture, 'att_kept')
    try {
      await dead.kill()
      await kept.kill()
      const at = (...parts: string[]) => join(fixture.home, ...parts)
      const old = new Date(Date.now() - 3 * 60 * 60_000)
      const [key = ''] = readdirSync(at('repositories'))
      mkdirSync(at('workspaces/att_unsigned'))
      mkdirSync(at('workspaces/att_signing'))
      mkdirSync(at('trash'), { recursive: true })
      mkdirSync(at('repositories', key, 'indexes'), { recursive: true })
      writeFileSync(at('trash/old'), '')
      writeFileSync(at('trash/new'), '')
      writeFileSync(at('repositories', key, 'indexes/old'), '')
      for (const path of ['workspaces/att_unsigned', 'trash/old', `repositories/${key}/indexes/old`])
        utimesSync(at(path), old, old)
      expect((await listWorkspaces(fixture.home)).map(({ id }) => id)).toEqual([
        'att_dead',
        'att_kept',
        'att_living',
        'att_mine',
        'att_signing',
        'att_unsigned',
      ])
      expect(await collectLeftovers(fixture.home, undefined, async (id) => id === 'att_kept')).toEqual([
        at('workspaces/att_dead'),
        at('workspaces/att_unsigned'),
        at('trash/old'),
        at('repositories', key, 'indexes/old'),
      ])
      expect(readdirSync(at('workspaces'))).toEqual(['att_kept', 'att_living', 'att_mine', 'att_signing'])
      expect(await workspaces.find('att_mine')).toEqual(mine)
      expect(await workspaces.find('att_dead')).toBeNull()
      expect(await collectLeftovers(fixture.home, undefined, async (id) => id === 'att_kept')).toEqual([])
      // The workspace belongs to the process that finds it again and goes on with it.
      expect(await workspaces.find('att_kept')).toMatchObject({ id: 'att_kept' })
      expect(await collectLeftovers(fixture.home)).toEqual([])
    } finally {
      await living.kill()
    }
    expect(await collectLeftovers(fixture.home)).toEqual([join(fixture.home, 'workspaces/att_living')])
  })

  test('of an empty home are none', async () => {
    const folder = makeFolder()
    disposables.push(folder)
    expect(await listWorkspaces(folder.folder)).toEqual([])
    expect(await collectLeftovers(join(folder.folder, 'nope'))).toEqual([])
  })

  test('of a process killed in the middle of opening do not hinder the next', async () => {
    const fixture = made(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`src/${at}`, `${at}\n`])))
    const before = snapshotOf(fixture.root)
    const { repository, base } = await openFixture(fixture)
    for (const afterMs of [60, 120, 180, 240, 300]) {
      const program = `
        import * as adapter from ${JSON.stringify(join(import.meta.dirname, '../../src/adapters/workspaces/index.ts'))}
        const { root: cwd, home, env } = ${JSON.stringify(fixture)}
        const repository = await adapter.openRepository({ cwd, home, env })
        const workspaces = adapter.createWorkspaces(repository)
        setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${afterMs})
        for (;;) await workspaces.open({ id: 'att_1', tree: ${JSON.stringify(base.tree)}, head: ${JSON.stringify(base.commit)} })
      `
      expect(spawnSync(process.execPath, ['--input-type=module', '-e', program]).signal).toBe('SIGKILL')
      const workspaces = createWorkspaces(repository)
      const workspace = await workspaces.open({ id: 'att_1', tree: base.tree, head: base.commit })
      expect((await workspaces.capture(workspace, base.tree)).tree).toBe(base.tree)
    }
    expect(snapshotOf(fixture.root)).toEqual(before)
  })
})

describe('a full disk', () => {
  test.runIf(process.getuid?.() === 0 && existsSync('/usr/bin/mount'))(
    'is said by name, loses nothing, and is over when there is space',
    async () => {
      const fixture = made({ a: 'x'.repeat(1000) })
      mkdirSync(fixture.home)
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', fixture.home])
      if (mounted.status !== 0) return
      try {
        const { openWorkspace, workspaces, base } = await openFixture(fixture)
        const workspace = await openWorkspace()
        const noise = Buffer.from(Array.from({ length: 1_800_000 }, () => Math.floor(Math.random() * 256)))
        writeFileSync(join(workspace.path, 'big'), noise)
        await expect(workspaces.capture(workspace, base.tree)).rejects.toMatchObject({ code: 'disk_full' })
        await expect(openWorkspace('att_2').then(() => openWorkspace('att_3'))).resolves.toBeDefined()
        rmSync(join(workspace.path, 'big'))
        expect((await workspaces.capture(workspace, base.tree)).tree).toBe(base.tree)
      } finally {
        spawnSync('umount', ['-l', fixture.home])
      }
      chmodSync(fixture.root, 0o755)
    },
  )
})
