import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { collectLeftovers } from '../../src/adapters/workspaces/index.ts'
import { makeRepository, openFixture, type FixtureRepository } from '../fixtures/repositories.ts'

const fixtures: FixtureRepository[] = []
afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.dispose()
})

const made = (): FixtureRepository => {
  const fixture = makeRepository({ 'a.test.js': 'strict\n' })
  fixtures.push(fixture)
  return fixture
}

/** The file in which a program of the agent leaves its name when it runs. */
const markerOf = (fixture: FixtureRepository): string => join(fixture.folder, 'ran')

/** Acts of a program of the same user on Fixpoint's own git directory, each with the names under which Fixpoint reports it. */
const acts: Record<string, { names: string; act: (fixture: FixtureRepository, gitDir: string) => void }> = {
  'an attribute with a filter that weakens tests': {
    names: 'config, info/attributes',
    act: (fixture, gitDir) => {
      const filter = `[filter "weak"]\n\tsmudge = touch ${markerOf(fixture)}; sed s/strict/weak/\n`
      writeFileSync(join(gitDir, 'config'), filter, { flag: 'a' })
      writeFileSync(join(gitDir, 'info/attributes'), '*.js filter=weak\n')
    },
  },
  'an attribute that is put back at once': {
    names: 'info/attributes',
    act: (_, gitDir) => {
      const path = join(gitDir, 'info/attributes')
      const content = readFileSync(path)
      writeFileSync(path, '*.js filter=weak\n')
      writeFileSync(path, content)
    },
  },
  'a hook': {
    names: 'hooks',
    act: (fixture, gitDir) => {
      mkdirSync(join(gitDir, 'hooks'))
      writeFileSync(join(gitDir, 'hooks/post-index-change'), `#!/bin/sh\ntouch ${markerOf(fixture)}\n`)
      chmodSync(join(gitDir, 'hooks/post-index-change'), 0o755)
    },
  },
  'another configuration file': {
    names: 'config.worktree',
    act: (_, gitDir) => writeFileSync(join(gitDir, 'config.worktree'), '[core]\n\tsparseCheckout = true\n'),
  },
  'a place where it keeps objects of its own': {
    names: 'objects/info/alternates',
    act: (fixture, gitDir) => writeFileSync(join(gitDir, 'objects/info/alternates'), `${fixture.folder}\n`),
  },
  'a folder in the place of its configuration': {
    names: 'config',
    act: (_, gitDir) => {
      rmSync(join(gitDir, 'config'))
      mkdirSync(join(gitDir, 'config'))
    },
  },
}

describe('the git directory that belongs to Fixpoint', () => {
  test.each(Object.keys(acts))(
    'is not used after a program made %s, and is as it was again',
    async (name) => {
      const fixture = made()
      const { repository, openWorkspace } = await openFixture(fixture)
      await openWorkspace('att_1')
      const { gitDir } = repository.owned
      const config = readFileSync(join(gitDir, 'config'))
      acts[name]?.act(fixture, gitDir)
      await expect(openWorkspace('att_2')).rejects.toMatchObject({
        code: 'home_unusable',
        message: `another program changed ${acts[name]?.names} in ${gitDir}, which belongs to Fixpoint; it was put back`,
      })
      const { path } = await openWorkspace('att_2')
      expect(readFileSync(join(path, 'a.test.js'), 'utf8')).toBe('strict\n')
      expect(readFileSync(join(gitDir, 'config'))).toEqual(config)
      expect([existsSync(join(gitDir, 'hooks')), existsSync(markerOf(fixture))]).toEqual([false, false])
    },
  )

  test.each(['an attribute with a filter that weakens tests', 'a hook'])(
    'is put back by the next process, which says so, when a program made %s before',
    async (name) => {
      const fixture = made()
      const first = await openFixture(fixture)
      acts[name]?.act(fixture, first.repository.owned.gitDir)
      const { repository, openWorkspace } = await openFixture(fixture)
      expect(repository.notes).toEqual([
        expect.stringContaining('which belongs to Fixpoint: it was put back'),
      ])
      const { path } = await openWorkspace('att_1')
      expect(readFileSync(join(path, 'a.test.js'), 'utf8')).toBe('strict\n')
      expect(existsSync(markerOf(fixture))).toBe(false)
      expect((await openFixture(fixture)).repository.notes).toEqual([])
    },
  )

  test('takes over what the user lets git ignore, without taking it for a change of others', async () => {
    const fixture = made()
    const { openWorkspace } = await openFixture(fixture)
    writeFileSync(join(fixture.root, '.git/info/exclude'), 'ignored\n')
    const { repository } = await openFixture(fixture)
    expect(repository.notes).toEqual([])
    await expect(openWorkspace('att_1')).resolves.toMatchObject({ id: 'att_1' })
  })
})

describe('what git commands of a killed process left', () => {
  const old = new Date(Date.now() - 5 * 60_000)

  test('is collected by name: indexes and refs of notes that were being built', async () => {
    const fixture = made()
    const { repository } = await openFixture(fixture)
    const folder = join(fixture.home, 'repositories', repository.key)
    const processMark = join(import.meta.dirname, '../../src/adapters/process/run-mark.ts')
    const program = `import { signedName } from ${JSON.stringify(processMark)}; console.log(signedName('index')); console.log(signedName('building'))`
    const said = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    }).stdout
    const [index = '', notes = ''] = said.trim().split('\n')
    mkdirSync(join(folder, 'indexes'), { recursive: true })
    mkdirSync(join(folder, 'git/refs/notes'), { recursive: true })
    const left = [
      join(folder, 'indexes', index),
      join(folder, 'indexes', `${index}.lock`),
      join(folder, 'git/refs/notes', notes),
    ]
    for (const path of left) writeFileSync(path, '')
    expect(await collectLeftovers(fixture.home)).toEqual(left)
    expect(readdirSync(join(folder, 'indexes'))).toEqual([])
  })

  test('is collected from the user’s objects when it holds nothing but objects of ours', async () => {
    const fixture = made()
    const { repository, trees, base } = await openFixture(fixture)
    const author = { name: 'Ada', email: 'ada@example.com' }
    const request = { tree: base.tree, parent: base.commit, message: 'ours', author, date_ms: 0 }
    const ours = await trees.commit(request)
    const objects = join(fixture.root, '.git/objects')
    const make = (name: string, oid: string): string => {
      const part = join(objects, name, oid.slice(0, 2))
      mkdirSync(part, { recursive: true })
      writeFileSync(join(part, oid.slice(2)), '')
      return join(objects, name)
    }
    const left = make('tmp_objdir-bulk-fsync-a', ours)
    const fresh = make('tmp_objdir-bulk-fsync-b', ours)
    const others = make('tmp_objdir-bulk-fsync-c', '1'.repeat(40))
    for (const folder of [left, others])
      for (const path of [join(folder, readdirSync(folder)[0] ?? ''), folder]) utimesSync(path, old, old)
    expect(await collectLeftovers(fixture.home)).toEqual([left])
    expect([fresh, others].map((path) => existsSync(path))).toEqual([true, true])
    expect(await repository.owned.text(['cat-file', '-t', ours])).toBe('commit')
  })
})
