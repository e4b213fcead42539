import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createCheckout } from '../../src/adapters/workspaces/index.ts'
import { CommitId } from '../../src/model/id.ts'
import { makeRepository, openFixture, snapshotOf, type FixtureRepository } from '../fixtures/repositories.ts'

const fixtures: FixtureRepository[] = []
afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.dispose()
})

async function open() {
  const fixture = makeRepository({ 'a.txt': '1\n', 'b.txt': '2\n', '.gitignore': 'out/\n' })
  fixtures.push(fixture)
  return { ...(await openFixture(fixture)), fixture }
}

describe('checkout.watch', () => {
  const last = { isForced: true }

  test('names files and settings that changed since the last look, and changes nothing itself', async () => {
    const { repository, fixture } = await open()
    fixture.write({ 'dirty.txt': 'before' })
    const watch = await createCheckout(repository).watch()
    const before = snapshotOf(fixture.root)
    expect(await watch.look(last)).toEqual({ files: [], settings: [], refs: [] })
    expect(snapshotOf(fixture.root)).toEqual(before)
    fixture.write({ 'a.txt': 'other\n', 'new/deep.txt': 'x', 'dirty.txt': 'after', 'out/ignored': 'x' })
    expect(await watch.look(last)).toEqual({
      files: ['a.txt', 'dirty.txt', 'new/deep.txt'],
      settings: [],
      refs: [],
    })
    expect(await watch.look(last)).toEqual({ files: [], settings: [], refs: [] })
    fixture.git('config', 'core.hooksPath', '/tmp/nowhere')
    writeFileSync(join(fixture.root, '.git/hooks/post-commit'), '#!/bin/sh\n')
    expect((await watch.look(last)).settings.map((path) => path.slice(fixture.root.length))).toEqual([
      '/.git/config',
      '/.git/hooks/post-commit',
    ])
  })

  test('takes no notice of what a person commits or puts back, and of the branches they track', async () => {
    const { repository, fixture } = await open()
    fixture.write({ 'a.txt': 'edited\n' })
    const watch = await createCheckout(repository).watch()
    fixture.write({ 'a.txt': 'edited again\n', 'c.txt': 'c\n' })
    fixture.git('add', '-A')
    fixture.git('commit', '-qm', 'mine')
    fixture.git('switch', '-qc', 'other')
    fixture.git('config', 'branch.other.remote', 'origin')
    expect(await watch.look(last)).toEqual({ files: [], settings: [], refs: [] })
  })

  test('runs nothing that the repository configures', async () => {
    const { repository, fixture } = await open()
    const canary = join(fixture.folder, 'canary')
    const program = `touch ${canary}`
    fixture.git('config', 'core.fsmonitor', program)
    fixture.git('config', 'filter.x.clean', program)
    appendFileSync(join(fixture.root, '.git/info/attributes'), '* filter=x\n')
    const watch = await createCheckout(repository).watch()
    fixture.write({ 'a.txt': 'other\n' })
    expect((await watch.look(last)).files).toEqual(['a.txt'])
    expect(existsSync(canary)).toBe(false)
  })

  test('goes on without an index that can be read', async () => {
    const { repository, fixture } = await open()
    writeFileSync(join(fixture.root, '.git/index'), 'no index at all')
    const watch = await createCheckout(repository).watch()
    expect(await watch.look(last)).toEqual({ files: [], settings: [], refs: [] })
  })
})

describe('branches.keep', () => {
  test('keeps commits that no branch holds, moves on, and lets go of them', async () => {
    const { branches, trees, base, fixture, repository } = await open()
    const commitOf = (message: string, parent: CommitId) =>
      trees.commit({ tree: base.tree, parent, message, author: repository.identity, date_ms: 0 })
    const first = await commitOf('first', base.commit)
    const second = await commitOf('second', first)
    expect(await branches.keep({ name: 'ses_1', commit: first, base: base.commit })).toBe(
      'refs/fixpoint/ses_1',
    )
    expect(await branches.keep({ name: 'ses_1', commit: second, base: base.commit })).toBe(
      'refs/fixpoint/ses_1',
    )
    expect(fixture.git('log', '--format=%s', '-2', 'refs/fixpoint/ses_1')).toBe('second\nfirst')
    expect(fixture.git('fsck', '--strict', '--no-dangling')).toBe('')
    await branches.drop('ses_1')
    await branches.drop('ses_1')
    expect(fixture.git('for-each-ref', 'refs/fixpoint')).toBe('')
  })

  test('names the branch that a revision stands for', async () => {
    const { branches, fixture } = await open()
    fixture.git('branch', 'side')
    fixture.git('tag', 'v1')
    expect(await branches.branchOf('HEAD')).toBe('refs/heads/main')
    expect(await branches.branchOf('side')).toBe('refs/heads/side')
    for (const none of ['v1', fixture.git('rev-parse', 'HEAD'), 'HEAD~0', 'nothing', '--all', ''])
      expect(await branches.branchOf(none)).toBeNull()
    fixture.git('checkout', '-q', '--detach')
    expect(await branches.branchOf('HEAD')).toBeNull()
  })
})

describe('trees.readCommit', () => {
  test('gives parents, message and note; and says what is reached', async () => {
    const { trees, base, fixture } = await open()
    fixture.write({ 'b.txt': 'two\n' })
    const commit = CommitId.parse(fixture.commitAll('second\n\nWith a body.\n\nKey: value'))
    expect(await trees.readCommit(commit)).toEqual({
      parents: [base.commit],
      message: 'second\n\nWith a body.\n\nKey: value\n',
      note: null,
    })
    fixture.git('notes', '--ref=fixpoint', 'add', '-m', '{"a":1}', commit)
    expect(await trees.readCommit(commit)).toMatchObject({ note: '{"a":1}\n' })
    expect(await trees.readCommit(base.commit)).toMatchObject({ parents: [] })
    expect(await trees.isReached(base.commit, commit)).toBe(true)
    expect(await trees.isReached(commit, base.commit)).toBe(false)
    expect(await trees.isReached(CommitId.parse('0'.repeat(40)), commit)).toBe(false)
    const second = await trees.resolve(commit)
    expect(await trees.builtOn(base.commit)).toEqual([second])
    expect(await trees.builtOn(commit)).toEqual([])
    expect(await trees.changes(base.tree, second?.tree ?? base.tree)).toMatchObject([
      { path: 'b.txt', status: 'modified', additions: 1, deletions: 1 },
    ])
  })
})
