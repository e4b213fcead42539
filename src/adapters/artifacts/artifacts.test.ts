import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { SessionId } from '../../model/id.ts'
import { collectUnfinished, openArtifacts } from './index.ts'

const session = SessionId.parse('ses_1')
const home = mkdtempSync(join(tmpdir(), 'fixpoint-artifacts-'))
afterEach(() => rmSync(home, { recursive: true, force: true }))

it('what a killed process had begun to write is collected, and what a living one writes is not', async () => {
  const place = JSON.stringify(join(import.meta.dirname, 'index.ts'))
  // Killed in the middle of writing: the file is there, and has not got its name yet.
  const program = `
    const { openArtifacts } = await import(${place})
    const { watch, mkdirSync } = await import('node:fs')
    const folder = ${JSON.stringify(join(home, 'artifacts', '.unfinished'))}
    mkdirSync(folder, { recursive: true })
    watch(folder, () => process.kill(process.pid, 'SIGKILL'))
    await openArtifacts({ url: 'folder', home: ${JSON.stringify(home)}, env: {} }).write('ses_1', 'big.txt', 'x'.repeat(200_000_000))
  `
  const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program])
  expect(signal).toBe('SIGKILL')
  const folder = join(home, 'artifacts', '.unfinished')
  const artifacts = openArtifacts({ url: 'folder', home, env: {} })
  expect(readdirSync(folder)).toHaveLength(1)
  expect(await artifacts.owners()).toEqual(['ses_1'])
  expect(await artifacts.list(session)).toEqual([])
  const writing = artifacts.write(session, 'a.txt', 'y'.repeat(1_000_000))
  const collected = await collectUnfinished(home)
  await writing
  expect(collected).toHaveLength(1)
  expect(readdirSync(folder)).toEqual([])
  expect(await artifacts.list(session)).toEqual(['a.txt'])
})
