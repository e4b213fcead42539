import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeRepository } from '../../../test/fixtures/repositories.ts'
import { createGitReader } from './git-reader.ts'

function openReader(options?: Parameters<typeof createGitReader>[1]) {
  const fixture = makeRepository({ 'a.txt': 'a\n' })
  onTestFinished(() => fixture.dispose())
  const pids = join(fixture.folder, 'pids')
  const env = { PATH: process.env['PATH'] ?? '', GIT_DIR: join(fixture.root, '.git') }
  const script = 'echo $$ >> "$0"; exec git cat-file --batch'
  const call = { program: '/bin/sh', args: ['-c', script, pids], cwd: fixture.root, env }
  const started = (): readonly number[] => readFileSync(pids, 'utf8').trim().split('\n').map(Number)
  return { ...fixture, started, read: createGitReader(call, options) }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('reads what a name means, and null for a name of several words that means nothing', async () => {
  const { read, git } = openReader()
  const oid = git('rev-parse', 'HEAD').trim()
  const [commit, absent, words, blob] = await Promise.all([
    read('HEAD', 1000),
    read('nope', 1000),
    read('nope 5 7', 1000),
    read('HEAD:a.txt', 1000),
  ])
  expect(commit).toMatchObject({ oid, type: 'commit' })
  expect([absent, words]).toEqual([null, null])
  expect(blob).toMatchObject({ type: 'blob', bytes: Buffer.from('a\n') })
})

test('a reader that nobody asks lets git end, and starts another one when it is asked again', async () => {
  const { read, started } = openReader({ idleMs: 0 })
  for (const turn of [1, 2]) {
    expect(await read('HEAD:a.txt', 1000)).toMatchObject({ bytes: Buffer.from('a\n') })
    expect(started()).toHaveLength(turn)
    await expect.poll(() => started().filter(isAlive)).toEqual([])
  }
})

test('an object that is too large is refused, and the next one is read', async () => {
  const { read } = openReader()
  await expect(read('HEAD:a.txt', 1)).rejects.toThrow('HEAD:a.txt is larger than 1 bytes')
  await expect.poll(() => read('HEAD:a.txt', 10).catch(() => null)).toMatchObject({ type: 'blob' })
})
