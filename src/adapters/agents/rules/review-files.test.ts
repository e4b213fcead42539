import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { reviewFiles } from './review-files.ts'

it('the rules agent says which files have become something else while it read others, and waits for none', async () => {
  const root = mkdtempSync(join(tmpdir(), 'fixpoint-rules-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  // So many are read before the rest is looked at again.
  const names = Array.from({ length: 500 }, (_, index) => `a${index}.py`)
  for (const name of [...names, 'pipe.py', 'secret.py']) writeFileSync(join(root, name), 'x = 1\n')
  const swap = () => {
    for (const name of ['pipe.py', 'secret.py']) rmSync(join(root, name), { force: true })
    execFileSync('mkfifo', [join(root, 'pipe.py')])
    symlinkSync('/etc/passwd', join(root, 'secret.py'))
  }
  const files = { root, paths: [], exclude: [], onFound: swap }
  const { coverage } = await reviewFiles(files, [], new AbortController().signal)
  expect(coverage.reviewed).toHaveLength(names.length)
  expect(coverage.skipped).toEqual(
    ['pipe.py', 'secret.py'].map((file) => ({ file, why: 'it cannot be read, or is no file any more' })),
  )
})
