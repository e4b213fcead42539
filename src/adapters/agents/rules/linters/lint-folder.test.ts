import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { signedName } from '../../../process/run-mark.ts'
import { inLintFolder } from './lint-folder.ts'

/** A temporary folder that only this test sees. */
function ownTemporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-lints-'))
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

/** Larger than any number of a process. */
const noProcess = '-4194305-'
const ofDead = (): string => signedName('fixpoint-lint').replace(`-${process.pid}-`, noProcess)

test('a folder for copies is for its user alone, and gone after its use, also when that fails', async () => {
  const seen: string[] = []
  await inLintFolder(10, async (folder) => {
    seen.push(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    writeFileSync(join(folder, '0.js'), 'x')
  })
  await expect(
    inLintFolder(10, async (folder) => {
      seen.push(folder)
      throw new Error('the linter broke')
    }),
  ).rejects.toThrow('the linter broke')
  expect(seen.map((folder) => existsSync(folder))).toEqual([false, false])
})

test('too much text for memory is kept on disk', async () => {
  const temporary = ownTemporary()
  expect(await inLintFolder(2 ** 40, async (folder) => dirname(folder))).toBe(temporary)
})

test('what killed processes left is removed, what others use or own is not', async () => {
  const temporary = ownTemporary()
  const [left, link] = [ofDead(), ofDead()]
  const kept = [signedName('fixpoint-lint'), signedName('other').replace(`-${process.pid}-`, noProcess), link]
  mkdirSync(join(temporary, left, 'deep'), { recursive: true })
  for (const name of kept.slice(0, 2)) mkdirSync(join(temporary, name))
  symlinkSync(join(temporary, kept[0] ?? ''), join(temporary, link))
  await inLintFolder(10, async () => undefined)
  expect(readdirSync(temporary).toSorted()).toEqual(kept.toSorted())
})
