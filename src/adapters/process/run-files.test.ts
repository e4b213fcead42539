import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { collectRunFiles, runFilePath } from './run-files.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fixpoint-run-files-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function write(path: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'secret')
  return path
}

it('deletes what a dead process left and keeps what a living one uses, or what is not ours', async () => {
  const own = write(runFilePath(home, 'task', '.json'))
  // The same pid with another start is another process.
  const left = write(join(dirname(own), basename(own).replace(/^task-(\d+)-\d+-/, 'task-$1-1-')))
  const other = write(join(home, 'tasks', 'notes.json'))
  expect(await collectRunFiles(home)).toEqual([left])
  expect([own, left, other].map((path) => existsSync(path))).toEqual([true, false, true])
})

it('finds nothing to delete where nothing ever ran', async () => {
  expect(await collectRunFiles(home)).toEqual([])
})

it('gives every run a path of its own', () => {
  expect(runFilePath(home, 'codex')).not.toBe(runFilePath(home, 'codex'))
})
