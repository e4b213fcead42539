import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runOxlint, startOxlint } from './run-oxlint.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-oxlint-'))
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ rules: { 'no-debugger': 'error' } }))
  writeFileSync(join(folder, 'a.js'), 'debugger\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const call = { signal: new AbortController().signal }

it('an oxlint that was started before answers the first question, and a new one the next', async () => {
  await using oxlint = startOxlint(call.signal)
  for (const isFree of [true, false]) {
    expect(oxlint.isFree()).toBe(isFree)
    const said = await runOxlint(folder, ['--format', 'json', 'a.js'], { ...call, oxlint })
    expect(said).toMatchObject({ number_of_files: 1, diagnostics: [{ filename: 'a.js' }] })
  }
})

it('an oxlint that nobody asks ends, and one whose caller gave up says so', async () => {
  await startOxlint(call.signal)[Symbol.asyncDispose]()
  const stop = new AbortController()
  await using oxlint = startOxlint(stop.signal)
  stop.abort()
  await expect(oxlint.ask(folder, ['a.js'])).rejects.toThrow('oxlint cancelled')
})

it('an oxlint that ended before it was asked is not asked', async () => {
  const stop = new AbortController()
  await using oxlint = startOxlint(stop.signal)
  stop.abort()
  await vi.waitUntil(() => !oxlint.isFree(), { timeout: 10_000 })
  const said = await runOxlint(folder, ['--format', 'json', 'a.js'], { ...call, oxlint })
  expect(said).toMatchObject({ number_of_files: 1 })
})
