import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ATTRIBUTES, makeEvil, markersOf, poison, ran } from '../fixtures/attacks/poison.ts'
import {
  makeRepository,
  openFixture,
  snapshotOf,
  useRepository,
  writeFiles,
  type FixtureRepository,
  readFile,
} from '../fixtures/repositories.ts'

const fixtures: FixtureRepository[] = []
afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.dispose()
})

/** Everything Fixpoint does with git, from the first look to the note on the landed commit. */
async function walk(fixture: FixtureRepository, agent: (path: string) => void) {
  const opened = await openFixture(fixture)
  const { trees, workspaces, branches, base, repository } = opened
  const workspace = await opened.openWorkspace()
  agent(workspace.path)
  const patch = await workspaces.capture(workspace, base.tree)
  expect(await trees.diff(base.tree, patch.tree, 100_000)).toContain('+edited')
  const other = await workspaces.open({ id: 'att_2', tree: base.tree, head: base.commit })
  writeFileSync(join(other.path, 'other.txt'), 'other\n')
  writeFileSync(join(other.path, 'a.txt'), '1\n2\n3\n4\n5\n6\n7\n8\nchanged\n')
  const beside = await workspaces.capture(other, base.tree)
  const composed = await trees.compose(beside.tree, patch)
  if (!('tree' in composed)) throw new Error(`conflicts: ${composed.conflicts.join()}`)
  const restored = await trees.restore(composed.tree, base.tree, ['other.txt'])
  expect(Buffer.from((await readFile(trees, restored, 'a.txt')) ?? []).toString()).toBe(
    'edited\n2\n3\n4\n5\n6\n7\n8\nchanged\n',
  )
  expect(await readFile(trees, restored, 'other.txt')).toBeNull()
  const author = repository.identity
  const commit = await trees.commit({
    tree: restored,
    parent: base.commit,
    message: 'fix',
    author,
    date_ms: 0,
  })
  expect(await branches.check('fix/it')).toEqual({ state: 'free' })
  expect(await branches.move({ branch: 'fix/it', from: null, to: commit, base: base.commit })).toEqual({
    moved: true,
  })
  await branches.note([{ commit: commit, text: '{}' }])
  await branches.note([{ commit: commit, text: '{"second":true}' }])
  await workspaces.close('att_1')
  await workspaces.close('att_2')
  return { patch, commit }
}

const LINES = '1\n2\n3\n4\n5\n6\n7\n8\n9\n'
const edit = (path: string) => writeFileSync(join(path, 'a.txt'), LINES.replace('1', 'edited'))
const OURS = ['refs/heads/fix', 'refs/notes']

describe('a hostile repository', () => {
  test('runs its programs for a user of git, or the next test would prove nothing', () => {
    const fixture = makeRepository({ 'a.txt': LINES, 'mine.txt': '1\n' })
    fixtures.push(fixture)
    poison(fixture, join(fixture.root, '.git'), fixture.root)
    edit(fixture.root)
    fixture.write({ 'mine.txt': '2\n' })
    for (const args of [['status'], ['diff'], ['add', '-A'], ['update-ref', 'refs/heads/x', 'HEAD']]) {
      try {
        fixture.git(...args)
      } catch {
        // some of the programs make git fail, but they have run nevertheless
      }
    }
    expect(ran(fixture)).toEqual(
      expect.arrayContaining([
        'clean',
        'diff-command',
        'filter-process',
        'fsmonitor',
        'hook-post-index-change',
        'hook-reference-transaction',
      ]),
    )
  })

  test('runs nothing in all that Fixpoint does, and loses nothing', async () => {
    const fixture = makeRepository({ 'a.txt': LINES, 'mine.txt': 'committed\n' })
    fixtures.push(fixture)
    fixture.write({ 'mine.txt': 'stashed\n' })
    fixture.git('stash')
    fixture.write({ 'mine.txt': 'staged\n', 'untracked.txt': 'mine\n' })
    fixture.git('add', 'mine.txt')
    fixture.write({ 'mine.txt': 'edited\n' })
    poison(fixture, join(fixture.root, '.git'), fixture.root)
    for (const lock of ['index.lock', 'HEAD.lock']) writeFileSync(join(fixture.root, '.git', lock), '')
    const before = snapshotOf(fixture.root, OURS)
    const { patch, commit } = await walk(fixture, edit)
    expect(ran(fixture)).toEqual([])
    expect(snapshotOf(fixture.root, OURS)).toEqual(before)
    expect(patch.files.map(({ path }) => path)).toEqual(['a.txt'])
    const plain = {
      ...fixture.env,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'log.showSignature',
      GIT_CONFIG_VALUE_0: 'false',
    }
    const log = execFileSync('git', ['--no-pager', 'log', '-1', '--format=%H %an %s', 'fix/it'], {
      cwd: fixture.root,
      env: plain,
    })
    expect(log.toString()).toBe(`${commit} Ada fix\n`)
  })

  test('with attributes in its tree is checked out and captured to the byte', async () => {
    const fixture = makeRepository({ 'a.txt': LINES })
    fixtures.push(fixture)
    writeFileSync(join(fixture.root, '.gitattributes'), ATTRIBUTES)
    fixture.commitAll('attributes')
    poison(fixture, join(fixture.root, '.git'), fixture.root)
    await walk(fixture, edit)
    expect(ran(fixture)).toEqual([])
  })
})

describe('a hostile agent', () => {
  const acts: Record<string, (fixture: FixtureRepository, path: string) => void> = {
    'poisons the git of its workspace': (fixture, path) => poison(fixture, join(path, '.git'), path),
    'puts a git directory of its own in place of it': (fixture, path) => {
      const own = join(fixture.folder, 'own.git')
      execFileSync('git', ['init', '--quiet', '--bare', own], { env: fixture.env })
      poison(fixture, own, path)
      rmSync(join(path, '.git'), { recursive: true })
      writeFileSync(join(path, '.git'), `gitdir: ${own}\n`)
    },
    'makes a poisoned nested repository': (fixture, path) => {
      const nested = useRepository({ ...fixture, root: join(path, 'nested') })
      mkdirSync(nested.root)
      nested.git('init', '--quiet')
      nested.git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '--quiet', '--allow-empty', '-m', 'x')
      poison(fixture, join(nested.root, '.git'), nested.root)
    },
    'poisons the folder of a submodule': (fixture, path) => {
      const nested = useRepository({ ...fixture, root: join(path, 'lib') })
      nested.git('init', '--quiet')
      nested.git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '--quiet', '--allow-empty', '-m', 'x')
      poison(fixture, join(nested.root, '.git'), nested.root)
    },
    'leaves programs named git and configuration files about': (fixture, path) => {
      const evil = makeEvil(fixture)
      const program = `#!/bin/sh\n${evil('shadow-git')}\n`
      writeFiles(path, {
        git: { program },
        'node_modules/.bin/git': { program },
        '.gitconfig': `[core]\n\tfsmonitor = ${evil('gitconfig')}\n`,
      })
    },
  }

  test.each(Object.keys(acts))('that %s runs nothing', async (name) => {
    const fixture = makeRepository({ 'a.txt': LINES })
    fixtures.push(fixture)
    const input = `160000 ${'1'.repeat(40)}\tlib\0`
    execFileSync('git', ['update-index', '-z', '--add', '--index-info'], {
      cwd: fixture.root,
      env: fixture.env,
      input,
    })
    fixture.git('commit', '--quiet', '-m', 'submodule')
    makeEvil(fixture)
    const before = snapshotOf(fixture.root, OURS)
    await walk(fixture, (path) => {
      edit(path)
      acts[name]?.(fixture, path)
      for (const marker of ran(fixture)) rmSync(join(markersOf(fixture), marker))
    })
    expect(ran(fixture)).toEqual([])
    expect(snapshotOf(fixture.root, OURS)).toEqual(before)
  })
})

describe('the caller’s environment', () => {
  test('redirects no call', async () => {
    const fixture = makeRepository({ 'a.txt': LINES })
    fixtures.push(fixture)
    const elsewhere = makeRepository({ x: '1' })
    fixtures.push(elsewhere)
    const evil = makeEvil(fixture)
    const hostile = {
      ...fixture.env,
      PATH: `.:node_modules/.bin:${fixture.env['PATH'] ?? ''}`,
      GIT_DIR: join(elsewhere.root, '.git'),
      GIT_WORK_TREE: elsewhere.root,
      GIT_INDEX_FILE: join(elsewhere.root, '.git/index'),
      GIT_OBJECT_DIRECTORY: join(elsewhere.root, '.git/objects'),
      GIT_EXTERNAL_DIFF: evil('env-diff'),
      GIT_EDITOR: evil('env-editor'),
      GIT_SSH_COMMAND: evil('env-ssh'),
      GIT_EXEC_PATH: fixture.folder,
    }
    writeFiles(fixture.root, { git: { program: `#!/bin/sh\n${evil('shadow-git')}\n` } })
    chmodSync(join(fixture.root, 'git'), 0o755)
    const before = snapshotOf(elsewhere.root)
    await walk({ ...fixture, env: hostile }, edit)
    expect(ran(fixture)).toEqual([])
    expect(snapshotOf(elsewhere.root)).toEqual(before)
    expect(existsSync(join(fixture.root, '.git/refs/heads/fix/it'))).toBe(true)
  })
})
