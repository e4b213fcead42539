import { mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeWhole } from './write-whole.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fixpoint-write-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('writing a file', () => {
  it('replaces what was there and leaves nothing else behind', async () => {
    await writeFile(join(folder, 'a'), 'old')
    await writeWhole(join(folder, 'a'), 'new')
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('new')
    expect(await readdir(folder)).toEqual(['a'])
  })

  it('writes through a link instead of replacing it', async () => {
    await writeFile(join(folder, 'a'), 'old')
    await symlink('a', join(folder, 'link'))
    await writeWhole(join(folder, 'link'), 'new')
    expect(await readlink(join(folder, 'link'))).toBe('a')
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('new')
  })

  it.each([
    ['a folder', () => folder, /is a folder/],
    ['a device', () => '/dev/null', /is a special file/],
    ['a folder that is not there', () => join(folder, 'no', 'a'), /cannot be written \(ENOENT\)/],
    ['a file used as a folder', () => join(folder, 'a', 'b'), /cannot be written \(ENOTDIR\)/],
  ])('refuses %s by name', async (_, path, message) => {
    await writeFile(join(folder, 'a'), 'old')
    await expect(writeWhole(path(), 'new')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message),
      hint: expect.any(String),
    })
    expect(await readdir(folder)).toEqual(['a'])
  })
})
