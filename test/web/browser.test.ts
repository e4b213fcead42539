import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const ask = `const { browserProgram } = await import(process.argv[1])
const program = browserProgram(process.argv[2])
const { status } = (await import('node:child_process')).spawnSync(program, ['--version'])
console.log(status)`

it('the browser is unpacked once and whole, however many files of tests want it at the same moment', async () => {
  const within = mkdtempSync(join(tmpdir(), 'fixpoint-test-'))
  try {
    const args = ['--input-type=module', '-e', ask, join(import.meta.dirname, 'browser.ts'), within]
    const asked = [1, 2, 3].map(() => promisify(execFile)(process.execPath, args))
    for (const { stdout } of await Promise.all(asked)) expect(stdout).toBe('0\n')
    expect(readdirSync(within)).toEqual([expect.stringMatching(/^fixpoint-browser-/)])
  } finally {
    rmSync(within, { recursive: true, force: true })
  }
})
