import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { collectLeftovers, type Prepare, type RunSetup } from '../../src/adapters/workspaces/index.ts'
import {
  makeRepository,
  openFixture,
  snapshotOf,
  useRepository,
  writeFiles,
  type FixtureFile,
  type FixtureRepository,
} from '../fixtures/repositories.ts'

const fixtures: FixtureRepository[] = []
afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.dispose()
})
function made(files: Record<string, FixtureFile>): FixtureRepository {
  const fixture = makeRepository(files)
  fixtures.push(fixture)
  return fixture
}

const runSetup: RunSetup = async ({ run, cwd, timeoutMs }) => {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', run], {
    cwd,
    timeout: timeoutMs,
    encoding: 'utf8',
  })
  return { exitCode: status, output: `${stdout}${stderr}` }
}
const share = (...paths: string[]): Prepare => ({ share: paths, setup: null, runSetup })
const setup = (run: string, timeoutMs = 100_000): Prepare => ({
  share: [],
  setup: { run, timeoutMs },
  runSetup,
})

describe('workspace.share', () => {
  const monorepo = () => {
    const fixture = made({
      '.gitignore': 'node_modules\n.env\n',
      'packages/lib/index.js': 'lib\n',
      'packages/app/index.js': 'app\n',
    })
    writeFiles(fixture.root, {
      '.env': 'SECRET=1\n',
      'node_modules/dep/index.js': 'dep\n',
      'node_modules/.bin/tool': { program: '#!/bin/sh\n' },
      'node_modules/lib': { link: '../packages/lib' },
      'node_modules/absolute': { link: join(fixture.root, 'packages/lib') },
      'node_modules/outside': { link: '/usr' },
      'node_modules/broken': { link: 'nowhere' },
      'packages/app/node_modules/lib': { link: '../../lib' },
    })
    return fixture
  }

  test('copies what git ignores; writes do not reach the checkout, links resolve inside the workspace', async () => {
    const fixture = monorepo()
    const before = snapshotOf(fixture.root)
    const { openWorkspace, workspaces, base } = await openFixture(
      fixture,
      share('node_modules', './packages/app/node_modules/', '.env'),
    )
    const workspace = await openWorkspace()
    const at = (path: string) => join(workspace.path, path)
    expect(workspace.preparation).toEqual({ setup: 'none', reason: null, warnings: [] })
    for (const link of ['node_modules/lib', 'node_modules/absolute', 'packages/app/node_modules/lib']) {
      expect(realpathSync(at(link)), link).toBe(realpathSync(at('packages/lib')))
      expect(readlinkSync(at(link))).not.toMatch(/^\//)
    }
    expect(readlinkSync(at('node_modules/outside'))).toBe('/usr')
    expect(statSync(at('node_modules/.bin/tool')).mode & 0o111).not.toBe(0)
    for (const path of [
      'node_modules/dep/index.js',
      '.env',
      'node_modules/lib/index.js',
      'node_modules/absolute/index.js',
    ]) {
      writeFileSync(at(path), 'changed\n')
    }
    writeFileSync(at('node_modules/new'), 'x')
    expect(snapshotOf(fixture.root)).toEqual(before)
    const patch = await workspaces.capture(workspace, base.tree)
    expect(patch.files.map(({ path }) => path)).toEqual(['packages/lib/index.js'])
    expect(patch.refused).toEqual([])
  })

  test('keeps shared paths out of a capture and of git status also when nothing ignores them', async () => {
    const fixture = made({ a: '1' })
    writeFiles(fixture.root, { 'my deps/[x]/y': '1', 'my deps/nested/.git/HEAD': 'x' })
    const { openWorkspace, workspaces, base } = await openFixture(fixture, share('my deps'))
    const workspace = await openWorkspace()
    expect(await workspaces.capture(workspace, base.tree)).toEqual({
      base_tree: base.tree,
      tree: base.tree,
      files: [],
      refused: [],
    })
    expect(useRepository({ ...fixture, root: workspace.path }).git('status', '--porcelain')).toBe('')
  })

  test('follows a shared path that is itself a link, and goes without one that is missing', async () => {
    const fixture = made({ '.gitignore': 'deps\n' })
    writeFiles(fixture.folder, { 'elsewhere/x': '1' })
    symlinkSync(join(fixture.folder, 'elsewhere'), join(fixture.root, 'deps'))
    const { openWorkspace } = await openFixture(fixture, share('deps', 'missing'))
    const workspace = await openWorkspace()
    expect(workspace.preparation?.warnings).toEqual(['workspace.share: missing is not in the checkout'])
    expect(lstatSync(join(workspace.path, 'deps')).isDirectory()).toBe(true)
    writeFileSync(join(workspace.path, 'deps/x'), '2')
    expect(readFileSync(join(fixture.folder, 'elsewhere/x'), 'utf8')).toBe('1')
  })

  test.each(['../x', '/etc', 'a/../../x', '', '.', '.git', 'src/.GIT', 'src', 'src/a'])(
    'refuses %j',
    async (path) => {
      const { openWorkspace } = await openFixture(made({ 'src/a': '1' }), share(path))
      await expect(openWorkspace()).rejects.toMatchObject({ code: 'config_invalid' })
    },
  )

  test('is not led out of the workspace by a link of the tree', async () => {
    const fixture = made({ '.gitignore': 'x\n', a: '1' })
    mkdirSync(join(fixture.folder, 'outside/x'), { recursive: true })
    symlinkSync(join(fixture.folder, 'outside'), join(fixture.root, 'out'))
    fixture.commitAll('link')
    const { openWorkspace } = await openFixture(fixture, share('out/x'))
    await expect(openWorkspace()).rejects.toMatchObject({ code: 'config_invalid' })
  })
})

/** Somebody else's commit is checked out, and the session starts from the one before. */
test.each(['deps', 'deps/x'])(
  'a shared %s is not followed through a link of another commit',
  async (path) => {
    const fixture = made({ '.gitignore': 'deps\n', a: '1' })
    const { openWorkspace } = await openFixture(fixture, share(path))
    writeFiles(fixture.folder, { 'home/x': 'CANARY' })
    symlinkSync(join(fixture.folder, 'home'), join(fixture.root, 'deps'))
    useRepository(fixture).git('add', '--force', 'deps')
    fixture.commitAll('a link into the home')
    await expect(openWorkspace()).rejects.toMatchObject({
      code: 'config_invalid',
      message: 'workspace.share: deps is a link that the checked out commit brought',
    })
  },
)

describe('workspace.setup', () => {
  const files = { '.gitignore': 'deps\n', 'package-lock.json': '1\n', 'a.txt': '1\n' }

  test('runs once for the same lock files, in a pristine checkout with a git of its own', async () => {
    const fixture = made(files)
    const log = join(fixture.folder, 'log')
    const prepare = setup(
      `git rev-parse HEAD >> ${log} && mkdir -p deps/lib && echo dep > deps/lib/x && ln -s $PWD/a.txt deps/absolute && echo 2 > a.txt && echo made > made.txt`,
    )
    const { openWorkspace, workspaces, base, trees } = await openFixture(fixture, prepare)
    const opened = await Promise.all(['one', 'two', 'three'].map((id) => openWorkspace(id)))
    expect(readFileSync(log, 'utf8')).toBe(`${base.commit}\n`)
    for (const workspace of opened) {
      expect(workspace.preparation).toEqual({ setup: 'done', reason: null, warnings: [] })
      expect(readFileSync(join(workspace.path, 'deps/lib/x'), 'utf8')).toBe('dep\n')
      expect(realpathSync(join(workspace.path, 'deps/absolute'))).toBe(join(workspace.path, 'a.txt'))
      expect(readFileSync(join(workspace.path, 'a.txt'), 'utf8')).toBe('1\n')
      expect((await workspaces.capture(workspace, base.tree)).tree).toBe(base.tree)
    }
    const [one, two] = opened
    writeFileSync(join(one?.path ?? '', 'deps/lib/x'), 'changed')
    expect(readFileSync(join(two?.path ?? '', 'deps/lib/x'), 'utf8')).toBe('dep\n')
    expect(readFileSync(join((await openWorkspace('four')).path, 'deps/lib/x'), 'utf8')).toBe('dep\n')
    expect((await workspaces.find('four'))?.preparation?.setup).toBe('done')
    writeFileSync(join(two?.path ?? '', 'package-lock.json'), '2\n')
    const changed = await workspaces.capture(two ?? (await openWorkspace('two')), base.tree)
    await workspaces.open({ id: 'five', tree: changed.tree, head: base.commit })
    expect(readFileSync(log, 'utf8')).toBe(`${base.commit}\n${base.commit}\n`)
    expect(await trees.resolve('HEAD')).toEqual(base)
    expect(await collectLeftovers(fixture.home)).toEqual([])
  })

  test('runs the programs of the base also where a patch changes what is installed', async () => {
    const fixture = made({ ...files, 'tools/post.sh': 'true\n', 'tools/old.sh': 'true\n' })
    const log = join(fixture.folder, 'log')
    const prepare = setup(`cat package-lock.json tools/* test/* >> ${log} 2>/dev/null; mkdir -p deps`)
    const { openWorkspace, workspaces, base } = await openFixture(fixture, prepare)
    const edited = await openWorkspace('one')
    writeFiles(edited.path, {
      'package-lock.json': '2\n',
      'tools/post.sh': 'evil\n',
      'tools/new.sh': 'evil\n',
      'test/x.test.mjs': 'evil\n',
    })
    rmSync(join(edited.path, 'tools/old.sh'))
    const patch = await workspaces.capture(edited, base.tree)
    const checked = await workspaces.open({ id: 'two', tree: patch.tree, head: base.commit })
    expect(checked.preparation?.setup).toBe('done')
    expect(readFileSync(join(checked.path, 'tools/post.sh'), 'utf8')).toBe('evil\n')
    expect(readFileSync(log, 'utf8')).toBe('1\ntrue\ntrue\n2\ntrue\ntrue\n')
  })

  test('that fails is a result, told once per process and tried again by the next', async () => {
    const fixture = made(files)
    const log = join(fixture.folder, 'log')
    const prepare = setup(
      `echo ran >> ${log}; echo no such package >&2; test -e ${join(fixture.folder, 'fixed')}`,
    )
    const { openWorkspace } = await openFixture(fixture, prepare)
    const reason = `workspace.setup (${prepare.setup?.run ?? ''}) ended with 1:\nno such package`
    for (const id of ['one', 'two']) {
      expect((await openWorkspace(id)).preparation).toEqual({ setup: 'failed', reason, warnings: [] })
    }
    expect(readFileSync(log, 'utf8')).toBe('ran\n')
    writeFileSync(join(fixture.folder, 'fixed'), '')
    const next = await openFixture(fixture, prepare)
    expect((await next.openWorkspace('three')).preparation?.setup).toBe('done')
  })

  test('that does not end in time is a failed one', async () => {
    const { openWorkspace } = await openFixture(made(files), setup('exec sleep 60', 200))
    expect((await openWorkspace()).preparation).toMatchObject({
      setup: 'failed',
      reason: expect.stringContaining('200 ms'),
    })
  })

  test('is done again when the process that ran it died in the middle', async () => {
    const fixture = made(files)
    const prepare = setup('mkdir deps && echo whole > deps/x')
    const { openWorkspace } = await openFixture(fixture, prepare)
    const pool = join(fixture.home, 'pool')
    const [key = ''] = await openWorkspace().then(() => readdirSync(pool))
    const dead = { mark: '-:999999:1:00000000-0000-0000-0000-000000000000:1:00' }
    const spoil = () => {
      spawnSync('rm', [join(pool, key, 'done.json')])
      writeFiles(pool, { [`${key}/tree/deps/x`]: 'half', [`${key}.lock/owner.json`]: JSON.stringify(dead) })
    }
    spoil()
    const workspace = await openWorkspace()
    expect(readFileSync(join(workspace.path, 'deps/x'), 'utf8')).toBe('whole\n')
    expect(readdirSync(pool)).toEqual([key])
    spoil()
    const old = new Date(Date.now() - 2 * 60_000)
    for (const name of [key, `${key}.lock`]) utimesSync(join(pool, name), old, old)
    expect(await collectLeftovers(fixture.home)).toEqual([join(pool, key), join(pool, `${key}.lock`)])
    expect(existsSync(pool) && readdirSync(pool)).toEqual([])
  })

  test('and share go together; what setup made is not copied over', async () => {
    const fixture = made({ ...files, '.gitignore': 'deps\n.env\n' })
    writeFiles(fixture.root, { 'deps/x': 'mine', '.env': 'mine' })
    const prepare = { ...setup('mkdir deps && echo theirs > deps/x'), share: ['deps', '.env'] }
    const workspace = await (await openFixture(fixture, prepare)).openWorkspace()
    expect(readFileSync(join(workspace.path, 'deps/x'), 'utf8')).toBe('theirs\n')
    expect(readFileSync(join(workspace.path, '.env'), 'utf8')).toBe('mine')
    expect(workspace.preparation).toEqual({ setup: 'done', reason: null, warnings: [] })
  })

  test('is never copied through a link or over a file of another commit with the same lock files', async () => {
    const fixture = made({ ...files, '.gitignore': 'deps\n', 'kept/a.txt': '1\n' })
    const prepare = setup(
      'mkdir -p deps kept/made && for f in deps/key kept/made/key made.txt kept/new.txt; do echo evil > $f; done',
    )
    const first = await openFixture(fixture, prepare)
    const before = await first.openWorkspace('one')
    expect(readFileSync(join(before.path, 'kept/made/key'), 'utf8')).toBe('evil\n')
    const outside = join(fixture.folder, 'outside')
    writeFiles(outside, { victim: 'mine\n' })
    fixture.write({
      deps: { link: outside },
      'kept/made': { link: outside },
      'made.txt': { link: join(outside, 'victim') },
      'kept/new.txt': 'committed\n',
    })
    fixture.git('add', '-f', 'deps')
    fixture.commitAll('links in the places of what setup makes')
    const { openWorkspace } = await openFixture(fixture, prepare)
    const workspace = await openWorkspace('two')
    expect(workspace.preparation?.setup).toBe('done')
    expect(readdirSync(outside)).toEqual(['victim'])
    expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('mine\n')
    expect(readFileSync(join(workspace.path, 'kept/new.txt'), 'utf8')).toBe('committed\n')
    expect(readlinkSync(join(workspace.path, 'deps'))).toBe(outside)
  })
})
