import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Patch, PatchFile } from '../../src/model/proof/patch.ts'
import {
  makeRepository,
  openFixture,
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

type Edit = (path: string, agent: FixtureRepository) => void | Promise<void>

/** Opens a workspace on these files, lets `edit` play the agent, and captures. */
async function captureAfter(files: Record<string, FixtureFile>, edit: Edit) {
  const fixture = makeRepository(files)
  fixtures.push(fixture)
  const opened = await openFixture(fixture)
  const workspace = await opened.openWorkspace()
  await edit(workspace.path, useRepository({ ...fixture, root: workspace.path }))
  const patch = await opened.workspaces.capture(workspace, opened.base.tree)
  return { ...opened, workspace, patch }
}

const summary = (patch: Patch): string[] =>
  patch.files.map(({ status, old_path, path }) =>
    old_path === null ? `${status} ${path}` : `${status} ${old_path} → ${path}`,
  )

const file = (changed: Partial<PatchFile> & { path: string }): PatchFile => ({
  status: 'modified',
  old_path: null,
  mode: '100644',
  old_mode: '100644',
  link_target: null,
  binary: false,
  additions: 0,
  deletions: 0,
  ...changed,
})
const added = { status: 'added', old_mode: '000000' } as const
const deleted = { status: 'deleted', mode: '000000' } as const

describe('capture finds', () => {
  const cases: Record<string, { files: Record<string, FixtureFile>; edit: Edit; expected: PatchFile[] }> = {
    'an edit': {
      files: { a: '1\n2\n' },
      edit: (path) => writeFileSync(join(path, 'a'), '1\nx\ny\n'),
      expected: [file({ path: 'a', additions: 2, deletions: 1 })],
    },
    'a new file in a new folder': {
      files: { a: '1\n' },
      edit: (path) => writeFiles(path, { 'new/folder/b': '1\n' }),
      expected: [file({ path: 'new/folder/b', ...added, additions: 1 })],
    },
    'a deleted file': {
      files: { a: '1\n', b: '2\n' },
      edit: (path) => unlinkSync(join(path, 'a')),
      expected: [file({ path: 'a', ...deleted, deletions: 1 })],
    },
    'a renamed file': {
      files: { a: 'one\ntwo\nthree\nfour\n' },
      edit: (path) => renameSync(join(path, 'a'), join(path, 'b')),
      expected: [file({ path: 'b', old_path: 'a', status: 'renamed' })],
    },
    'a name that changed in case only': {
      files: { 'readme.md': 'one\ntwo\nthree\n' },
      edit: (path) => renameSync(join(path, 'readme.md'), join(path, 'README.md')),
      expected: [file({ path: 'README.md', old_path: 'readme.md', status: 'renamed' })],
    },
    'an exec bit': {
      files: { a: '1\n' },
      edit: (path) => chmodSync(join(path, 'a'), 0o755),
      expected: [file({ path: 'a', status: 'mode_changed', mode: '100755' })],
    },
    'a new link, also one that leads out of the repository': {
      files: { a: '1\n' },
      edit: (path) => symlinkSync('/etc/passwd', join(path, 'leak.txt')),
      expected: [
        file({ path: 'leak.txt', ...added, mode: '120000', link_target: '/etc/passwd', additions: 1 }),
      ],
    },
    'a file replaced by a link': {
      files: { a: '1\n', b: '2\n' },
      edit: (path) => {
        unlinkSync(join(path, 'a'))
        symlinkSync('b', join(path, 'a'))
      },
      expected: [
        file({
          path: 'a',
          status: 'type_changed',
          mode: '120000',
          link_target: 'b',
          additions: 1,
          deletions: 1,
        }),
      ],
    },
    'a file replaced by a folder': {
      files: { a: 'one\n' },
      edit: (path) => {
        unlinkSync(join(path, 'a'))
        writeFiles(path, { 'a/b': 'quite\nother\n' })
      },
      expected: [
        file({ path: 'a', ...deleted, deletions: 1 }),
        file({ path: 'a/b', ...added, additions: 2 }),
      ],
    },
    'a folder replaced by a file': {
      files: { 'a/b': 'one\n', 'a/c/d': 'two\n' },
      edit: (path) => {
        rmSync(join(path, 'a'), { recursive: true })
        writeFileSync(join(path, 'a'), 'quite\nother\n')
      },
      expected: [
        file({ path: 'a', ...added, additions: 2 }),
        file({ path: 'a/b', ...deleted, deletions: 1 }),
        file({ path: 'a/c/d', ...deleted, deletions: 1 }),
      ],
    },
    'a folder replaced by a link to a like one': {
      files: { 'a/x': 'one\n', 'b/x': 'two\n' },
      edit: (path) => {
        rmSync(join(path, 'a'), { recursive: true })
        symlinkSync('b', join(path, 'a'))
      },
      expected: [
        file({ path: 'a', ...added, mode: '120000', link_target: 'b', additions: 1 }),
        file({ path: 'a/x', ...deleted, deletions: 1 }),
      ],
    },
    'a binary file': {
      files: { a: '1\n' },
      edit: (path) => writeFileSync(join(path, 'b.bin'), Buffer.from([0, 1, 2])),
      expected: [file({ path: 'b.bin', ...added, binary: true })],
    },
    'an empty file': {
      files: { a: '1\n' },
      edit: (path) => writeFileSync(join(path, 'empty'), ''),
      expected: [file({ path: 'empty', ...added })],
    },
    'a file emptied': {
      files: { a: '1\n' },
      edit: (path) => truncateSync(join(path, 'a'), 0),
      expected: [file({ path: 'a', deletions: 1 })],
    },
    'line ends that changed': {
      files: { '.gitattributes': '* text=auto\n', a: '1\n2\n' },
      edit: (path) => writeFileSync(join(path, 'a'), '1\r\n2\r\n'),
      expected: [file({ path: 'a', additions: 2, deletions: 2 })],
    },
    'a file nobody may read': {
      files: { a: '1\n' },
      edit: (path) => {
        writeFileSync(join(path, 'a'), '2\n')
        chmodSync(join(path, 'a'), 0)
      },
      expected: [file({ path: 'a', additions: 1, deletions: 1 })],
    },
    'a file replaced by a pipe as deleted': {
      files: { a: '1\n' },
      edit: (path) => {
        unlinkSync(join(path, 'a'))
        execFileSync('mkfifo', [join(path, 'a'), join(path, 'new-pipe')])
      },
      expected: [file({ path: 'a', ...deleted, deletions: 1 })],
    },
    'a change that attributes would hide': {
      files: { a: '1\n' },
      edit: (path) => writeFiles(path, { '.gitattributes': '* -diff filter=x ident\n', a: '$Id: 1$\n' }),
      expected: [
        file({ path: '.gitattributes', ...added, additions: 1 }),
        file({ path: 'a', additions: 1, deletions: 1 }),
      ],
    },
    'a changed LFS pointer as a pointer': {
      files: { '.gitattributes': '*.bin filter=lfs\n', 'a.bin': 'oid sha256:1\n' },
      edit: (path) => writeFileSync(join(path, 'a.bin'), 'oid sha256:2\n'),
      expected: [file({ path: 'a.bin', additions: 1, deletions: 1 })],
    },
    'a tracked file that is ignored': {
      files: { '.gitignore': '*.log\n', 'a.log': '1\n' },
      edit: (path) => writeFiles(path, { 'a.log': '2\n', 'b.log': 'ignored' }),
      expected: [file({ path: 'a.log', additions: 1, deletions: 1 })],
    },
  }

  test.each(Object.keys(cases))('%s', async (name) => {
    const { files, edit, expected } = cases[name] ?? { files: {}, edit: () => undefined, expected: [] }
    const { patch, base } = await captureAfter(files, edit)
    expect(patch).toEqual({
      base_tree: base.tree,
      tree: expect.not.stringMatching(base.tree),
      files: expected,
      refused: [],
    })
  })

  test('every odd name, exactly', async () => {
    const names = [
      '-rf',
      ' a ',
      'a\nb',
      'a\tb',
      'trailing. ',
      'CON',
      '*',
      '[x]',
      ':(top)x',
      '!x',
      '#x',
      'x'.repeat(255),
      'caf\u00e9',
      'cafe\u0301',
      '"q"',
      'a\\b',
    ]
    const { patch, trees } = await captureAfter({ a: '1' }, (path) => {
      for (const name of names) writeFileSync(join(path, name), name)
      writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from('caf\xe9.txt', 'latin1')]), 'latin')
    })
    const paths = patch.files.map(({ path }) => path)
    expect(paths.toSorted()).toEqual(
      [...names.filter((name) => name !== '"q"'), '"\\"q\\""', '"caf\\351.txt"'].toSorted(),
    )
    for (const path of paths) expect(await readFile(trees, patch.tree, path), path).not.toBeNull()
    expect(Buffer.from((await readFile(trees, patch.tree, '"caf\\351.txt"')) ?? []).toString()).toBe('latin')
    expect(patch.refused).toEqual([])
  })

  test('an edit of the same size in the same second', async () => {
    for (let round = 0; round < 5; round++) {
      const { patch } = await captureAfter({ a: 'aaaa\n', b: 'bbbb\n' }, (path) =>
        writeFileSync(join(path, 'a'), 'AAAA\n'),
      )
      expect(summary(patch)).toEqual(['modified a'])
    }
  })

  test('an edit of the same size whose time was put back', async () => {
    const { patch } = await captureAfter({ a: 'aaaa\n' }, (path) => {
      const { atime, mtime } = statSync(join(path, 'a'))
      writeFileSync(join(path, 'a'), 'AAAA\n')
      utimesSync(join(path, 'a'), atime, mtime)
    })
    expect(summary(patch)).toEqual(['modified a'])
  })

  test('the same a second time, and what came since', async () => {
    const { patch, workspace, workspaces, base } = await captureAfter({ a: '1\n' }, (path) =>
      writeFileSync(join(path, 'b'), '1\n'),
    )
    expect(await workspaces.capture(workspace, base.tree)).toEqual(patch)
    writeFileSync(join(workspace.path, 'c'), '1\n')
    expect(summary(await workspaces.capture(workspace, base.tree))).toEqual(['added b', 'added c'])
    unlinkSync(join(workspace.path, 'b'))
    unlinkSync(join(workspace.path, 'c'))
    expect((await workspaces.capture(workspace, base.tree)).tree).toBe(base.tree)
  })

  test('what an earlier round did, in a workspace that was opened on its patch', async () => {
    const { patch, workspaces, base } = await captureAfter({ a: '1\n' }, (path) =>
      writeFileSync(join(path, 'b'), '1\n'),
    )
    const next = await workspaces.open({ id: 'att_1', tree: patch.tree, head: base.commit })
    writeFileSync(join(next.path, 'c'), '1\n')
    expect(summary(await workspaces.capture(next, base.tree))).toEqual(['added b', 'added c'])
  })

  test('a file whose content only was written again as unchanged', async () => {
    const { patch, base } = await captureAfter({ a: '1\n' }, (path) => writeFileSync(join(path, 'a'), '1\n'))
    expect(patch.tree).toBe(base.tree)
  })
})

describe('capture ignores', () => {
  test('pipes and sockets', async () => {
    const server = createServer()
    const { patch, base } = await captureAfter({ a: '1' }, async (path) => {
      execFileSync('mkfifo', [join(path, 'pipe')])
      await new Promise<void>((resolve) => server.listen(join(path, 'socket'), resolve))
    })
    server.close()
    expect(patch).toEqual({ base_tree: base.tree, tree: base.tree, files: [], refused: [] })
  })

  test.each([
    '.gitignore',
    '.gitattributes',
    '.gitmodules',
    '.mailmap',
    'src/.gitignore',
    'src/.gitattributes',
  ])('a pipe in the place of %s, which git would wait for', async (name) => {
    const files = {
      '.gitignore': '*.log\n',
      'src/a': '1\n',
      ...(name === '.gitignore' ? {} : { [name]: '\n' }),
    }
    const { patch } = await captureAfter(files, (path) => {
      rmSync(join(path, name))
      execFileSync('mkfifo', [join(path, name)])
      writeFiles(path, { 'src/a': '2\n', 'src/b': '3\n' })
    })
    expect(patch.files.map(({ path }) => path)).toEqual([name, 'src/a', 'src/b'])
  })

  test('what the repository, the user and .git/info/exclude ignore', async () => {
    const fixture = makeRepository({ '.gitignore': 'ignored-here\n' })
    fixtures.push(fixture)
    writeFileSync(join(fixture.root, '.git/info/exclude'), 'ignored-there\n')
    writeFiles(fixture.folder, { 'user/.config/git/ignore': '.DS_Store' })
    const { openWorkspace, workspaces, base } = await openFixture(fixture)
    const workspace = await openWorkspace()
    for (const name of ['ignored-here', 'ignored-there', '.DS_Store'])
      writeFileSync(join(workspace.path, name), '1')
    expect((await workspaces.capture(workspace, base.tree)).tree).toBe(base.tree)
  })

  test('everything an agent does with git in its workspace', async () => {
    const acts: Record<string, (agent: FixtureRepository) => void> = {
      commit: (agent) => void agent.commitAll('mine'),
      stage: (agent) => void agent.git('add', '--all'),
      switch: (agent) => void agent.git('switch', '--quiet', '-c', 'mine'),
      stash: (agent) => {
        agent.git('stash', '--include-untracked')
        agent.write({ new: '1\n' })
      },
      reset: (agent) => void agent.git('reset', '--soft', 'HEAD'),
      'assume unchanged': (agent) => void agent.git('update-index', '--assume-unchanged', 'a'),
      'add a remote': (agent) => void agent.git('remote', 'add', 'origin', 'ext::sh -c evil'),
      'rewrite HEAD': (agent) => writeFileSync(join(agent.root, '.git/HEAD'), 'ref: refs/heads/nowhere\n'),
      'break the index': (agent) => writeFileSync(join(agent.root, '.git/index'), 'rubbish'),
      'lock the index': (agent) => writeFileSync(join(agent.root, '.git/index.lock'), ''),
      'delete .git': (agent) => rmSync(join(agent.root, '.git'), { recursive: true }),
      'replace .git by a file': (agent) => {
        rmSync(join(agent.root, '.git'), { recursive: true })
        writeFileSync(join(agent.root, '.git'), 'gitdir: /nowhere\n')
      },
      'ignore its own file': (agent) => writeFileSync(join(agent.root, '.git/info/exclude'), 'new\n'),
    }
    for (const [name, act] of Object.entries(acts)) {
      const { patch } = await captureAfter({ a: '1\n' }, (_, agent) => {
        agent.write({ new: '1\n' })
        act(agent)
      })
      expect(summary(patch), name).toEqual(['added new'])
    }
  })

  test.each<[string, (agent: FixtureRepository) => void, readonly string[]]>([
    ['a commit', (agent) => void agent.commitAll('mine'), ['commits of its own']],
    [
      'a branch',
      (agent) => void agent.git('switch', '--quiet', '-c', 'mine'),
      ['branches of its own (mine)', 'a switch of the branch'],
    ],
    [
      'a setting',
      (agent) => void agent.git('config', 'core.hooksPath', '/tmp'),
      ['changes of git’s configuration'],
    ],
    ['a hook', (agent) => writeFiles(agent.root, { '.git/hooks/pre-commit': 'x' }), ['hooks']],
    [
      'another .git',
      (agent) => rmSync(join(agent.root, '.git'), { recursive: true }),
      ['its .git, replaced'],
    ],
    [
      'a pipe where HEAD was',
      (agent) => {
        rmSync(join(agent.root, '.git/HEAD'))
        execFileSync('mkfifo', [join(agent.root, '.git/HEAD')])
      },
      [],
    ],
  ])('%s, which is seen all the same', async (_name, act, undone) => {
    const { patch } = await captureAfter({ a: '1\n' }, (_, agent) => act(agent))
    expect(patch.undone ?? []).toEqual(undone)
    expect(patch.files).toEqual([])
  })

  test('an emptied or removed folder of a submodule', async () => {
    const fixture = makeRepository({ a: '1' })
    fixtures.push(fixture)
    const input = `160000 ${'1'.repeat(40)}\tlib\0`
    execFileSync('git', ['update-index', '-z', '--add', '--index-info'], {
      cwd: fixture.root,
      env: fixture.env,
      input,
    })
    fixture.git('commit', '--quiet', '-m', 'submodule')
    const { openWorkspace, workspaces, base } = await openFixture(fixture)
    const workspace = await openWorkspace()
    rmdirSync(join(workspace.path, 'lib'))
    expect(await workspaces.capture(workspace, base.tree)).toEqual({
      base_tree: base.tree,
      tree: base.tree,
      files: [],
      refused: [],
    })
    writeFiles(workspace.path, { 'lib/x': '1', b: '1' })
    const patch = await workspaces.capture(workspace, base.tree)
    expect(patch.refused).toEqual([{ path: 'lib', reason: 'a submodule was changed' }])
    expect(summary(patch)).toEqual(['added b'])
    rmSync(join(workspace.path, 'lib'), { recursive: true })
    writeFileSync(join(workspace.path, 'lib'), 'a file')
    expect((await workspaces.capture(workspace, base.tree)).refused).toEqual(patch.refused)
  })
})

describe('capture refuses, before anything is staged,', () => {
  const lookalikes = [
    '.GIT',
    '.Git',
    '.git ',
    '.git.',
    '.git . .',
    'git~1',
    'GIT~1',
    '.g\u200cit',
    '.gi\u200dt\ufeff',
    '.git::$INDEX_ALLOCATION',
    '.git:x',
    '\u206a.git',
  ]
  test.each(lookalikes)('a path that git could read as .git: %j', async (name) => {
    const { patch } = await captureAfter({ a: '1' }, (path) =>
      writeFiles(path, { [name]: '1', [`sub/${name.toUpperCase()}/config`]: '1', fine: '1' }),
    )
    expect(summary(patch)).toEqual(['added fine'])
    expect(patch.refused.map(({ path }) => path).toSorted()).toEqual(
      [name, `sub/${name.toUpperCase()}/config`].toSorted(),
    )
  })

  test('a nested repository, with and without commits, files, or a real git directory', async () => {
    const { patch } = await captureAfter({ a: '1', 'src/x': '1' }, (path, agent) => {
      agent.git('init', '--quiet', 'empty')
      agent.git('init', '--quiet', 'full')
      writeFiles(path, {
        'full/x': '1',
        'fake/.git/note': '1',
        'fake/x': '1',
        'file/.git': 'gitdir: /x',
        'file/deep/x': '1',
      })
      agent.git('init', '--quiet', 'src')
      writeFiles(path, { 'src/x': '2', fine: '1' })
    })
    expect(summary(patch)).toEqual(['added fine'])
    expect(patch.refused.map(({ path }) => path).toSorted()).toEqual([
      'empty/',
      'fake/',
      'file/',
      'full/',
      'src/',
    ])
  })

  test('a link named .gitmodules, with the reason git gives', async () => {
    const { patch } = await captureAfter({ a: '1' }, (path) => {
      symlinkSync('a', join(path, '.gitmodules'))
      writeFiles(path, { fine: '1', other: '1' })
    })
    expect(summary(patch)).toEqual(['added fine', 'added other'])
    expect(patch.refused).toEqual([{ path: '.gitmodules', reason: expect.stringContaining('.gitmodules') }])
  })

  test('more bytes than a patch may have, keeping the small files', async () => {
    const { patch } = await captureAfter({ a: '1' }, (path) => {
      writeFileSync(join(path, 'small'), '1')
      writeFileSync(join(path, 'huge'), '')
      truncateSync(join(path, 'huge'), 65 * 1024 * 1024)
    })
    expect(summary(patch)).toEqual(['added small'])
    expect(patch.refused).toEqual([
      { path: 'huge', reason: 'the patch is too large: 66 MB, and the limit is 64 MB', is_flood: true },
    ])
  })
})

describe('as another user than root', () => {
  test.runIf(process.getuid?.() === 0)(
    'folders without permissions are captured and deleted all the same',
    () => {
      const fixture = makeRepository({ 'src/a': '1\n', 'src/b': '2\n' })
      fixtures.push(fixture)
      const nobody = 65534
      execFileSync('chown', ['-R', `${nobody}:${nobody}`, fixture.folder])
      const program = `
      import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
      import * as adapter from ${JSON.stringify(join(import.meta.dirname, '../../src/adapters/workspaces/index.ts'))}
      const { root: cwd, home, env } = ${JSON.stringify(fixture)}
      const repository = await adapter.openRepository({ cwd, home, env })
      const base = await adapter.createTrees(repository).resolve('HEAD')
      const workspaces = adapter.createWorkspaces(repository)
      const workspace = await workspaces.open({ id: 'att_1', tree: base.tree, head: base.commit })
      writeFileSync(workspace.path + '/src/a', '3\\n')
      chmodSync(workspace.path + '/src/a', 0)
      chmodSync(workspace.path + '/src', 0)
      const patch = await workspaces.capture(workspace, base.tree)
      mkdirSync(workspace.path + '/cache/deep', { recursive: true })
      writeFileSync(workspace.path + '/cache/deep/x', '')
      chmodSync(workspace.path + '/cache/deep', 0o500)
      await workspaces.close('att_1')
      console.log(JSON.stringify({ files: patch.files.map((file) => file.path), isLeft: existsSync(workspace.path) }))
    `
      const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
        uid: nobody,
        gid: nobody,
        env: fixture.env,
        encoding: 'utf8',
        cwd: fixture.root,
      })
      expect(run.stderr.replace(/.*ExperimentalWarning.*\n.*\n/, '')).toBe('')
      expect(JSON.parse(run.stdout)).toEqual({ files: ['src/a'], isLeft: false })
    },
  )
})

describe('the bytes', () => {
  test('of a captured tree are those on disk', async () => {
    const content = Buffer.from('\ufeff$Id$\r\nmixed\nlast\u0000', 'utf8')
    const { patch, trees } = await captureAfter({ '.gitattributes': '* text=auto ident\n' }, (path) => {
      mkdirSync(join(path, 'src'))
      writeFileSync(join(path, 'src/a'), content)
    })
    expect(Buffer.from((await readFile(trees, patch.tree, 'src/a')) ?? [])).toEqual(content)
    expect(readFileSync(join(fixtures[0]?.root ?? '', '.gitattributes'), 'utf8')).toBe('* text=auto ident\n')
  })
})
