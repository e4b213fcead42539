import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { trustDigest, forgetTrusted, keepTrusted, readTrusted } from './records.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'fixpoint-trust-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const items = [
  { key: 'verify.commands', run: 'npm test' },
  { key: 'workspace.setup', run: 'npm ci' },
]

describe('the word of a person', () => {
  test('is remembered once, for one repository', async () => {
    const place = { home, repositoryKey: 'r1' }
    expect(await readTrusted(place)).toEqual([])
    await Promise.all([keepTrusted(place, items), keepTrusted(place, items.toReversed())])
    const [kept = [], ...others] = await readTrusted(place)
    expect([kept.toSorted((a, b) => (a.key < b.key ? -1 : 1)), others]).toEqual([items, []])
    expect(await readTrusted({ ...place, repositoryKey: 'r2' })).toEqual([])
    expect(await readdir(join(home, 'trust'))).toHaveLength(1)
  })

  test('can be taken back, for one repository', async () => {
    await keepTrusted({ home, repositoryKey: 'r1' }, items)
    await keepTrusted({ home, repositoryKey: 'r2' }, items)
    expect(await forgetTrusted({ home, repositoryKey: 'r1' })).toBe(1)
    expect(await readTrusted({ home, repositoryKey: 'r1' })).toEqual([])
    expect(await readTrusted({ home, repositoryKey: 'r2' })).toEqual([items])
  })

  test('is not given by a broken record', async () => {
    const place = { home, repositoryKey: 'r1' }
    await keepTrusted(place, items)
    const [name = ''] = await readdir(join(home, 'trust'))
    for (const broken of ['', '{"schema":"fixpoint.trust-record.v2"', '{}', 'null']) {
      await writeFile(join(home, 'trust', name), broken)
      expect(await readTrusted(place)).toEqual([])
    }
  })

  test('that cannot be remembered says so', async () => {
    await writeFile(join(home, 'trust'), '')
    await chmod(join(home, 'trust'), 0o600)
    await expect(keepTrusted({ home, repositoryKey: 'r' }, items)).rejects.toMatchObject({
      code: 'home_unusable',
    })
  })
})

test('the digest is the same for the same things in any order, and another one for others', () => {
  expect(trustDigest(items)).toBe(trustDigest(items.toReversed()))
  expect(trustDigest(items)).not.toBe(trustDigest(items.slice(1)))
  expect(trustDigest([])).toBeNull()
})
