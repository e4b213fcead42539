import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { removeTree } from './remove-tree.ts'

const place = mkdtempSync(join(tmpdir(), 'fixpoint-remove-'))
afterAll(() => rmSync(place, { recursive: true, force: true }))

test('a folder that is deeper than any path, with locked folders in it, is deleted whole', async () => {
  const folder = join(place, 'deep')
  mkdirSync(join(folder, 'beside'), { recursive: true })
  writeFileSync(join(folder, 'beside/file'), 'x')
  // By going in step by step, which is how a program gets there.
  const dig = `const { chmodSync, mkdirSync } = require('fs')
    for (let depth = 0; depth < 60; depth += 1) { mkdirSync('d'.repeat(200)); process.chdir('d'.repeat(200)) }
    mkdirSync('locked'); mkdirSync('locked/in'); chmodSync('locked', 0)`
  execFileSync(process.execPath, ['-e', dig], { cwd: folder })
  await removeTree(folder)
  expect(readdirSync(place)).toEqual([])
})

test('a folder that nobody may enter is deleted, and one that is not there is none', async () => {
  const folder = join(place, 'locked')
  mkdirSync(join(folder, 'in'), { recursive: true })
  writeFileSync(join(folder, 'in/file'), 'x')
  chmodSync(join(folder, 'in'), 0)
  await removeTree(folder)
  await removeTree(folder)
  expect(existsSync(folder)).toBe(false)
})
