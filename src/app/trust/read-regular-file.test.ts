import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readRegularFile } from './read-regular-file.ts'

it('reads files alone: a pipe, a device or a folder in the place of one keeps nobody waiting', async () => {
  const root = mkdtempSync(join(tmpdir(), 'fixpoint-'))
  writeFileSync(join(root, 'package.json'), '{}')
  execFileSync('mkfifo', [join(root, 'pipe')])
  symlinkSync('/dev/zero', join(root, 'zero'))
  const names = ['package.json', 'pipe', 'zero', '.', 'missing']
  const texts = await Promise.all(names.map((name) => readRegularFile(root, name)))
  rmSync(root, { recursive: true })
  expect(texts).toEqual(['{}', null, null, null, null])
})
